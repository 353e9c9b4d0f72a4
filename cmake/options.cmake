# How everything is compiled. Presets choose the build type, the optimization and the sanitizer.

option(TILEFOUNDRY_TESTS "Build the unit tests" ON)
option(TILEFOUNDRY_BENCH "Build the benchmarks (needs Google Benchmark)" OFF)
option(TILEFOUNDRY_PYTHON "Build the Python module (needs nanobind)" OFF)
set(TILEFOUNDRY_SANITIZE "" CACHE STRING "Value for -fsanitize=, or empty")
set_property(CACHE TILEFOUNDRY_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# -Wrestrict of g++ 12 reports string concatenation falsely.
add_compile_options(-Wall -Wextra -Werror -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-Wno-restrict)
endif()
# __FILE__ is relative to the repository, so messages do not depend on where it lies.
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)

if(TILEFOUNDRY_SANITIZE)
  add_compile_options(-fsanitize=${TILEFOUNDRY_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TILEFOUNDRY_SANITIZE})
endif()

find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Absolute source paths with NOHASHDIR let every build folder of a checkout share the cache.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_NOHASHDIR=1 ${CCACHE})
endif()
