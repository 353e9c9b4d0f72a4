// The JSON of `tf_abi`, parsed: see abi.h for its form.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilefoundry {

// Extents of dimensions by name.
using DimensionValues = std::map<std::string, std::int64_t>;

// An extent: a tree over integers and names, kept as postfix code so that its evaluation needs no
// recursion.
class AbiExtent {
 public:
  enum class Kind { integer, name, add, sub, mul, floordiv, mod, min, max };
  struct Step {
    Kind kind;
    std::int64_t value = 0;  // integer
    std::string name;        // name
  };

  AbiExtent(std::string text, std::vector<Step> steps)
      : text_(std::move(text)), steps_(std::move(steps)) {}

  const std::string& text() const noexcept { return text_; }
  const std::vector<Step>& steps() const noexcept { return steps_; }
  std::optional<std::int64_t> constant() const;
  // The name when the extent is a bare dimension.
  const std::string* bare_name() const;
  // nullopt when a name has no value. CallError TF6105 for division by zero or int64 overflow.
  std::optional<std::int64_t> evaluate(const DimensionValues& values) const;

 private:
  std::string text_;
  std::vector<Step> steps_;
};

struct AbiTensor {
  std::string name;
  std::string dtype;
  std::vector<AbiExtent> shape;
  std::string storage = "gmem";
  bool constant = false;
  // "Tensor[(4, S), \"f32\"]".
  std::string type_text() const;
};

struct AbiRange {
  std::int64_t lo = 0;
  std::int64_t hi = 0;  // exclusive
};

struct AbiDescription {
  std::string entry;
  std::string symbol;
  std::vector<AbiTensor> inputs;
  std::vector<AbiTensor> outputs;
  std::map<std::string, AbiRange> dims;
  std::vector<std::string> cpu_features;

  // CallError TF6103 says what is wrong with the text; `where` names the library.
  static AbiDescription parse(std::string_view json, const std::string& where);
};

}  // namespace tilefoundry
