// Element types (design 2.1): a closed set of immutable descriptors.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tilefoundry {

enum class DTypeFamily { floating, low_precision, integer, storage_integer, boolean };

class DType {
 public:
  enum Code : std::uint8_t {
    f32,
    f16,
    bf16,
    fp8e4m3,
    f8e8m0,
    f4e2m1,
    i32,
    i64,
    boolean,
    i8,
    u8,
    i4,
    u4
  };
  static constexpr int kCount = 13;

  constexpr DType() noexcept = default;
  constexpr DType(Code code) noexcept : code_(code) {}  // NOLINT(google-explicit-constructor)
  // Throws ValueError (TF3020) naming the valid set.
  static DType from_name(std::string_view name);
  static const std::vector<std::string>& names();

  constexpr Code code() const noexcept { return code_; }
  std::string_view name() const noexcept;
  DTypeFamily family() const noexcept;
  int bits() const noexcept;

  // f32, f16, bf16: arithmetic is defined on them.
  bool is_float() const noexcept { return family() == DTypeFamily::floating; }
  // i32, i64.
  bool is_integer() const noexcept { return family() == DTypeFamily::integer; }
  bool is_bool() const noexcept { return family() == DTypeFamily::boolean; }

  friend constexpr bool operator==(DType a, DType b) noexcept { return a.code_ == b.code_; }
  friend constexpr auto operator<=>(DType a, DType b) noexcept { return a.code_ <=> b.code_; }

 private:
  Code code_ = f32;
};

}  // namespace tilefoundry

template <>
struct std::hash<tilefoundry::DType> {
  std::size_t operator()(tilefoundry::DType dtype) const noexcept { return dtype.code(); }
};
