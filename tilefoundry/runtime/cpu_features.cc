#include "tilefoundry/runtime/cpu_features.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace tilefoundry {
namespace {

struct Feature {
  std::string_view name;
  std::string_view implies;  // one name; its own implications follow
};
// In an order in which each comes after what it implies.
constexpr std::array<Feature, 16> kFeatures{{{"avx", ""},
                                             {"avx2", "avx"},
                                             {"fma", "avx"},
                                             {"f16c", "avx"},
                                             {"bmi2", ""},
                                             {"avxvnni", "avx2"},
                                             {"avx512f", "avx2"},
                                             {"avx512bw", "avx512f"},
                                             {"avx512dq", "avx512f"},
                                             {"avx512vl", "avx512f"},
                                             {"avx512vnni", "avx512f"},
                                             {"avx512bf16", "avx512bw"},
                                             {"avx512fp16", "avx512bw"},
                                             {"amx-tile", ""},
                                             {"amx-bf16", "amx-tile"},
                                             {"amx-int8", "amx-tile"}}};

const Feature* find_feature(std::string_view name) {
  for (const Feature& feature : kFeatures) {
    if (feature.name == name) return &feature;
  }
  return nullptr;
}

#if defined(__x86_64__)

struct Leaf {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Leaf cpuid(unsigned leaf, unsigned sub) {
  Leaf value;
  if (__get_cpuid_count(leaf, sub, &value.a, &value.b, &value.c, &value.d) == 0) return {};
  return value;
}

std::uint64_t enabled_states() {
  unsigned low = 0;
  unsigned high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

#ifdef __linux__

// Loads a tile configuration and clears a tile; as bytes, which need no flags of the compiler.
void run_tile_instructions() {
  alignas(64) std::uint8_t config[64] = {};
  config[0] = 1;  // palette
  for (int tile = 0; tile < 3; ++tile) {
    config[16 + 2 * tile] = 64;  // bytes a row
    config[48 + tile] = 16;      // rows
  }
  asm volatile(
      ".byte 0xc4, 0xe2, 0x78, 0x49, 0x00\n\t"  // ldtilecfg (%rax)
      ".byte 0xc4, 0xe2, 0x7b, 0x49, 0xc0\n\t"  // tilezero tmm0
      ".byte 0xc4, 0xe2, 0x78, 0x49, 0xc0"      // tilerelease
      :
      : "a"(config)
      : "memory");
}

bool tile_instructions_run() {
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    run_tile_instructions();
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif

std::vector<std::string> detect() {
  std::vector<std::string> names;
  const auto add = [&](bool present, const char* name) {
    if (present) names.emplace_back(name);
  };
  const Leaf one = cpuid(1, 0);
  const bool saves = (one.c >> 27 & 1) != 0;
  const std::uint64_t states = saves ? enabled_states() : 0;
  const bool ymm = (states & 0x6) == 0x6;
  const bool zmm = ymm && (states & 0xe0) == 0xe0;
  const bool tiles = (states & 0x60000) == 0x60000;
  const Leaf seven = cpuid(7, 0);
  const Leaf seven_one = seven.a >= 1 ? cpuid(7, 1) : Leaf{};
  const auto bit = [](unsigned word, int index) { return (word >> index & 1) != 0; };
  add(bit(seven.b, 8), "bmi2");
  if (ymm && bit(one.c, 28)) {
    names.emplace_back("avx");
    add(bit(one.c, 12), "fma");
    add(bit(one.c, 29), "f16c");
    const bool avx2 = bit(seven.b, 5);
    add(avx2, "avx2");
    add(avx2 && bit(seven_one.a, 4), "avxvnni");
    if (avx2 && zmm && bit(seven.b, 16)) {
      names.emplace_back("avx512f");
      const bool bytes = bit(seven.b, 30);
      add(bytes, "avx512bw");
      add(bit(seven.b, 17), "avx512dq");
      add(bit(seven.b, 31), "avx512vl");
      add(bit(seven.c, 11), "avx512vnni");
      add(bytes && bit(seven_one.a, 5), "avx512bf16");
      add(bytes && bit(seven.d, 23), "avx512fp16");
    }
  }
#ifdef __linux__
  if (tiles && bit(seven.d, 24) && request_amx_permission() && tile_instructions_run()) {
    names.emplace_back("amx-tile");
    add(bit(seven.d, 22), "amx-bf16");
    add(bit(seven.d, 25), "amx-int8");
  }
#else
  static_cast<void>(tiles);
#endif
  return names;
}

#else

std::vector<std::string> detect() { return {}; }

#endif

}  // namespace

CpuFeatures::CpuFeatures(const std::vector<std::string>& names) {
  std::array<bool, kFeatures.size()> present{};
  for (const std::string& name : names) {
    const Feature* feature = find_feature(name);
    if (feature == nullptr) {
      std::vector<std::string> known;
      for (const Feature& candidate : kFeatures) known.emplace_back(candidate.name);
      Diagnostic diagnostic;
      diagnostic.code = "TF5010";
      diagnostic.message = fmt::format("there is no CPU feature {}", python_string_literal(name));
      diagnostic.hint = "write native, none, or some of " + join(known, ",");
      throw ValueError(std::move(diagnostic));
    }
    for (; feature != nullptr; feature = find_feature(feature->implies)) {
      present[static_cast<std::size_t>(feature - kFeatures.data())] = true;
    }
  }
  for (std::size_t i = 0; i < kFeatures.size(); ++i) {
    if (present[i]) names_.emplace_back(kFeatures[i].name);
  }
}

const CpuFeatures& CpuFeatures::native() {
  static const CpuFeatures features(detect());
  return features;
}

CpuFeatures CpuFeatures::parse(std::string_view text) {
  if (text == "native") return native();
  if (text.empty() || text == "none") return {};
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    names.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return CpuFeatures(names);
}

bool CpuFeatures::has(std::string_view name) const noexcept {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

std::string CpuFeatures::text() const { return names_.empty() ? "none" : join(names_, ","); }

std::vector<std::string> CpuFeatures::flags() const {
  std::vector<std::string> flags;
  flags.reserve(names_.size());
  for (const std::string& name : names_) flags.push_back("-m" + name);
  return flags;
}

std::vector<std::string> CpuFeatures::missing_from(const CpuFeatures& other) const {
  std::vector<std::string> missing;
  for (const std::string& name : names_) {
    if (!other.has(name)) missing.push_back(name);
  }
  return missing;
}

bool fast_bf16_pairs() noexcept {
#if defined(__x86_64__)
  const Leaf vendor = cpuid(0, 0);
  constexpr unsigned kAuth = 0x68747541;  // the first letters of "AuthenticAMD"
  return vendor.b == kAuth;
#else
  return false;
#endif
}

bool request_amx_permission() noexcept {
#if defined(__linux__) && defined(__x86_64__)
  constexpr int kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;               // XFEATURE_XTILEDATA
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

}  // namespace tilefoundry
