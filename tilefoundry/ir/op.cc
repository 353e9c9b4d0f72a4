#include "tilefoundry/ir/op.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <shared_mutex>

#include <fmt/format.h>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {

int OpClass::attr_index(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < attrs_.size(); ++i) {
    if (attrs_[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

OpRef OpClass::make(std::vector<AttrValue> values) const { return make_(*this, values); }

std::size_t OpClass::least_arity() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(inputs_.begin(), inputs_.end(),
                    [](const OpInput& input) { return !input.optional && !input.variadic; }));
}

std::string OpClass::input_name(std::size_t argument) const {
  if (argument < inputs_.size() && !inputs_[argument].variadic) return inputs_[argument].name;
  if (!variadic()) return fmt::format("argument {}", argument);
  return fmt::format("{}[{}]", inputs_.back().name, argument - (inputs_.size() - 1));
}

OpClassBuilderBase::OpClassBuilderBase(std::string name, Dialect dialect, std::string category)
    : class_(new OpClass(std::move(name))) {
  class_->dialect_ = dialect;
  class_->category_ = std::move(category);
}

const OpClass& OpClassBuilderBase::finish() {
  if (class_->dsl_name_.empty()) class_->dsl_name_ = snake_case(class_->name());
  // Kept reachable for good: keys of registries outlive every owner.
  static std::mutex mutex;
  static auto* classes = new std::vector<std::unique_ptr<OpClass>>();
  const std::lock_guard<std::mutex> lock(mutex);
  return *classes->emplace_back(std::move(class_));
}

AttrValue Op::attr(std::string_view name) const {
  const int index = op_class().attr_index(name);
  TF_CHECK(index >= 0, fmt::format("{} has no attribute {}", op_class().name(), name));
  return attr(static_cast<std::size_t>(index));
}

bool op_equal(const Op& a, const Op& b) {
  if (&a == &b) return true;
  if (&a.op_class() != &b.op_class()) return false;
  for (std::size_t i = 0; i < a.op_class().attrs().size(); ++i) {
    if (!attr_equal(a.attr(i), b.attr(i))) return false;
  }
  return true;
}

const OpAlias* matching_alias(const Op& op) {
  for (const OpAlias& alias : op.op_class().aliases()) {
    const bool fits = std::all_of(alias.fixed.begin(), alias.fixed.end(), [&](const auto& fixed) {
      return attr_equal(op.attr(fixed.first), fixed.second);
    });
    if (fits && !alias.fixed.empty()) return &alias;
  }
  return nullptr;
}

const OpClass& DynamicOpClassBuilder::build() {
  set_make([](const OpClass& cls, std::vector<AttrValue>& values) {
    return OpRef(new DynamicOp(cls, std::move(values)));
  });
  return finish();
}

namespace {

class OpTable {
 public:
  static OpTable& instance() {
    static auto* table = new OpTable();
    return *table;
  }

  void add(const OpClass& cls) {
    const std::unique_lock lock(mutex_);
    for (const OpClass* other : classes_) {
      if (other->dialect() == cls.dialect() && other->name() == cls.name() &&
          other->category() == cls.category()) {
        throw RegistryError(Diagnostic{.code = "TF9002",
                                       .message = fmt::format("an op {}.{} is registered already",
                                                              cls.category(), cls.name())});
      }
    }
    classes_.push_back(&cls);
  }

  std::vector<const OpClass*> all() const {
    const std::shared_lock lock(mutex_);
    return classes_;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::vector<const OpClass*> classes_;
};

}  // namespace

void register_op_class(const OpClass& cls) { OpTable::instance().add(cls); }

std::vector<const OpClass*> registered_op_classes() { return OpTable::instance().all(); }

std::vector<OpCandidate> find_ops(Dialect dialect, std::string_view dsl_name) {
  std::vector<OpCandidate> aliases;
  std::vector<OpCandidate> schemas;
  for (const OpClass* cls : OpTable::instance().all()) {
    if (cls->dialect() != dialect) continue;
    for (const OpAlias& alias : cls->aliases()) {
      if (alias.name == dsl_name) aliases.push_back({cls, &alias});
    }
    if (cls->dsl_name() == dsl_name) schemas.push_back({cls, nullptr});
  }
  aliases.insert(aliases.end(), schemas.begin(), schemas.end());
  return aliases;
}

std::vector<std::string> op_names(Dialect dialect) {
  std::set<std::string> names;
  for (const OpClass* cls : OpTable::instance().all()) {
    if (cls->dialect() != dialect) continue;
    names.insert(cls->dsl_name());
    for (const OpAlias& alias : cls->aliases()) names.insert(alias.name);
  }
  return {names.begin(), names.end()};
}

const OpClass* find_op_class(Dialect dialect, std::string_view class_name) {
  for (const OpClass* cls : OpTable::instance().all()) {
    if (cls->dialect() == dialect && cls->name() == class_name) return cls;
  }
  return nullptr;
}

}  // namespace tilefoundry
