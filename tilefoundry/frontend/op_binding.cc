#include "tilefoundry/frontend/op_binding.h"

#include <algorithm>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "tilefoundry/support/text.h"
#include "tilefoundry/text/type_text.h"

namespace tilefoundry {
namespace {

// Which argument fills which input and which attribute.
struct Plan {
  std::vector<const CallArg*> inputs;  // in order of the operands
  std::vector<const CallArg*> attrs;   // per attribute; null: fixed or left out
  std::deque<CallArg> unpacked;        // items of a sequence that was given as the variadic input
};

const std::string& shown_name(const OpCandidate& candidate) {
  return candidate.alias != nullptr ? candidate.alias->name : candidate.cls->dsl_name();
}

const AttrValue* fixed_attr(const OpCandidate& candidate, const std::string& name) {
  if (candidate.alias == nullptr) return nullptr;
  for (const auto& [fixed, value] : candidate.alias->fixed) {
    if (fixed == name) return &value;
  }
  return nullptr;
}

std::string schema_hint(const OpCandidate& candidate) { return "it is " + call_schema(candidate); }

bool accepts(InputPattern pattern, const Value& value) {
  if (value.is_number() || value.is<Dim>()) return pattern != InputPattern::tuple;
  if (const auto* expr = value.as<ExprRef>()) {
    const TensorType* tensor = as_tensor((*expr)->type());
    switch (pattern) {
      case InputPattern::any: return true;
      case InputPattern::tensor: return tensor != nullptr;
      case InputPattern::scalar: return tensor != nullptr && tensor->rank() == 0;
      case InputPattern::tuple: return as_tuple((*expr)->type()) != nullptr;
    }
  }
  if (value.items() != nullptr) {
    return pattern == InputPattern::tuple || pattern == InputPattern::any;
  }
  return false;
}

std::string_view pattern_words(InputPattern pattern) {
  switch (pattern) {
    case InputPattern::any: return "a value";
    case InputPattern::tensor: return "a tensor";
    case InputPattern::tuple: return "a tuple";
    case InputPattern::scalar: return "a scalar";
  }
  return "a value";
}

// Fills a plan for one candidate; throws ParseError for the first thing that does not fit.
class Planner {
 public:
  Planner(const OpCandidate& candidate, const CallArgs& args)
      : candidate_(candidate), cls_(*candidate.cls), args_(args) {}

  void run(Plan& plan) {
    slots_.assign(cls_.inputs().size(), nullptr);
    plan.attrs.assign(cls_.attrs().size(), nullptr);
    place_positional(plan);
    for (const KeywordArg& keyword : args_.keywords) place_keyword(plan, keyword);
    collect_inputs(plan);
    check_attrs(plan);
  }

 private:
  std::size_t plain_inputs() const { return cls_.inputs().size() - (cls_.variadic() ? 1 : 0); }

  void place_positional(Plan& plan) {
    std::size_t next = 0;
    std::size_t at = 0;
    for (; at < args_.positional.size() && next < plain_inputs(); ++at) {
      const OpInput& input = cls_.inputs()[next];
      const CallArg& arg = args_.positional[at];
      const bool left_out = input.optional && arg.value.is<NoneValue>();
      if (input.optional && !left_out && !accepts(input.pattern, arg.value)) break;
      slots_[next++] = left_out ? nullptr : &arg;
    }
    if (cls_.variadic()) {
      place_variadic(plan, at);
      return;
    }
    std::size_t attr = 0;
    for (; at < args_.positional.size(); ++at) {
      while (attr < plan.attrs.size() && fixed_attr(candidate_, cls_.attrs()[attr].name)) ++attr;
      if (attr == plan.attrs.size()) {
        fail("TF2061", args_.positional[at].span,
             fmt::format("'{}' gets too many arguments", shown_name(candidate_)));
      }
      plan.attrs[attr++] = &args_.positional[at];
    }
  }

  // `f(a, b)` and `f((a, b))` are the same for an op that takes values only.
  void place_variadic(Plan& plan, std::size_t at) {
    const InputPattern pattern = cls_.inputs().back().pattern;
    const std::size_t count = args_.positional.size() - at;
    const std::vector<Value>* items = count == 1 ? args_.positional[at].value.items() : nullptr;
    if (items != nullptr && !accepts(pattern, args_.positional[at].value)) {
      for (const Value& item : *items) {
        plan.unpacked.push_back({item, args_.positional[at].span});
        variadic_.push_back(&plan.unpacked.back());
      }
      return;
    }
    for (; at < args_.positional.size(); ++at) variadic_.push_back(&args_.positional[at]);
  }

  void place_keyword(Plan& plan, const KeywordArg& keyword) {
    const CallArg** slot = nullptr;
    for (std::size_t i = 0; i < plain_inputs(); ++i) {
      if (cls_.inputs()[i].name == keyword.name) slot = &slots_[i];
    }
    const int attr = cls_.attr_index(keyword.name);
    if (slot == nullptr && attr >= 0) {
      if (fixed_attr(candidate_, std::string(keyword.name)) != nullptr) {
        fail("TF2064", keyword.name_span,
             fmt::format("the name '{}' decides '{}' already", shown_name(candidate_),
                         keyword.name));
      }
      slot = &plan.attrs[static_cast<std::size_t>(attr)];
    }
    if (slot == nullptr) {
      fail("TF2064", keyword.name_span,
           fmt::format("'{}' has no argument '{}'", shown_name(candidate_), keyword.name));
    }
    if (*slot != nullptr) {
      fail("TF2065", keyword.name_span,
           fmt::format("'{}' gets '{}' twice", shown_name(candidate_), keyword.name));
    }
    *slot = &keyword.arg;
  }

  void collect_inputs(Plan& plan) {
    const char* gap = nullptr;
    for (std::size_t i = 0; i < plain_inputs(); ++i) {
      const OpInput& input = cls_.inputs()[i];
      if (slots_[i] == nullptr) {
        if (!input.optional) lacks_input(input.name);
        gap = input.name.c_str();
        continue;
      }
      if (gap != nullptr) lacks_input(gap);
      check_input(input.name, input.pattern, *slots_[i]);
      plan.inputs.push_back(slots_[i]);
    }
    if (!cls_.variadic()) return;
    if (gap != nullptr && !variadic_.empty()) lacks_input(gap);
    const OpInput& rest = cls_.inputs().back();
    for (const CallArg* arg : variadic_) {
      check_input(rest.name, rest.pattern, *arg);
      plan.inputs.push_back(arg);
    }
    if (plan.inputs.size() < cls_.least_arity()) lacks_input(rest.name);
  }

  void check_input(const std::string& name, InputPattern pattern, const CallArg& arg) const {
    if (accepts(pattern, arg.value)) return;
    fail("TF2063", arg.span,
         fmt::format("'{}' of '{}' is {}, not {}", name, shown_name(candidate_),
                     pattern_words(pattern), describe(arg.value)));
  }

  void check_attrs(const Plan& plan) const {
    for (std::size_t i = 0; i < plan.attrs.size(); ++i) {
      const OpAttr& attr = cls_.attrs()[i];
      if (plan.attrs[i] != nullptr || !attr.required || fixed_attr(candidate_, attr.name)) continue;
      fail("TF2066", args_.span,
           fmt::format("'{}' lacks its attribute '{}'", shown_name(candidate_), attr.name));
    }
  }

  [[noreturn]] void lacks_input(const std::string& name) const {
    fail("TF2060", args_.span,
         fmt::format("'{}' lacks its operand '{}'", shown_name(candidate_), name));
  }

  [[noreturn]] void fail(const char* code, const Span& place, std::string message) const {
    refuse(code, place, std::move(message), schema_hint(candidate_));
  }

  const OpCandidate& candidate_;
  const OpClass& cls_;
  const CallArgs& args_;
  std::vector<const CallArg*> slots_;
  std::vector<const CallArg*> variadic_;
};

ExprRef tuple_operand(const CallArg& arg) {
  std::vector<ExprRef> elements;
  std::vector<TypeRef> types;
  for (const Value& item : *arg.value.items()) {
    const auto* expr = item.as<ExprRef>();
    elements.push_back(expr != nullptr ? *expr : index_operand({item, arg.span}));
    types.push_back(elements.back()->type());
  }
  return Tuple::make(std::move(elements), TupleType::make(std::move(types)), {"", arg.span});
}

std::vector<ExprRef> make_operands(const OpClass& cls, const Plan& plan) {
  std::vector<ExprRef> operands;
  std::vector<std::size_t> numbers;
  operands.reserve(plan.inputs.size());
  const std::size_t first_variadic = cls.inputs().size() - (cls.variadic() ? 1 : 0);
  const bool indices = cls.variadic() && cls.inputs().back().pattern == InputPattern::scalar;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const CallArg& arg = *plan.inputs[i];
    // A scalar operand of a value op is a place or a count: its numbers are dimensions.
    const bool place = cls.dialect() == Dialect::tf && i < first_variadic &&
                       cls.inputs()[i].pattern == InputPattern::scalar;
    if (arg.value.is<Dim>() || place || (indices && i >= first_variadic)) {
      operands.push_back(index_operand(arg));
    } else if (const auto* expr = arg.value.as<ExprRef>()) {
      operands.push_back(*expr);
    } else if (arg.value.items() != nullptr) {
      operands.push_back(tuple_operand(arg));
    } else {
      numbers.push_back(i);
      operands.push_back(nullptr);
    }
  }
  if (numbers.empty()) return operands;
  std::vector<ExprRef> partners = operands;
  if (indices) partners.resize(std::min(first_variadic, partners.size()));
  for (const std::size_t i : numbers) {
    const CallArg& arg = *plan.inputs[i];
    operands[i] = constant_of_number(arg, partner_dtype(arg, partners));
  }
  return operands;
}

BoundOp finish(const OpCandidate& candidate, const Plan& plan) {
  const OpClass& cls = *candidate.cls;
  std::vector<AttrValue> values;
  values.reserve(plan.attrs.size());
  for (std::size_t i = 0; i < plan.attrs.size(); ++i) {
    const OpAttr& attr = cls.attrs()[i];
    if (plan.attrs[i] != nullptr) {
      values.push_back(attr_of_value(shown_name(candidate), attr, *plan.attrs[i]));
    } else if (const AttrValue* fixed = fixed_attr(candidate, attr.name)) {
      values.push_back(*fixed);
    } else {
      values.push_back(attr.fallback);
    }
  }
  std::vector<ExprRef> operands = make_operands(cls, plan);
  return {cls.make(std::move(values)), std::move(operands)};
}

}  // namespace

std::string call_schema(const OpCandidate& candidate) {
  std::vector<std::string> parts;
  for (const OpInput& input : candidate.cls->inputs()) {
    parts.push_back(input.variadic ? "*" + input.name
                                   : input.name + (input.optional ? "=None" : ""));
  }
  for (const OpAttr& attr : candidate.cls->attrs()) {
    if (fixed_attr(candidate, attr.name) != nullptr) continue;
    parts.push_back(attr.required ? attr.name : attr.name + "=" + attr_text(attr.fallback));
  }
  return fmt::format("{}({})", shown_name(candidate), join(parts, ", "));
}

BoundOp bind_op(const OpGroup& group, const CallArgs& args) {
  if (group.candidates.size() == 1) {
    Plan plan;
    Planner(group.candidates[0], args).run(plan);
    return finish(group.candidates[0], plan);
  }
  std::vector<DiagnosticNote> reasons;
  for (const OpCandidate& candidate : group.candidates) {
    Plan plan;
    try {
      Planner(candidate, args).run(plan);
    } catch (const ParseError& error) {
      reasons.push_back({fmt::format("{}: {}", call_schema(candidate), error.diagnostic().message),
                         error.diagnostic().span});
      continue;
    }
    return finish(candidate, plan);
  }
  throw ParseError(
      Diagnostic{.code = "TF2067",
                 .message = fmt::format("no form of '{}' takes these arguments", group.name),
                 .span = args.span,
                 .notes = std::move(reasons),
                 .hint = ""});
}

OpRef make_op_with(const OpClass& cls, const std::vector<KeywordArg>& attributes) {
  std::vector<AttrValue> values;
  for (const OpAttr& attr : cls.attrs()) {
    const auto it = std::find_if(attributes.begin(), attributes.end(),
                                 [&](const KeywordArg& given) { return given.name == attr.name; });
    values.push_back(it == attributes.end() ? attr.fallback
                                            : attr_of_value(cls.dsl_name(), attr, it->arg));
  }
  return cls.make(std::move(values));
}

}  // namespace tilefoundry
