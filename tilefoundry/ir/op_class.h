// Op descriptors: the schema of an op, from which printing, parsing, equality, hashing and stubs
// are derived.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tilefoundry/ir/attr.h"
#include "tilefoundry/ir/node_class.h"

namespace tilefoundry {

class Op;

// `tf`: value ops of HIR. `T`: the ops of TIR.
enum class Dialect { tf, T };

// What an input accepts; overload resolution matches on it.
enum class InputPattern { any, tensor, tuple, scalar };

struct OpInput {
  std::string name;
  InputPattern pattern = InputPattern::tensor;
  bool optional = false;
  bool variadic = false;  // only the last input
};

struct OpAttr {
  std::string name;
  AttrKind kind;
  bool required;
  bool optional;       // None is a value
  AttrValue fallback;  // the default when not required
  std::vector<std::string> choices;
};

// A second name of an op with some attributes fixed: `add` is Binary(kind="add").
struct OpAlias {
  std::string name;
  std::vector<std::pair<std::string, AttrValue>> fixed;
};

class OpClass : public NodeClass {
 public:
  Dialect dialect() const noexcept { return dialect_; }
  // "math", "memory", "scalar"...
  const std::string& category() const noexcept { return category_; }
  // The name in the language, "matmul".
  const std::string& dsl_name() const noexcept { return dsl_name_; }
  // One line for the catalogue.
  const std::string& summary() const noexcept { return summary_; }
  const std::vector<OpInput>& inputs() const noexcept { return inputs_; }
  const std::vector<OpAttr>& attrs() const noexcept { return attrs_; }
  const std::vector<OpAlias>& aliases() const noexcept { return aliases_; }
  // An op in statement position: no result, writes its destination inputs.
  bool is_effect() const noexcept { return effect_; }
  // The Python module that provides the op; empty for built-in ops.
  const std::string& provider() const noexcept { return provider_; }

  // Index of an attribute, or -1.
  int attr_index(std::string_view name) const noexcept;
  // Number of arguments a call may have.
  std::size_t least_arity() const noexcept;
  bool variadic() const noexcept { return !inputs_.empty() && inputs_.back().variadic; }
  // The declared name of an argument: "lhs", "tensors[2]".
  std::string input_name(std::size_t argument) const;

  // `values` has one value of the right kind per attribute.
  Ref<const Op> make(std::vector<AttrValue> values) const;

  // Columns of the completeness table that this op lacks on purpose, with the reason.
  const std::vector<std::pair<std::string, std::string>>& exemptions() const noexcept {
    return exemptions_;
  }

 protected:
  friend class OpClassBuilderBase;
  explicit OpClass(std::string name) : NodeClass(NodeClassKind::op, std::move(name)) {}

 private:
  Dialect dialect_ = Dialect::tf;
  std::string category_;
  std::string dsl_name_;
  std::string summary_;
  std::vector<OpInput> inputs_;
  std::vector<OpAttr> attrs_;
  std::vector<OpAlias> aliases_;
  bool effect_ = false;
  std::string provider_;
  std::vector<std::pair<std::string, std::string>> exemptions_;
  std::function<Ref<const Op>(const OpClass&, std::vector<AttrValue>&)> make_;
};

// Common part of the builders; see `OpClassBuilder<T>` (op.h) for ops that are C++ structs and
// `DynamicOpClassBuilder` for ops defined at run time.
class OpClassBuilderBase {
 protected:
  OpClassBuilderBase(std::string name, Dialect dialect, std::string category);
  OpClass& cls() noexcept { return *class_; }
  void set_make(std::function<Ref<const Op>(const OpClass&, std::vector<AttrValue>&)> make) {
    class_->make_ = std::move(make);
  }
  std::vector<OpAttr>& attrs() noexcept { return class_->attrs_; }
  std::vector<OpInput>& inputs() noexcept { return class_->inputs_; }
  std::vector<OpAlias>& aliases() noexcept { return class_->aliases_; }
  void set_dsl_name(std::string name) { class_->dsl_name_ = std::move(name); }
  void set_summary(std::string text) { class_->summary_ = std::move(text); }
  void set_effect() { class_->effect_ = true; }
  void set_provider(std::string provider) { class_->provider_ = std::move(provider); }
  void add_exemption(std::string column, std::string reason) {
    class_->exemptions_.emplace_back(std::move(column), std::move(reason));
  }
  // Descriptors live for the whole process.
  const OpClass& finish();

 private:
  std::unique_ptr<OpClass> class_;
};

// All registered op classes, in registration order.
// Registration is safe while other threads compile; a second class of one dialect and qualified
// name throws RegistryError (TF9002).
void register_op_class(const OpClass& cls);
std::vector<const OpClass*> registered_op_classes();

// Candidates for a DSL name: aliases first, then schemas, in registration order.
struct OpCandidate {
  const OpClass* cls;
  const OpAlias* alias;  // null for the schema's own name
};
std::vector<OpCandidate> find_ops(Dialect dialect, std::string_view dsl_name);
// Every DSL name of a dialect, sorted.
std::vector<std::string> op_names(Dialect dialect);
// By class name ("MatMul"); null on a miss.
const OpClass* find_op_class(Dialect dialect, std::string_view class_name);

}  // namespace tilefoundry
