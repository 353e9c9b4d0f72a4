#include "tilefoundry/runtime/element.h"

#include <fmt/core.h>

#include <array>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

constexpr std::array<ElementFormat, 13> kFormats{{
    {"f32", 32, TF_DL_FLOAT, "<f4"},
    {"f16", 16, TF_DL_FLOAT, "<f2"},
    {"bf16", 16, TF_DL_BFLOAT, "<V2"},
    {"fp8e4m3", 8, TF_DL_FLOAT8_E4M3FN, ""},
    {"f8e8m0", 8, TF_DL_FLOAT8_E8M0FNU, ""},
    {"f4e2m1", 4, TF_DL_FLOAT4_E2M1FN, ""},
    {"i32", 32, TF_DL_INT, "<i4"},
    {"i64", 64, TF_DL_INT, "<i8"},
    {"bool", 8, TF_DL_BOOL, "|b1"},
    {"i8", 8, TF_DL_INT, "|i1"},
    {"u8", 8, TF_DL_UINT, "|u1"},
    {"i4", 4, TF_DL_INT, ""},
    {"u4", 4, TF_DL_UINT, ""},
}};

[[noreturn]] void refuse(std::string code, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  throw ValueError(std::move(diagnostic));
}

}  // namespace

const ElementFormat* find_element_format(std::string_view name) noexcept {
  for (const ElementFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

const ElementFormat* find_element_format(DLDataType dtype) noexcept {
  if (dtype.lanes != 1) return nullptr;
  for (const ElementFormat& format : kFormats) {
    if (format.code == dtype.code && format.bits == dtype.bits) return &format;
  }
  return nullptr;
}

const ElementFormat& element_format(std::string_view name) {
  if (const ElementFormat* format = find_element_format(name)) return *format;
  std::vector<std::string> names;
  for (const ElementFormat& format : kFormats) names.emplace_back(format.name);
  refuse("TF6001", fmt::format("there is no dtype {}", python_string_literal(name)),
         "write one of " + join(names, ", "));
}

std::string element_text(DLDataType dtype) {
  if (const ElementFormat* format = find_element_format(dtype)) return std::string(format->name);
  std::string text;
  switch (dtype.code) {
    case TF_DL_INT: text = fmt::format("int{}", dtype.bits); break;
    case TF_DL_UINT: text = fmt::format("uint{}", dtype.bits); break;
    case TF_DL_FLOAT: text = fmt::format("float{}", dtype.bits); break;
    case TF_DL_BFLOAT: text = fmt::format("bfloat{}", dtype.bits); break;
    case TF_DL_COMPLEX: text = fmt::format("complex{}", dtype.bits); break;
    case TF_DL_BOOL: text = fmt::format("bool{}", dtype.bits); break;
    default: text = fmt::format("DLPack code {} with {} bits", dtype.code, dtype.bits);
  }
  if (dtype.lanes != 1) text += fmt::format(" x {} lanes", dtype.lanes);
  return text;
}

std::int64_t contiguous_bytes(const ElementFormat& format, const std::vector<std::int64_t>& shape) {
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      refuse("TF6002", fmt::format("the shape {} has a negative extent", shape_text(shape)),
             "extents are 0 or more");
    }
    empty = empty || extent == 0;
  }
  if (empty) return 0;
  std::int64_t bits = format.bits;
  for (const std::int64_t extent : shape) {
    // Room for rounding up and for a buffer's own overhead is kept.
    if (__builtin_mul_overflow(bits, extent, &bits) || bits > (INT64_MAX >> 1)) {
      refuse("TF6002",
             fmt::format("a {} array of shape {} is too large", format.name, shape_text(shape)),
             "use smaller extents");
    }
  }
  return (bits + 7) / 8;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> parts;
  parts.reserve(shape.size());
  for (const std::int64_t extent : shape) parts.push_back(std::to_string(extent));
  return "(" + join(parts, ", ") + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace tilefoundry
