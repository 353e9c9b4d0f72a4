#include "tilefoundry/types/dtype.h"

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

struct Facts {
  std::string_view name;
  DTypeFamily family;
  int bits;
};

// In the order of DType::Code.
constexpr std::array<Facts, DType::kCount> kFacts = {{
    {"f32", DTypeFamily::floating, 32},
    {"f16", DTypeFamily::floating, 16},
    {"bf16", DTypeFamily::floating, 16},
    {"fp8e4m3", DTypeFamily::low_precision, 8},
    {"f8e8m0", DTypeFamily::low_precision, 8},
    {"f4e2m1", DTypeFamily::low_precision, 4},
    {"i32", DTypeFamily::integer, 32},
    {"i64", DTypeFamily::integer, 64},
    {"bool", DTypeFamily::boolean, 1},
    {"i8", DTypeFamily::storage_integer, 8},
    {"u8", DTypeFamily::storage_integer, 8},
    {"i4", DTypeFamily::storage_integer, 4},
    {"u4", DTypeFamily::storage_integer, 4},
}};

}  // namespace

const std::vector<std::string>& DType::names() {
  static const std::vector<std::string> list = [] {
    std::vector<std::string> out;
    for (const Facts& facts : kFacts) out.emplace_back(facts.name);
    return out;
  }();
  return list;
}

DType DType::from_name(std::string_view name) {
  for (std::size_t i = 0; i < kFacts.size(); ++i) {
    if (kFacts[i].name == name) return DType(static_cast<Code>(i));
  }
  const std::string close = closest_match(name, names());
  throw ValueError(Diagnostic{
      .code = "TF3020",
      .message = fmt::format("unknown dtype \"{}\"", name),
      .hint = fmt::format("{}the dtypes are {}",
                          close.empty() ? "" : fmt::format("did you mean \"{}\"? ", close),
                          join(names(), ", "))});
}

std::string_view DType::name() const noexcept { return kFacts[code_].name; }
DTypeFamily DType::family() const noexcept { return kFacts[code_].family; }
int DType::bits() const noexcept { return kFacts[code_].bits; }

}  // namespace tilefoundry
