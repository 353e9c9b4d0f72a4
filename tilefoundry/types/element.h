// Elements of host memory: sizes, and conversion between a dtype's stored form and C++ numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tilefoundry/types/dtype.h"

namespace tilefoundry {

// Bytes of one stored element; bool takes one. Sub-byte dtypes are not addressable one by one:
// throws ValueError (TF3024).
std::size_t element_size(DType dtype);

// Stored bits of 16-bit floats and back. Rounding is to nearest, ties to even; nan stays nan.
std::uint16_t bf16_from_float(float value) noexcept;
float bf16_to_float(std::uint16_t bits) noexcept;
std::uint16_t f16_from_float(float value) noexcept;
float f16_to_float(std::uint16_t bits) noexcept;

// f32, f16 or bf16 from a double with one rounding each step (double to f32 to dtype is avoided:
// the result is the nearest value of the dtype).
float round_to(DType dtype, double value) noexcept;

// Any numeric dtype of f32, f16, bf16, i32, i64, bool. Integers truncate and saturate from floats
// (nan gives 0); bool is value != 0.
double load_float(DType dtype, const std::byte* element);
void store_float(DType dtype, std::byte* element, double value);
std::int64_t load_int(DType dtype, const std::byte* element);
// Wraps to the dtype's width; floats take the nearest value.
void store_int(DType dtype, std::byte* element, std::int64_t value);

// Truncation toward zero that saturates; nan gives 0.
std::int64_t saturating_int(DType dtype, double value) noexcept;

}  // namespace tilefoundry
