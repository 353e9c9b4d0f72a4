# cmake --install: lib/libtilefoundry.so, bin/tilefoundry, include/tilefoundry/, and a package that
# find_package(tilefoundry) finds and that defines tilefoundry::tilefoundry.

include(CMakePackageConfigHelpers)

install(TARGETS tilefoundry_core EXPORT tilefoundry LIBRARY DESTINATION lib)
install(DIRECTORY tilefoundry/ DESTINATION include/tilefoundry FILES_MATCHING PATTERN "*.h")
install(EXPORT tilefoundry FILE tilefoundry-config.cmake NAMESPACE tilefoundry::
  DESTINATION lib/cmake/tilefoundry)
write_basic_package_version_file(tilefoundry-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tilefoundry-config-version.cmake
  DESTINATION lib/cmake/tilefoundry)
