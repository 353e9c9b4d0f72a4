// What the running CPU can do, and the compiler flags that use it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilefoundry {

// A set of features, closed under what each one implies, in a fixed order. Names are the
// compiler's: avx, avx2, fma, f16c, bmi2, avxvnni, avx512f, avx512bw, avx512dq, avx512vl,
// avx512vnni, avx512bf16, avx512fp16, amx-tile, amx-bf16, amx-int8.
class CpuFeatures {
 public:
  CpuFeatures() = default;
  // ValueError TF5010 for an unknown name.
  explicit CpuFeatures(const std::vector<std::string>& names);

  // The running CPU, found once. AMX counts only when the system grants it and tile instructions
  // were seen to run in a child process.
  static const CpuFeatures& native();
  // "native", "none" (or ""), or names joined by ','. ValueError TF5010.
  static CpuFeatures parse(std::string_view text);

  bool has(std::string_view name) const noexcept;
  const std::vector<std::string>& names() const noexcept { return names_; }
  // Names joined by ',', "none" for the empty set: the form for keys and options.
  std::string text() const;
  // "-mavx2" ...
  std::vector<std::string> flags() const;
  // Those of this set that `other` lacks.
  std::vector<std::string> missing_from(const CpuFeatures& other) const;

 private:
  std::vector<std::string> names_;
};

// Whether the running CPU's vdpbf16ps is worth its name: AMD's runs at the rate of an f32
// multiply-add, Intel's (which has AMX instead) at a quarter of it.
bool fast_bf16_pairs() noexcept;

// Asks the system for AMX tile data in this process (Linux arch_prctl); code built with amx-* must
// not run before. True when granted. Idempotent.
bool request_amx_permission() noexcept;

}  // namespace tilefoundry
