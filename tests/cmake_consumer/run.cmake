# cmake -DBUILD=<build folder> -DCXX=<compiler> -P run.cmake
# Installs the built tree beside itself, builds this project against it and runs both programs.

set(work ${BUILD}/cmake_consumer)
set(prefix ${work}/prefix)
file(REMOVE_RECURSE ${work})

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line} failed with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
step(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build
  -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CXX})
step(${CMAKE_COMMAND} --build ${work}/build)

function(prints)
  foreach(line IN LISTS ARGN)
    if(NOT output MATCHES "${line}")
      message(FATAL_ERROR "no \"${line}\" in:\n${output}")
    endif()
  endforeach()
endfunction()

set(ENV{TILEFOUNDRY_CACHE_DIR} ${work}/cache)
step(${work}/build/consumer)
prints("^tilefoundry 0\\.1\\.0\n" "@prim_func" "\naxpy: 0 12 24 36 48\n"
  "\nCallError: .*2 inputs" "demo.py:5:[0-9]+: error.TF")
step(${work}/build/plugin_host ${work}/build/libalias_plugin.so)
prints("views of parameters: 2\n" "TF9001" "alias_plugin.cc:[0-9]+.*alias_plugin.cc:")
step(${prefix}/bin/tilefoundry --version)
