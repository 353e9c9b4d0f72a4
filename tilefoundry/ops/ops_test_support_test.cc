#include "tilefoundry/ops/ops_test_support.h"

#include <cmath>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ops/binary.h"
#include "tilefoundry/ops/cast.h"
#include "tilefoundry/ops/require.h"
#include "tilefoundry/ops/unary.h"
#include "tilefoundry/ops/where.h"
#include "tilefoundry/passes/loop_nest.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

TensorTypeRef tensor_type(Shape shape, DType dtype, StorageKind storage) {
  return TensorType::make(std::move(shape), dtype, nullptr, storage);
}

namespace {

std::vector<ExprRef> parameters(const std::vector<TypeRef>& types) {
  std::vector<ExprRef> args;
  for (std::size_t i = 0; i < types.size(); ++i) {
    args.push_back(Var::make(std::string(1, static_cast<char>('a' + i)), types[i]));
  }
  return args;
}

std::vector<TypeRef> types_of(const std::vector<HostTensor>& inputs) {
  std::vector<TypeRef> types;
  for (const HostTensor& input : inputs) {
    types.push_back(tensor_type(Shape(input.shape().begin(), input.shape().end()), input.dtype()));
  }
  return types;
}

}  // namespace

CallRef typed_call(const OpRef& op, const std::vector<TypeRef>& types) {
  TypeInferContext ctx;
  return make_call(ctx, op, parameters(types));
}

CallRef untyped_call(const OpRef& op, const std::vector<TypeRef>& types) {
  return Call::make(op, parameters(types));
}

TensorTypeRef result_type(const OpRef& op, const std::vector<TypeRef>& types) {
  return TensorTypeRef(as_tensor(typed_call(op, types)->type()));
}

std::string refusal(const OpRef& op, const std::vector<TypeRef>& types) {
  try {
    typed_call(op, types);
  } catch (const VerifyError& error) {
    return error.diagnostic().message + " | " + error.diagnostic().hint;
  }
  return "";
}

AccessRelationResult relation_of(const OpRef& op, const std::vector<TypeRef>& types) {
  TypeInferContext ctx;
  return build_relation(*untyped_call(op, types), types, ctx).value();
}

Cost cost_of(const OpRef& op, const std::vector<TypeRef>& types) {
  CostContext ctx;
  return CostEvaluator(ctx).visit(typed_call(op, types));
}

HostTensor float_tensor(DType dtype, std::vector<std::int64_t> shape, std::vector<double> values) {
  HostTensor out(dtype, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.set_float(static_cast<std::int64_t>(i), values[i]);
  }
  return out;
}

HostTensor int_tensor(DType dtype, std::vector<std::int64_t> shape,
                      std::vector<std::int64_t> values) {
  HostTensor out(dtype, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.set_int(static_cast<std::int64_t>(i), values[i]);
  }
  return out;
}

HostTensor test_tensor(DType dtype, std::vector<std::int64_t> shape, unsigned seed) {
  HostTensor out(dtype, std::move(shape));
  std::uint32_t state = seed * 2654435761U + 12345U;
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    state = state * 1664525U + 1013904223U;
    const auto draw = static_cast<std::int64_t>(state >> 8);
    if (dtype.is_float()) {
      out.set_float(i, static_cast<double>(draw % 8001 - 4000) / 1000.0);
    } else if (dtype.is_bool()) {
      out.set_int(i, draw % 2);
    } else {
      out.set_int(i, draw % 19 - 9);
    }
  }
  return out;
}

std::vector<double> floats_of(const HostTensor& tensor) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) out.push_back(tensor.float_at(i));
  return out;
}

std::vector<std::int64_t> ints_of(const HostTensor& tensor) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) out.push_back(tensor.int_at(i));
  return out;
}

HostTensor evaluated(const OpRef& op, const std::vector<HostTensor>& inputs) {
  const CallRef call = typed_call(op, types_of(inputs));
  std::vector<VarRef> params;
  for (const ExprRef& arg : call->args()) params.push_back(static_ref_cast<Var>(arg));
  return evaluate(nullptr, *Function::make("f", params, call), inputs).tensor();
}

namespace {

// Interprets scalar code. Scalars are rank-0 host tensors.
class ScalarMachine {
 public:
  ScalarMachine(std::map<const Var*, HostTensor>& buffers, std::map<std::string, std::int64_t> dims)
      : buffers_(buffers), ctx_(nullptr) {
    ctx_.dims = std::move(dims);
  }

  void run(const StmtRef& stmt) {
    for (const BlockItem& item : block_items(stmt)) {
      if (item.is_let()) {
        bind(*item.var, item.value);
      } else if (const auto* branch = stmt_cast<If>(item.stmt)) {
        if (value(branch->cond()).int_at(0) != 0) run(branch->then_body());
      } else if (const auto* abort = stmt_cast<Abort>(item.stmt)) {
        throw CallError(Diagnostic{.code = "TF0000", .message = abort->message()});
      } else if (const auto* loop = stmt_cast<For>(item.stmt)) {
        run_loop(*loop);
      } else if (const auto* repeat = stmt_cast<While>(item.stmt)) {
        while (value(repeat->cond()).int_at(0) != 0) run(repeat->body());
      } else {
        const auto* evaluate = stmt_cast<Evaluate>(item.stmt);
        TF_CHECK(evaluate != nullptr, "statement of an unknown kind");
        run_effect(*evaluate);
      }
    }
  }

 private:
  // Where the elements of a view lie in its root buffer.
  struct View {
    const Var* root;
    std::int64_t offset;
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> shape;
  };

  View view_of(const Var* buffer) const {
    const auto it = views_.find(buffer);
    if (it != views_.end()) return it->second;
    const std::vector<std::int64_t>& shape = buffers_.at(buffer).shape();
    return {buffer, 0, host_strides(shape), shape};
  }

  void bind(const Var& var, const ExprRef& expr) {
    const auto* call = expr_cast<Call>(expr);
    if (call == nullptr || call->op<TensorView>() == nullptr) {
      const HostTensor bound = value(expr);
      // An integer scalar is a dimension as well.
      if (bound.shape().empty() && bound.dtype().is_integer()) {
        ctx_.dims[fmt::format("%{}", var.dim_serial())] = bound.int_at(0);
      }
      buffers_.insert_or_assign(&var, bound);
      return;
    }
    View view = view_of(expr_cast<Var>(call->args()[0]));
    const std::vector<std::int64_t> starts = ctx_.extents(index_dims(call->args(), 1));
    for (std::size_t i = 0; i < starts.size(); ++i) view.offset += starts[i] * view.strides[i];
    const TensorType& type = *as_tensor(call->type());
    view.shape = ctx_.extents(type.shape());
    view.strides = host_strides(view.shape);
    if (type.layout()) {
      const auto& layout = static_cast<const Layout&>(*type.layout());
      view.strides = ctx_.extents(layout.strides()->flatten());
    }
    views_.insert_or_assign(&var, view);
    HostTensor copy(type.dtype(), view.shape);
    std::vector<std::int64_t> at(view.shape.size(), 0);
    for (std::int64_t i = 0; i < copy.numel(); ++i) {
      copy_element(buffers_.at(view.root), offset(view, at), copy, i);
      next_coordinate(at, view.shape);
    }
    buffers_.insert_or_assign(&var, copy);
  }

  std::int64_t offset(const View& view, const std::vector<std::int64_t>& coordinate) const {
    std::int64_t at = view.offset;
    for (std::size_t axis = 0; axis < coordinate.size(); ++axis) {
      TF_CHECK(coordinate[axis] >= 0 && coordinate[axis] < view.shape[axis],
               "an access out of bounds");
      at += coordinate[axis] * view.strides[axis];
    }
    TF_CHECK(at >= 0 && at < buffers_.at(view.root).numel(), "an access out of bounds");
    return at;
  }

  void run_copy(const Evaluate& evaluate) {
    buffers_.at(expr_cast<Var>(evaluate.args()[1])) =
        buffers_.at(expr_cast<Var>(evaluate.args()[0]));
  }

  void run_loop(const For& loop) {
    const std::string name = fmt::format("%{}", loop.var()->dim_serial());
    const std::int64_t stop = ctx_.extent(loop.stop());
    for (std::int64_t i = ctx_.extent(loop.start()); i < stop; i += ctx_.extent(loop.step())) {
      ctx_.dims[name] = i;
      run(loop.body());
    }
  }

  void run_effect(const Evaluate& evaluate) {
    if (evaluate.op<Copy>() != nullptr) return run_copy(evaluate);
    if (const auto* check = evaluate.op<Require>()) {
      if (value(evaluate.args()[0]).int_at(0) != 0) return;
      std::vector<std::int64_t> values;
      for (std::size_t i = 1; i < evaluate.args().size(); ++i) {
        values.push_back(value(evaluate.args()[i]).int_at(0));
      }
      throw CallError(
          Diagnostic{.code = "TF0000", .message = require_text(check->message, values)});
    }
    if (evaluate.op<Store>() == nullptr) {
      const auto* expansion =
          tile_expansion_registry().find<TileExpansionFn>(evaluate.callable()->op_class());
      TF_CHECK(expansion != nullptr, "a tile op without an expansion");
      return run((*expansion)(evaluate));
    }
    const Var* target = expr_cast<Var>(evaluate.args()[0]);
    HostTensor& buffer = buffers_.at(target);
    const HostTensor stored = value(evaluate.args()[1]);
    TF_CHECK(stored.dtype() == buffer.dtype(), "a store of another dtype");
    copy_element(stored, 0, buffer, position(target, evaluate.args(), 2));
  }

  static void copy_element(const HostTensor& from, std::int64_t i, HostTensor& to,
                           std::int64_t at) {
    const auto size = static_cast<std::int64_t>(element_size(to.dtype()));
    std::copy_n(from.data() + i * size, size, to.mutable_data() + at * size);
  }

  std::int64_t position(const Var* buffer, const std::vector<ExprRef>& args, std::size_t first) {
    const View view = view_of(buffer);
    const Shape index = index_dims(args, first);
    TF_CHECK(index.size() == view.shape.size(), "an access of another rank");
    return offset(view, ctx_.extents(index));
  }

  HostTensor value(const ExprRef& expr) {
    if (const auto* var = expr_cast<Var>(expr)) return buffers_.at(var);
    if (const auto* constant = expr_cast<Constant>(expr)) {
      return {constant->tensor_type().dtype(), {}, constant->bytes()};
    }
    if (const auto* dim = expr_cast<DimValue>(expr)) {
      return int_tensor(DType::i64, {}, {ctx_.extent(dim->dim())});
    }
    const Call& call = *expr_cast<Call>(expr);
    if (call.op<AllocTensor>() != nullptr) return ctx_.zeros_like(call.type());
    if (call.op<Load>() != nullptr) {
      const Var* tensor = expr_cast<Var>(call.args()[0]);
      const HostTensor& buffer = buffers_.at(view_of(tensor).root);
      HostTensor scalar(buffer.dtype(), {});
      copy_element(buffer, position(tensor, call.args(), 1), scalar, 0);
      return scalar;
    }
    std::vector<HostTensor> operands;
    for (const ExprRef& arg : call.args()) operands.push_back(value(arg));
    if (const auto* op = call.op<ScalarBinary>()) {
      return evaluated(make_op(Binary{.kind = op->kind}), operands);
    }
    if (const auto* op = call.op<ScalarUnary>()) {
      return evaluated(make_op(Unary{.kind = op->kind}), operands);
    }
    if (const auto* op = call.op<ScalarCast>()) {
      return evaluated(make_op(Cast{.dtype = op->dtype}), operands);
    }
    TF_CHECK(call.op<Select>() != nullptr, "an unknown scalar op");
    return operands[0].int_at(0) != 0 ? operands[1] : operands[2];
  }

  std::map<const Var*, HostTensor>& buffers_;
  std::map<const Var*, View> views_;
  EvaluateContext ctx_;
};

// Lowers one call whose arguments are parameters.
class OneCallLowering final : public LoweringContext {
 public:
  VarRef lower(const ExprRef& expr) override { return static_ref_cast<Var>(expr); }
  VarRef fresh(const TypeRef& type, const std::string& hint) override {
    return Var::make(hint, type);
  }
  VarRef alloc(const TypeRef& type, const std::string& hint) override {
    VarRef var = fresh(type, hint);
    emit_bind(var, alloc_tensor(TensorTypeRef(as_tensor(type))));
    return var;
  }
  void emit(StmtRef stmt) override { block.push_back(BlockItem::of(std::move(stmt))); }
  void emit_bind(VarRef var, ExprRef value) override {
    block.push_back(BlockItem::let(std::move(var), std::move(value)));
  }
  Block block;
};

}  // namespace

void run_statements(const StmtRef& stmt, std::map<const Var*, HostTensor>& buffers,
                    const std::map<std::string, std::int64_t>& dims) {
  ScalarMachine(buffers, dims).run(stmt);
}

HostTensor lowered(const OpRef& op, const std::vector<HostTensor>& inputs,
                   std::vector<TypeRef> types) {
  if (types.empty()) types = types_of(inputs);
  const CallRef call = typed_call(op, types);
  std::map<const Var*, HostTensor> buffers;
  std::map<std::string, std::int64_t> dims;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    buffers.emplace(expr_cast<Var>(call->args()[i]), inputs[i]);
    const Shape& shape = as_tensor(types[i])->shape();
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis].is_static()) continue;
      const DimVar* var = shape[axis].node()->as_var();
      if (var != nullptr) dims[var->name] = inputs[i].shape()[axis];
    }
  }
  OneCallLowering ctx;
  const auto* handler = hir_lowering_registry().find<HirLoweringFn>(op->op_class());
  TF_CHECK(handler != nullptr, "the op has no lowering");
  const VarRef result = (*handler)(ctx, *op, *call);
  run_statements(make_block(ctx.block), buffers, dims);
  return buffers.at(result.get());
}

TEST(OpsTestSupport, an_access_out_of_bounds_is_found) {
  const VarRef x = Var::make("x", tensor_type({2}, DType::f32));
  std::map<const Var*, HostTensor> buffers{{x.get(), HostTensor(DType::f32, {2})}};
  EXPECT_THROW(run_statements(store(x, Constant::scalar(DType::f32, 1), {Dim(2)}), buffers, {}),
               InternalError);
}

}  // namespace tilefoundry
