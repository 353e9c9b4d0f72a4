# Embeds the run-time text of generated code, device/cpu/*, into the core library.
# The generated source defines what tilefoundry/codegen/device_text.h declares.

file(GLOB_RECURSE device_files RELATIVE ${PROJECT_SOURCE_DIR}/device CONFIGURE_DEPENDS
  device/cpu/*)
list(SORT device_files)
list(TRANSFORM device_files PREPEND ${PROJECT_SOURCE_DIR}/device/ OUTPUT_VARIABLE device_paths)
set(DEVICE_TEXT_SOURCE ${PROJECT_BINARY_DIR}/generated/device_text.cc)
string(JOIN "|" device_names ${device_files})
add_custom_command(
  OUTPUT ${DEVICE_TEXT_SOURCE}
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR}/device "-DNAMES=${device_names}"
    -DOUTPUT=${DEVICE_TEXT_SOURCE} -P ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
  DEPENDS ${device_paths} cmake/embed_text.cmake
  COMMENT "Embedding device text"
  VERBATIM)
