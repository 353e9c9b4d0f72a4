#include "tilefoundry/runtime/abi_description.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "tilefoundry/runtime/element.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

using Json = nlohmann::json;
using Kind = AbiExtent::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 7> kOperations{
    {{"add", Kind::add},
     {"sub", Kind::sub},
     {"mul", Kind::mul},
     {"floordiv", Kind::floordiv},
     {"mod", Kind::mod},
     {"min", Kind::min},
     {"max", Kind::max}}};

// Reads the document of one library.
class Parser {
 public:
  explicit Parser(const std::string& where) : where_(where) {}

  AbiDescription parse(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object()) fail("it is no JSON object");
    if (json.value("schema", Json()) != "tilefoundry.abi") fail("'schema' is not tilefoundry.abi");
    const Json version = json.value("schema_version", Json());
    if (version != 1) {
      fail(fmt::format("its schema_version is {}, this loader knows 1", version.dump()));
    }
    AbiDescription abi;
    abi.entry = string(json, "entry");
    abi.symbol = string(json, "symbol");
    for (const auto& [name, range] : list(json, "dims", Json::value_t::object).items()) {
      abi.dims[name] = {integer(range, "lo"), integer(range, "hi")};
    }
    for (const Json& tensor : list(json, "inputs", Json::value_t::array)) {
      abi.inputs.push_back(parse_tensor(tensor, abi));
    }
    for (const Json& tensor : list(json, "outputs", Json::value_t::array)) {
      abi.outputs.push_back(parse_tensor(tensor, abi));
    }
    if (json.contains("cpu_features")) {
      for (const Json& feature : list(json, "cpu_features", Json::value_t::array)) {
        if (!feature.is_string()) fail("an entry of 'cpu_features' is no text");
        abi.cpu_features.push_back(feature.get<std::string>());
      }
    }
    return abi;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    Diagnostic diagnostic;
    diagnostic.code = "TF6103";
    diagnostic.message = fmt::format("the description of {} cannot be used: {}",
                                     python_string_literal(where_), what);
    diagnostic.hint = "build the library again with this version of TileFoundry";
    throw CallError(std::move(diagnostic));
  }

  const Json& member(const Json& object, const char* key) const {
    if (!object.is_object() || !object.contains(key)) fail(fmt::format("'{}' is missing", key));
    return object.at(key);
  }
  std::string string(const Json& object, const char* key) const {
    const Json& value = member(object, key);
    if (!value.is_string()) fail(fmt::format("'{}' is no text", key));
    return value.get<std::string>();
  }
  std::int64_t integer(const Json& object, const char* key) const {
    const Json& value = member(object, key);
    if (!value.is_number_integer()) fail(fmt::format("'{}' is no integer", key));
    return value.get<std::int64_t>();
  }
  const Json& list(const Json& object, const char* key, Json::value_t type) const {
    const Json& value = member(object, key);
    if (value.type() != type) {
      fail(fmt::format("'{}' is no {}", key, type == Json::value_t::array ? "list" : "object"));
    }
    return value;
  }

  AbiTensor parse_tensor(const Json& json, const AbiDescription& abi) const {
    AbiTensor tensor;
    tensor.name = string(json, "name");
    tensor.dtype = string(json, "dtype");
    if (find_element_format(tensor.dtype) == nullptr) fail("there is no dtype " + tensor.dtype);
    if (json.contains("storage")) tensor.storage = string(json, "storage");
    if (json.contains("constant")) {
      if (!json.at("constant").is_boolean()) fail("'constant' is neither true nor false");
      tensor.constant = json.at("constant").get<bool>();
    }
    for (const Json& extent : list(json, "shape", Json::value_t::array)) {
      tensor.shape.push_back(parse_extent(extent, abi));
    }
    return tensor;
  }

  AbiExtent parse_extent(const Json& json, const AbiDescription& abi) const {
    if (json.is_object()) return {string(json, "text"), parse_steps(member(json, "expr"), abi)};
    if (json.is_number_integer()) {
      return {std::to_string(json.get<std::int64_t>()), parse_steps(json, abi)};
    }
    if (json.is_string()) return {json.get<std::string>(), parse_steps(json, abi)};
    fail("an extent of 'shape' is neither an integer, a dimension nor an expression");
  }

  // Postfix order of a tree, with a work list: a node is pushed again below its operands.
  std::vector<AbiExtent::Step> parse_steps(const Json& root, const AbiDescription& abi) const {
    std::vector<AbiExtent::Step> steps;
    struct Work {
      const Json* json;
      std::optional<Kind> operation;  // the operands are done: emit this
    };
    std::vector<Work> work{{&root, std::nullopt}};
    while (!work.empty()) {
      const Work item = work.back();
      work.pop_back();
      if (item.operation) {
        steps.push_back({*item.operation, 0, ""});
      } else if (item.json->is_number_integer()) {
        steps.push_back({Kind::integer, item.json->get<std::int64_t>(), ""});
      } else if (item.json->is_string()) {
        const auto name = item.json->get<std::string>();
        if (!abi.dims.contains(name)) fail("the dimension " + name + " is not in 'dims'");
        steps.push_back({Kind::name, 0, name});
      } else if (item.json->is_array() && item.json->size() == 3 && item.json->at(0).is_string()) {
        work.push_back({nullptr, operation(item.json->at(0).get<std::string>())});
        work.push_back({&item.json->at(2), std::nullopt});
        work.push_back({&item.json->at(1), std::nullopt});
      } else {
        fail("an expression is neither an integer, a dimension nor [op, a, b]");
      }
    }
    return steps;
  }

  Kind operation(const std::string& name) const {
    for (const auto& [known, kind] : kOperations) {
      if (known == name) return kind;
    }
    fail("the operation " + python_string_literal(name) + " of an expression is unknown");
  }

  const std::string& where_;
};

[[noreturn]] void fail_to_evaluate(const std::string& text, const std::string& why) {
  Diagnostic diagnostic;
  diagnostic.code = "TF6105";
  diagnostic.message = fmt::format("the extent {} has no value: {}", text, why);
  diagnostic.hint = "call with other extents";
  throw CallError(std::move(diagnostic));
}

// Python's signs: the quotient rounds down, the remainder has the divisor's sign. False on
// overflow.
bool apply(Kind kind, std::int64_t a, std::int64_t b, std::int64_t* result) {
  switch (kind) {
    case Kind::add: return !__builtin_add_overflow(a, b, result);
    case Kind::sub: return !__builtin_sub_overflow(a, b, result);
    case Kind::mul: return !__builtin_mul_overflow(a, b, result);
    case Kind::min: *result = std::min(a, b); return true;
    case Kind::max: *result = std::max(a, b); return true;
    case Kind::floordiv:
      if (a == INT64_MIN && b == -1) return false;
      *result = a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
      return true;
    case Kind::mod:
      if (b == -1) {
        *result = 0;
        return true;
      }
      *result = a % b;
      if (*result != 0 && (*result < 0) != (b < 0)) *result += b;
      return true;
    case Kind::integer:
    case Kind::name: break;
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> AbiExtent::constant() const {
  if (steps_.size() == 1 && steps_[0].kind == Kind::integer) return steps_[0].value;
  return std::nullopt;
}

const std::string* AbiExtent::bare_name() const {
  return steps_.size() == 1 && steps_[0].kind == Kind::name ? &steps_[0].name : nullptr;
}

std::optional<std::int64_t> AbiExtent::evaluate(const DimensionValues& values) const {
  std::vector<std::int64_t> stack;
  for (const Step& step : steps_) {
    if (step.kind == Kind::integer) {
      stack.push_back(step.value);
      continue;
    }
    if (step.kind == Kind::name) {
      const auto it = values.find(step.name);
      if (it == values.end()) return std::nullopt;
      stack.push_back(it->second);
      continue;
    }
    const std::int64_t b = stack.back();
    stack.pop_back();
    const bool divides = step.kind == Kind::floordiv || step.kind == Kind::mod;
    if (divides && b == 0) fail_to_evaluate(text_, "it divides by zero");
    if (!apply(step.kind, stack.back(), b, &stack.back())) {
      fail_to_evaluate(text_, "it leaves the range of int64");
    }
  }
  return stack.back();
}

std::string AbiTensor::type_text() const {
  std::vector<std::string> extents;
  extents.reserve(shape.size());
  for (const AbiExtent& extent : shape) extents.push_back(extent.text());
  return fmt::format("Tensor[({}{}), \"{}\"]", join(extents, ", "), shape.size() == 1 ? "," : "",
                     dtype);
}

AbiDescription AbiDescription::parse(std::string_view json, const std::string& where) {
  return Parser(where).parse(json);
}

}  // namespace tilefoundry
