# One Google Benchmark binary per bench/<name>_bench.cc.

find_package(benchmark REQUIRED)
file(GLOB bench_sources CONFIGURE_DEPENDS bench/*_bench.cc)
foreach(source IN LISTS bench_sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE tilefoundry_core fmt::fmt benchmark::benchmark
    benchmark::benchmark_main)
endforeach()
