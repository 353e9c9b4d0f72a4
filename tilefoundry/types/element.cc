#include "tilefoundry/types/element.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

// The nearest value with `mantissa` explicit bits, ties to even, in the exponent range of the
// format; overflow becomes infinity. The input is finite.
double round_mantissa(double value, int mantissa, int least_exponent, double largest) {
  if (value == 0) return value;
  int exponent = 0;
  std::frexp(value, &exponent);  // value = f * 2^exponent, f in [0.5, 1)
  const int unit = std::max(exponent - 1, least_exponent) - mantissa;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  if (std::fabs(rounded) > largest) {
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  return rounded;
}

template <class T>
T load(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  return value;
}

template <class T>
void store(std::byte* element, T value) {
  std::memcpy(element, &value, sizeof(T));
}

[[noreturn]] void refuse(DType dtype) {
  throw ValueError(Diagnostic{
      .code = "TF3024",
      .message = fmt::format("elements of dtype {} cannot be read one by one", dtype.name())});
}

}  // namespace

std::size_t element_size(DType dtype) {
  if (dtype.is_bool()) return 1;
  if (dtype.bits() < 8) refuse(dtype);
  return static_cast<std::size_t>(dtype.bits()) / 8;
}

std::uint16_t bf16_from_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

float bf16_to_float(std::uint16_t bits) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t f16_from_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(sign | 0x7E00 | ((bits >> 13) & 0x3FF));
  }
  const double rounded = std::isinf(value) ? value : round_mantissa(value, 10, -14, 65504.0);
  if (std::isinf(rounded)) return static_cast<std::uint16_t>(sign | 0x7C00);
  const double magnitude = std::fabs(rounded);
  if (magnitude < 0x1p-14) {
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(magnitude * 0x1p24));
  }
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);
  const auto mantissa = static_cast<std::uint16_t>((fraction * 2 - 1) * 1024);
  return static_cast<std::uint16_t>(sign | ((exponent - 1 + 15) << 10) | mantissa);
}

float f16_to_float(std::uint16_t bits) noexcept {
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  double magnitude = 0;
  if (exponent == 31) {
    if (mantissa != 0) {
      const std::uint32_t payload = static_cast<std::uint32_t>(mantissa) << 13;
      const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
      return std::bit_cast<float>(sign | 0x7FC00000U | payload);
    }
    magnitude = std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, -24);
  } else {
    magnitude = std::ldexp(1024 + mantissa, exponent - 25);
  }
  return static_cast<float>((bits & 0x8000) != 0 ? -magnitude : magnitude);
}

float round_to(DType dtype, double value) noexcept {
  if (std::isnan(value) || std::isinf(value)) return static_cast<float>(value);
  switch (dtype.code()) {
    case DType::f16: return static_cast<float>(round_mantissa(value, 10, -14, 65504.0));
    case DType::bf16: return static_cast<float>(round_mantissa(value, 7, -126, 0x1.FEp127));
    default: return static_cast<float>(value);
  }
}

double load_float(DType dtype, const std::byte* element) {
  switch (dtype.code()) {
    case DType::f32: return load<float>(element);
    case DType::f16: return f16_to_float(load<std::uint16_t>(element));
    case DType::bf16: return bf16_to_float(load<std::uint16_t>(element));
    default: return static_cast<double>(load_int(dtype, element));
  }
}

void store_float(DType dtype, std::byte* element, double value) {
  switch (dtype.code()) {
    case DType::f32: store(element, static_cast<float>(value)); break;
    case DType::f16: store(element, f16_from_float(round_to(dtype, value))); break;
    case DType::bf16: store(element, bf16_from_float(round_to(dtype, value))); break;
    case DType::boolean: store(element, static_cast<std::uint8_t>(value != 0)); break;
    default: store_int(dtype, element, saturating_int(dtype, value)); break;
  }
}

std::int64_t load_int(DType dtype, const std::byte* element) {
  switch (dtype.code()) {
    case DType::i32: return load<std::int32_t>(element);
    case DType::i64: return load<std::int64_t>(element);
    case DType::i8: return load<std::int8_t>(element);
    case DType::u8: return load<std::uint8_t>(element);
    case DType::boolean: return load<std::uint8_t>(element) != 0 ? 1 : 0;
    case DType::f32:
    case DType::f16:
    case DType::bf16: return saturating_int(DType::i64, load_float(dtype, element));
    default: refuse(dtype);
  }
}

void store_int(DType dtype, std::byte* element, std::int64_t value) {
  switch (dtype.code()) {
    case DType::i32: store(element, static_cast<std::int32_t>(value)); break;
    case DType::i64: store(element, value); break;
    case DType::i8: store(element, static_cast<std::int8_t>(value)); break;
    case DType::u8: store(element, static_cast<std::uint8_t>(value)); break;
    case DType::boolean: store(element, static_cast<std::uint8_t>(value != 0)); break;
    case DType::f32: store(element, static_cast<float>(value)); break;
    case DType::f16:
    case DType::bf16: store_float(dtype, element, static_cast<double>(value)); break;
    default: refuse(dtype);
  }
}

std::int64_t saturating_int(DType dtype, double value) noexcept {
  const bool wide = dtype == DType(DType::i64);
  const std::int64_t least =
      wide ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int32_t>::min();
  const std::int64_t largest =
      wide ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int32_t>::max();
  if (std::isnan(value)) return 0;
  if (value >= static_cast<double>(largest)) return largest;
  if (value <= static_cast<double>(least)) return least;
  return static_cast<std::int64_t>(value);
}

}  // namespace tilefoundry
