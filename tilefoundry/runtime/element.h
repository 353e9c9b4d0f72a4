// How the element types of the language travel at the boundary: DLPack codes and .npy descriptors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tilefoundry/runtime/abi.h"

namespace tilefoundry {

struct ElementFormat {
  std::string_view name;  // "f32", the language's spelling
  int bits;               // 4-bit elements are packed two a byte, low half first
  std::uint8_t code;      // DLDataType.code
  std::string_view npy;   // "<f4"; empty when .npy has no such type
};

// Null for a name that is no element type.
const ElementFormat* find_element_format(std::string_view name) noexcept;
// Null for a DLPack type that the language lacks; `lanes` must be 1.
const ElementFormat* find_element_format(DLDataType dtype) noexcept;
// As above; ValueError TF6001 names the valid set.
const ElementFormat& element_format(std::string_view name);

// "f32"; for types that the language lacks DLPack's terms, "complex64" or "code 9, 16 bits".
std::string element_text(DLDataType dtype);

// Bytes of a C-contiguous tensor; 0 with a zero extent. ValueError TF6002 for a negative extent or
// more than 2^62-1 bits.
std::int64_t contiguous_bytes(const ElementFormat& format, const std::vector<std::int64_t>& shape);

// "(4, 8)", "(4,)", "()".
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace tilefoundry
