#include "tilefoundry/passes/loop_nest.h"

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

ExprRef ScalarBuilder::bind(ExprRef value, const char* hint) {
  VarRef var = Var::make(hint, value->type());
  block_.push_back(BlockItem::let(var, std::move(value)));
  return var;
}

ExprRef ScalarBuilder::binary(BinaryKind kind, ExprRef lhs, ExprRef rhs) {
  return bind(scalar_binary(kind, std::move(lhs), std::move(rhs)), "v");
}

ExprRef ScalarBuilder::unary(UnaryKind kind, ExprRef x) {
  return bind(scalar_unary(kind, std::move(x)), "v");
}

ExprRef ScalarBuilder::cast(DType dtype, ExprRef x) {
  if (as_tensor(x->type())->dtype() == dtype) return x;
  return bind(scalar_cast(dtype, std::move(x)), "v");
}

ExprRef ScalarBuilder::select(ExprRef condition, ExprRef if_true, ExprRef if_false) {
  return bind(tilefoundry::select(std::move(condition), std::move(if_true), std::move(if_false)),
              "v");
}

ExprRef ScalarBuilder::load(const VarRef& tensor, const Shape& index) {
  return bind(tilefoundry::load(tensor, index), tensor->name().c_str());
}

ExprRef ScalarBuilder::constant(DType dtype, double value) {
  return Constant::make(scalar_type(dtype), Constant::scalar(dtype, value)->bytes());
}

void ScalarBuilder::store(const VarRef& tensor, ExprRef value, const Shape& index) {
  block_.push_back(BlockItem::of(tilefoundry::store(tensor, std::move(value), index)));
}

std::string loop_name(std::size_t depth) {
  static constexpr const char* kNames[] = {"i", "j", "k", "l"};
  return depth < 4 ? kNames[depth] : "i" + std::to_string(depth);
}

StmtRef make_nest(const Shape& extents, const std::function<Block(const Shape& iters)>& body,
                  std::size_t first_depth) {
  std::vector<VarRef> vars;
  Shape iters;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    vars.push_back(extents[d].is(1) ? nullptr : loop_var(loop_name(first_depth + d)));
    iters.push_back(vars.back() ? vars.back()->dim() : Dim(0));
  }
  StmtRef stmt = make_block(body(iters));
  for (std::size_t d = extents.size(); d-- > 0;) {
    if (vars[d]) stmt = For::make(vars[d], 0, extents[d], 1, std::move(stmt));
  }
  return stmt;
}

namespace {

Shape at_iters(const Shape& index, const Shape& iters) {
  Shape out;
  for (const Dim& dim : index) {
    out.push_back(substitute(dim, [&](const Ref<const DimNode>& node) {
      const int k = iter_index(*node);
      return k < 0 ? Dim(node) : iters[static_cast<std::size_t>(k)];
    }));
  }
  return out;
}

// A rank-0 operand that needs no buffer: a constant or a dimension.
ExprRef in_place(const ExprRef& arg) {
  if (const auto* constant = expr_cast<Constant>(arg)) {
    if (constant->tensor_type().rank() == 0) {
      return Constant::make(scalar_type(constant->tensor_type().dtype()), constant->bytes());
    }
  }
  return nullptr;
}

}  // namespace

VarRef lower_pointwise(LoweringContext& ctx, const Call& call, const ScalarBody& body) {
  TypeInferContext types;
  std::vector<TypeRef> input_types;
  for (const ExprRef& arg : call.args()) input_types.push_back(arg->type());
  const auto relation = build_relation(call, input_types, types);
  TF_CHECK(relation.has_value(), "a pointwise op has no forward relation");
  const std::vector<BoundaryAccess>& accesses = relation->accesses();

  std::vector<ExprRef> constants;
  std::vector<VarRef> buffers;
  for (const ExprRef& arg : call.args()) {
    constants.push_back(in_place(arg));
    buffers.push_back(constants.back() ? nullptr : ctx.lower(arg));
  }
  const VarRef result = ctx.alloc(call.type(), call.name());
  ctx.emit(make_nest(relation->extents(), [&](const Shape& iters) {
    ScalarBuilder builder;
    std::vector<ExprRef> operands;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      operands.push_back(constants[i]
                             ? constants[i]
                             : builder.load(buffers[i], at_iters(accesses[i].index, iters)));
    }
    ExprRef value = body(builder, operands);
    builder.store(result, std::move(value), at_iters(accesses.back().index, iters));
    return builder.take();
  }));
  return result;
}

AnalysisRegistry& tile_expansion_registry() {
  static auto* registry = new AnalysisRegistry("tile_expansion", RegistryKeys::ops);
  return *registry;
}

AnalysisRegistry& hir_lowering_registry() {
  static auto* registry = new AnalysisRegistry("hir_lowering", RegistryKeys::ops);
  return *registry;
}

}  // namespace tilefoundry
