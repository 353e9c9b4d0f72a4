# One GoogleTest binary per layer, tf_<layer>_test, from the *_test.cc beside the code.

find_package(GTest REQUIRED)

# Nothing may recurse on the depth of a program, so tests run on a small stack (KiB).
# Sanitizers make frames several times larger.
set(test_stack 256)
if(TILEFOUNDRY_SANITIZE)
  set(test_stack 1024)
endif()
set(TILEFOUNDRY_TEST_STACK ${test_stack} CACHE STRING "Stack limit of the unit tests, in KiB")

foreach(layer IN LISTS layers)
  if(NOT ${layer}_tests)
    continue()
  endif()
  set(sources ${${layer}_tests})
  if(layer STREQUAL cli)
    list(APPEND sources ${cli_sources})
    list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  endif()
  add_executable(tf_${layer}_test ${sources})
  target_include_directories(tf_${layer}_test PRIVATE ${ISL_INCLUDE_DIR})
  target_link_libraries(tf_${layer}_test
    PRIVATE tilefoundry_core fmt::fmt OpenSSL::Crypto Threads::Threads ${CMAKE_DL_LIBS}
      ${ISL_LIBRARY} GTest::gtest GTest::gtest_main)
  add_test(NAME tf_${layer}_test
    COMMAND sh -c "ulimit -S -s ${TILEFOUNDRY_TEST_STACK} && exec $<TARGET_FILE:tf_${layer}_test>"
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(tf_${layer}_test PROPERTIES TIMEOUT 900)
endforeach()

# Programs that the Python tests drive: tests/tools/<name>.cc becomes tf_<name>.
if(frontend IN_LIST layers)
  file(GLOB tools CONFIGURE_DEPENDS tests/tools/*.cc)
  foreach(source IN LISTS tools)
    get_filename_component(name ${source} NAME_WE)
    add_executable(tf_${name} ${source})
    target_link_libraries(tf_${name} PRIVATE tilefoundry_core)
  endforeach()
endif()

# A user's project that finds the installed package. A sanitized library needs a sanitized user.
if(NOT TILEFOUNDRY_SANITIZE AND NOT TILEFOUNDRY_FOLDERS)
  add_test(NAME cmake_consumer
    COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DCXX=${CMAKE_CXX_COMPILER}
      -P ${PROJECT_SOURCE_DIR}/tests/cmake_consumer/run.cmake)
endif()
