#include "tilefoundry/ops/transpose.h"

#include <algorithm>

#include <fmt/format.h>

#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/views.h"
#include "tilefoundry/passes/core_lowering.h"
#include "tilefoundry/passes/loop_nest.h"

namespace tilefoundry {

const OpClass& Transpose::op_class() {
  static const OpClass& cls = OpClassBuilder<Transpose>("Transpose", Dialect::tf, "shape")
                                  .summary("The axes of x in another order.")
                                  .input("x")
                                  .attr<&Transpose::perm>("perm")
                                  .build();
  return cls;
}

namespace {

// The permutation with every axis in [0, rank).
std::vector<std::size_t> permutation(const Transpose& op, std::size_t rank, const Fail& fail) {
  if (op.perm.size() != rank) {
    fail(fmt::format("perm has {} entries for a value of rank {}", op.perm.size(), rank),
         "name every axis exactly once");
  }
  std::vector<std::size_t> perm;
  for (const std::int64_t axis : op.perm) {
    perm.push_back(normalize_axis(axis, rank, fail));
    if (std::count(perm.begin(), perm.end(), perm.back()) == 1) continue;
    fail(fmt::format("perm names axis {} twice", perm.back()), "name every axis exactly once");
  }
  return perm;
}

AccessRelationResult relation(const Call& call, const Transpose& op,
                              const std::vector<TypeRef>& types, TypeInferContext& ctx) {
  const TensorType& x = *tensor_types(call, types, ctx)[0];
  const std::vector<std::size_t> perm = permutation(op, x.rank(), fail_at(ctx, call));
  Shape extents;
  Shape index(x.rank(), Dim(0));
  for (std::size_t k = 0; k < perm.size(); ++k) {
    extents.push_back(x.shape()[perm[k]]);
    index[perm[k]] = iter(k);
  }
  const std::size_t rank = x.rank();
  return {std::move(extents),
          {BoundaryAccess::of(std::move(index)), BoundaryAccess::of(iteration_variables(rank))}};
}

LayoutRef permuted_plain(const Layout& layout, const std::vector<std::size_t>& perm) {
  const Shape strides = layout.strides()->flatten();
  Shape new_shape;
  Shape new_strides;
  for (const std::size_t axis : perm) {
    new_shape.push_back(layout.domain()[axis]);
    new_strides.push_back(strides[axis]);
  }
  return Layout::make(new_shape, new_strides);
}

// The layout with its axes permuted alike; null when it has no axis per axis of the value.
LayoutRef permuted(const LayoutRef& layout, const std::vector<std::size_t>& perm) {
  if (layout->domain().size() != perm.size()) return nullptr;
  if (layout->kind() == LayoutKind::plain) {
    const auto& plain = static_cast<const Layout&>(*layout);
    return plain.strides() != nullptr ? permuted_plain(plain, perm) : nullptr;
  }
  if (layout->kind() != LayoutKind::shard) return nullptr;
  const auto& shard = static_cast<const ShardLayout&>(*layout);
  LayoutRef inner = permuted(shard.layout(), perm);
  if (!inner) return nullptr;
  std::vector<ShardAttr> attrs = shard.attrs();
  for (ShardAttr& attr : attrs) {
    if (attr.kind != ShardKind::split) continue;
    const auto it = std::find(perm.begin(), perm.end(), static_cast<std::size_t>(attr.axis));
    attr.axis = static_cast<int>(it - perm.begin());
  }
  return ShardLayout::make(std::move(inner), std::move(attrs), shard.mesh());
}

TypeRef infer(const Call& call, const Transpose& op, TypeInferContext& ctx) {
  const TensorType& x = operand_type(call, 0, ctx);
  const std::vector<std::size_t> perm = permutation(op, x.rank(), fail_at(ctx, call));
  LayoutRef layout;
  if (x.layout()) {
    layout = permuted(x.layout(), perm);
    if (!layout && x.layout()->kind() == LayoutKind::shard) {
      ctx.error(call, "x is sharded over a layout whose axes are not those of x",
                "reshard x to a layout with one position per axis first");
    }
  }
  return TensorType::make(result_shape(call, ctx), x.dtype(), std::move(layout), x.storage());
}

HostValue evaluate_transpose(const Call& call, const Transpose& op,
                             const std::vector<HostValue>& args, EvaluateContext& ctx) {
  const HostTensor& x = args[0].tensor();
  const std::vector<std::size_t> perm = permutation(
      op, x.shape().size(),
      [&](const std::string& message, const std::string&) { ctx.error(call, message); });
  const Extents strides = host_strides(x.shape());
  Extents shape;
  for (const std::size_t axis : perm) shape.push_back(x.shape()[axis]);
  HostTensor result(x.dtype(), shape);
  Extents at(shape.size(), 0);
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    std::int64_t source = 0;
    for (std::size_t k = 0; k < at.size(); ++k) source += at[k] * strides[perm[k]];
    copy_elements(x, source, result, i, 1);
    next_coordinate(at, shape);
  }
  return result;
}

// A view where all that reads it takes any strides, as matrix products do as long as one of the
// last two axes is contiguous; else a copy.
VarRef lower(LoweringContext& ctx, const Transpose& op, const Call& call) {
  const VarRef source = ctx.lower(call.args()[0]);
  const TensorType& x = *as_tensor(source->type());
  const std::vector<std::size_t> perm = permutation(op, x.rank(), [](const auto&, const auto&) {});
  const std::optional<Shape> strides = buffer_strides(x);
  Shape shape;
  Shape turned;
  for (const std::size_t axis : perm) {
    shape.push_back(x.shape()[axis]);
    turned.push_back(strides ? (*strides)[axis] : Dim(0));
  }
  const std::size_t rank = perm.size();
  const bool near = rank >= 2 && (turned[rank - 1].is(1) || turned[rank - 2].is(1));
  if (near && core_lowering(ctx).read_strided(call)) {
    ExprRef view = tensor_view(source, {}, shape, Layout::make(shape, turned));
    const VarRef result = ctx.fresh(view->type(), call.name());
    ctx.emit_bind(result, std::move(view));
    return result;
  }
  return lower_pointwise(
      ctx, call, [](ScalarBuilder&, const std::vector<ExprRef>& operands) { return operands[0]; });
}

}  // namespace

void register_transpose() {
  register_op_class(Transpose::op_class());
  register_typeinfer<Transpose>(infer);
  register_type_relation<Transpose>(relation);
  register_access_relation<Transpose>(
      [](const Call& call, const Transpose&, TypeInferContext& ctx) {
        return relation_boundaries(call, ctx);
      });
  register_cost_evaluator<Transpose>([](const Call& call, const Transpose&, CostContext& ctx) {
    return pointwise_cost(call, ctx, 0, operand_dtype(call, 0, ctx));
  });
  register_evaluator<Transpose>(evaluate_transpose);
  register_hir_lowering<Transpose>(lower);
  register_strided_use<Transpose>(StridedUse::passes_on);
}

}  // namespace tilefoundry
