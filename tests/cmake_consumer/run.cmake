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
step(${work}/build/consumer)
if(NOT output MATCHES "demo.py:1:5: error.TF2001.: unknown name 'addd'")
  message(FATAL_ERROR "the consumer printed:\n${output}")
endif()
if(EXISTS ${prefix}/bin/tilefoundry)
  step(${prefix}/bin/tilefoundry --version)
endif()
