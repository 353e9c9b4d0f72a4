#include "tilefoundry/ops/reshape.h"

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/views.h"

namespace tilefoundry {

const OpClass& Reshape::op_class() {
  static const OpClass& cls = OpClassBuilder<Reshape>("Reshape", Dialect::tf, "shape")
                                  .summary("The same elements under another shape.")
                                  .input("x")
                                  .attr<&Reshape::new_shape>("new_shape")
                                  .build();
  return cls;
}

namespace {

// The shape asked for, with -1 replaced.
Shape resolved_shape(const Reshape& op, const Shape& source, const Fail& fail) {
  const Dim total = dim_product(source);
  Dim known = 1;
  std::size_t inferred = op.new_shape.size();
  for (std::size_t i = 0; i < op.new_shape.size(); ++i) {
    const Dim& extent = op.new_shape[i];
    if (extent.is(-1)) {
      if (inferred != op.new_shape.size()) {
        fail(fmt::format("new_shape {} has -1 twice", shape_text(op.new_shape)),
             "at most one extent can be inferred");
      }
      inferred = i;
      continue;
    }
    if (extent.is_static() && extent.value() < 0) {
      fail(fmt::format("new_shape {} has the negative extent {}", shape_text(op.new_shape),
                       extent.value()),
           "only -1 stands for an extent to infer");
    }
    known = known * extent;
  }
  Shape shape = op.new_shape;
  if (inferred != shape.size()) {
    if (known.is(0)) {
      fail(fmt::format("the -1 of new_shape {} cannot be inferred: the other extents have no "
                       "elements",
                       shape_text(op.new_shape)),
           "write the extent");
    }
    shape[inferred] = floordiv(total, known);
    known = known * shape[inferred];
  }
  if (!(known == total)) {
    fail(fmt::format("x of shape {} has {} elements, new_shape {} has {}", shape_text(source),
                     total.text(), shape_text(op.new_shape), known.text()),
         "element counts must be equal, symbolically too");
  }
  return shape;
}

// Index expressions of one tensor's axes for a run of axes of the other that holds the same
// elements: the row-major number in the run, taken apart again.
class RunIndex {
 public:
  RunIndex(const Shape& source, const Shape& result) : source_(source), result_(result) {}

  // An index into the source per axis, over the iteration variables of the result.
  Shape take() {
    while (s_ < source_.size() || r_ < result_.size()) match_run();
    return std::move(index_);
  }

 private:
  // Advances over the shortest run of axes on each side with one element count.
  void match_run() {
    const std::size_t source_first = s_;
    const std::size_t result_first = r_;
    Dim source_count = s_ < source_.size() ? source_[s_++] : Dim(1);
    Dim result_count = r_ < result_.size() ? result_[r_++] : Dim(1);
    while (!(source_count == result_count)) {
      const bool extend_source =
          r_ == result_.size() || (s_ < source_.size() && smaller(source_count, result_count));
      if (extend_source && s_ == source_.size()) break;
      if (extend_source) {
        source_count = source_count * source_[s_++];
      } else {
        result_count = result_count * result_[r_++];
      }
    }
    emit_run(source_first, result_first);
  }

  static bool smaller(const Dim& a, const Dim& b) {
    if (a.is_static() && b.is_static()) return a.value() < b.value();
    if (a.is(0) || b.is(0)) return !a.is(0);
    return mod(b, a).is(0) || !mod(a, b).is(0);
  }

  void emit_run(std::size_t source_first, std::size_t result_first) {
    Dim number = 0;
    for (std::size_t i = result_first; i < r_; ++i) {
      number = number * result_[i] + (result_[i].is(1) ? Dim(0) : iter(i));
    }
    Dim step = 1;
    for (std::size_t i = source_first; i < s_; ++i) step = step * source_[i];
    const bool empty = step.is(0);
    bool outermost = true;
    for (std::size_t i = source_first; i < s_; ++i) {
      if (source_[i].is(1) || empty) {
        index_.push_back(0);
        continue;
      }
      step = floordiv(step, source_[i]);
      const Dim quotient = floordiv(number, step);
      index_.push_back(outermost ? quotient : mod(quotient, source_[i]));
      outermost = false;
    }
  }

  const Shape& source_;
  const Shape& result_;
  std::size_t s_ = 0;
  std::size_t r_ = 0;
  Shape index_;
};

AccessRelationResult relation(const Call& call, const Reshape& op,
                              const std::vector<TypeRef>& types, TypeInferContext& ctx) {
  const Shape& source = tensor_types(call, types, ctx)[0]->shape();
  Shape extents = resolved_shape(op, source, fail_at(ctx, call));
  Shape index = RunIndex(source, extents).take();
  const std::size_t rank = extents.size();
  return {std::move(extents),
          {BoundaryAccess::of(std::move(index)), BoundaryAccess::of(iteration_variables(rank))}};
}

TypeRef infer(const Call& call, const Reshape&, TypeInferContext& ctx) {
  const TensorType& x = operand_type(call, 0, ctx);
  Shape shape = result_shape(call, ctx);
  LayoutRef layout;
  if (x.layout() && shape == x.shape()) {
    layout = x.layout();
  } else {
    refuse_sharded(call, x, "x", ctx);
    if (x.layout() && is_c_contiguous(x)) layout = Layout::make(shape, c_order_strides(shape));
  }
  return TensorType::make(std::move(shape), x.dtype(), std::move(layout), x.storage());
}

HostValue evaluate_reshape(const Call& call, const Reshape& op, const std::vector<HostValue>& args,
                           EvaluateContext& ctx) {
  const HostTensor& x = args[0].tensor();
  Extents shape;
  std::int64_t known = 1;
  std::int64_t* inferred = nullptr;
  shape.reserve(op.new_shape.size());
  for (const Dim& extent : op.new_shape) {
    shape.push_back(ctx.extent(extent));
    if (shape.back() == -1) {
      inferred = &shape.back();
    } else {
      known *= shape.back();
    }
  }
  if (inferred != nullptr) *inferred = known == 0 ? 0 : x.numel() / known;
  if (host_numel(shape) != x.numel()) {
    ctx.error(call, fmt::format("{} elements do not fit the shape ({})", x.numel(),
                                fmt::join(shape, ", ")));
  }
  return x.reshaped(std::move(shape));
}

VarRef lower(LoweringContext& ctx, const Reshape&, const Call& call) {
  VarRef source = ctx.lower(call.args()[0]);
  if (!is_c_contiguous(*as_tensor(source->type()))) {
    source = bind_copy(ctx, source, source->name());
  }
  ExprRef view = tensor_view(source, {}, as_tensor(call.type())->shape());
  const VarRef result = ctx.fresh(view->type(), call.name());
  ctx.emit_bind(result, std::move(view));
  return result;
}

}  // namespace

void register_reshape() {
  register_op_class(Reshape::op_class());
  register_typeinfer<Reshape>(infer);
  register_type_relation<Reshape>(relation);
  register_access_relation<Reshape>([](const Call& call, const Reshape&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<Reshape>(
      [](const Call& call, const Reshape&, CostContext&) { return view_cost(call); });
  register_evaluator<Reshape>(evaluate_reshape);
  register_hir_lowering<Reshape>(lower);
}

}  // namespace tilefoundry
