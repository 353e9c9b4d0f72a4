// HIR functions: parameters and one result expression, or a prototype with its variants.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tilefoundry/ir/expr.h"
#include "tilefoundry/ir/pattern.h"

namespace tilefoundry {

class Function final : public Callable {
 public:
  // `return_type` null means the body's type. A null body makes a prototype.
  static Ref<const Function> make(std::string name, std::vector<VarRef> params, ExprRef body,
                                  TypeRef return_type = nullptr, Metadata meta = {},
                                  Ref<const Function> origin = nullptr);
  // A variant of `base`: its name and return type, told from the others by `specializations`.
  // `label` is the authored identifier, for display only. Not attached: see `add_variant`.
  static Ref<const Function> make_variant(const Function& base, std::vector<VarRef> params,
                                          ExprRef body, std::vector<PatternRef> specializations,
                                          std::string label = "", Metadata meta = {});
  static const FunctionClass& function_class();

  const std::string& name() const noexcept { return name_; }
  const std::vector<VarRef>& params() const noexcept { return params_; }
  const ExprRef& body() const noexcept { return body_; }
  const TypeRef& return_type() const noexcept { return return_type_; }
  const Metadata& meta() const noexcept { return meta_; }
  // The function that this one elaborates or specializes, or null. Takes no part in equality.
  const Ref<const Function>& origin() const noexcept { return origin_; }
  // The extents that a specialization bound, by dimension. Take no part in equality.
  const std::map<std::string, std::int64_t>& bound_dims() const noexcept { return bound_dims_; }
  // Parameters that are not weights.
  std::vector<VarRef> inputs() const;
  // The body, or the bodies of the variants: what a walk over the function starts from.
  std::vector<ExprRef> bodies() const;

  bool is_prototype() const noexcept { return !body_; }
  bool is_variant() const noexcept { return !specializations_.empty(); }
  // Of a prototype, in the order in which they were given.
  const std::vector<Ref<const Function>>& variants() const noexcept { return variants_; }
  const std::vector<PatternRef>& specializations() const noexcept { return specializations_; }
  const std::string& label() const noexcept { return label_; }

  // Attaches a variant to this prototype. Throws VerifyError at `place` (its own span when null):
  // a sealed base (TF3420), a range that is empty (TF3421), over no extent of a parameter (TF3422),
  // outside the envelope (TF3423) or overlapping an earlier one (TF3424), another signature
  // (TF3425), a body that calls this prototype (TF3426).
  void add_variant(Ref<const Function> variant, const Span& place = {}) const;
  // A prototype that entered a Module takes no more variants.
  bool sealed() const noexcept { return sealed_; }
  void seal() const noexcept { sealed_ = true; }

  Ref<const Function> with_body(ExprRef body) const;
  // A prototype with other variants, which were checked when they were first attached; not sealed.
  Ref<const Function> with_variants(std::vector<Ref<const Function>> variants) const;
  // A function of its own, no variant, that `origin` is at these extents.
  static Ref<const Function> make_specialized(const Ref<const Function>& origin,
                                              std::vector<VarRef> params, ExprRef body,
                                              std::map<std::string, std::int64_t> dims);
  // The same function with other parameters, body and callees; keeps what makes it a variant.
  Ref<const Function> copy(std::vector<VarRef> params, ExprRef body, TypeRef return_type,
                           Ref<const Function> origin) const;

 private:
  Function() : Callable(function_class()) {}
  std::string name_;
  std::vector<VarRef> params_;
  ExprRef body_;
  TypeRef return_type_;
  Metadata meta_;
  Ref<const Function> origin_;
  std::vector<PatternRef> specializations_;
  std::string label_;
  std::map<std::string, std::int64_t> bound_dims_;
  // The only state that changes, while a program is put together.
  mutable std::vector<Ref<const Function>> variants_;
  mutable bool sealed_ = false;
};
using FunctionRef = Ref<const Function>;

}  // namespace tilefoundry
