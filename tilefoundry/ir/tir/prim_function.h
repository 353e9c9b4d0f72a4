// TIR functions: effects on parameters; outputs are the trailing parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilefoundry/ir/target.h"
#include "tilefoundry/ir/tir/stmt.h"

namespace tilefoundry {

// A parameter that no program writes: the extent of a visible parameter's axis,
// `<param>_shape_<axis>`, a rank-0 i32 that callers and hosts supply behind the visible ones.
struct HiddenShape {
  VarRef var;
  VarRef param;
  std::size_t axis = 0;
};

class PrimFunction final : public Callable {
 public:
  // `target` null: the module's. Throws ValueError (TF3041) when there are more outputs than
  // parameters.
  static Ref<const PrimFunction> make(std::string name, std::vector<VarRef> params, StmtRef body,
                                      std::size_t output_count, TargetRef target = nullptr,
                                      Metadata meta = {});
  static const FunctionClass& function_class();

  const std::string& name() const noexcept { return name_; }
  // The visible ones.
  const std::vector<VarRef>& params() const noexcept { return params_; }
  // One for each extent that the body reads by a ShapeOf of a parameter, in order of first use.
  const std::vector<HiddenShape>& hidden_shapes() const;
  // What a call of this function passes, visible parameters and then hidden ones.
  std::vector<VarRef> all_params() const;
  const StmtRef& body() const noexcept { return body_; }
  std::size_t output_count() const noexcept { return output_count_; }
  std::size_t input_count() const noexcept { return params_.size() - output_count_; }
  const TargetRef& target() const noexcept { return target_; }
  const Metadata& meta() const noexcept { return meta_; }
  // Unit return, the parameters' types.
  Ref<const CallableType> callable_type() const;

  Ref<const PrimFunction> with_body(StmtRef body) const;
  Ref<const PrimFunction> with_target(TargetRef target) const;

 private:
  PrimFunction() : Callable(function_class()) {}
  std::string name_;
  std::vector<VarRef> params_;
  StmtRef body_;
  std::size_t output_count_ = 0;
  TargetRef target_;
  Metadata meta_;
  mutable std::optional<std::vector<HiddenShape>> hidden_;  // found at the first question
};
using PrimFunctionRef = Ref<const PrimFunction>;

}  // namespace tilefoundry
