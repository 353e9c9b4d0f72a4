#include "tilefoundry/ops/rope.h"

#include <algorithm>

#include <fmt/format.h>

#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/ops/common.h"
#include "tilefoundry/ops/host_loops.h"
#include "tilefoundry/ops/require.h"
#include "tilefoundry/ops/views.h"
#include "tilefoundry/passes/core_lowering.h"
#include "tilefoundry/passes/loop_nest.h"

namespace tilefoundry {

const OpClass& RoPE::op_class() {
  static const OpClass& cls = OpClassBuilder<RoPE>("RoPE", Dialect::tf, "nn")
                                  .dsl("rope")
                                  .summary("Rotary position embedding of q and k, as a tuple.")
                                  .input("q")
                                  .input("k")
                                  .input("cos_cache")
                                  .input("sin_cache")
                                  .input("pos_ids")
                                  .build();
  return cls;
}

namespace {

constexpr std::size_t kCos = 2;
constexpr std::size_t kSin = 3;
constexpr std::size_t kPositions = 4;
constexpr std::size_t kFields = 2;

void check_dtypes(const std::vector<const TensorType*>& types, const Fail& fail) {
  const DType dtype = types[0]->dtype();
  if (!dtype.is_float()) {
    fail(fmt::format("rope is not defined on {}, the dtype of q", dtype.name()),
         cast_hint("q", DType::f32));
  }
  if (types[1]->dtype() != dtype) {
    fail(fmt::format("q has dtype {} and k has dtype {}; they must have one dtype", dtype.name(),
                     types[1]->dtype().name()),
         cast_hint("k", dtype));
  }
  for (const std::size_t i : {kCos, kSin}) {
    if (types[i]->dtype() == dtype || types[i]->dtype() == DType(DType::f32)) continue;
    const char* name = i == kCos ? "cos_cache" : "sin_cache";
    fail(fmt::format("{} has dtype {}, wanted {}", name, types[i]->dtype().name(),
                     dtype_or_f32(dtype)),
         cast_hint(name, dtype));
  }
  if (!types[kPositions]->dtype().is_integer()) {
    fail(fmt::format("pos_ids has dtype {}, wanted i32 or i64", types[kPositions]->dtype().name()),
         cast_hint("pos_ids", DType::i32));
  }
}

// Everything of a shape but its last two axes.
Shape leading(const Shape& shape) { return {shape.begin(), shape.end() - 2}; }

void check_shapes(const std::vector<const TensorType*>& types, const Fail& fail) {
  const Shape& q = types[0]->shape();
  const Shape& k = types[1]->shape();
  for (const Shape* shape : {&q, &k}) {
    if (shape->size() >= 3) continue;
    fail(fmt::format("{} has shape {}, wanted (..., positions, heads, width)",
                     shape == &q ? "q" : "k", shape_text(*shape)),
         "reshape it to one axis of positions, one of heads and one of their width");
  }
  if (leading(q) != leading(k) || q.back() != k.back()) {
    fail(fmt::format("q has shape {} and k has shape {}; they may differ in their heads only",
                     shape_text(q), shape_text(k)),
         "");
  }
  const Dim& width = q.back();
  if (!width.is_static() || width.value() % 2 != 0) {
    fail(fmt::format("the last extent of q is {}, wanted an even number", width.text()),
         "the halves of the last axis are rotated into each other");
  }
  const Shape& cos = types[kCos]->shape();
  const bool known = cos.size() == 2 && (cos[1] == width || cos[1] == Dim(width.value() / 2));
  if (!known) {
    fail(fmt::format("cos_cache has shape {}, wanted (rows, {}) or (rows, {})", shape_text(cos),
                     width.value(), width.value() / 2),
         "");
  }
  if (types[kSin]->shape() != cos) {
    fail(fmt::format("sin_cache has shape {} and cos_cache has shape {}; they must be one shape",
                     shape_text(types[kSin]->shape()), shape_text(cos)),
         "");
  }
  const Shape& ids = types[kPositions]->shape();
  const Shape wanted = leading(q);
  const bool fits = !ids.empty() && ids.size() <= wanted.size() &&
                    std::equal(ids.rbegin(), ids.rend(), wanted.rbegin());
  if (fits) return;
  fail(fmt::format("pos_ids has shape {}, wanted {} or its last axes", shape_text(ids),
                   shape_text(wanted)),
       "give one position for each row of q");
}

// Domain (..., S, the larger number of heads, D, r): element d of a result is made from elements d
// and d + D / 2 (r = 0 and 1, around the end) of the same head.
AccessRelationResult relation(const Call& call, const RoPE&, const std::vector<TypeRef>& given,
                              TypeInferContext& ctx) {
  const auto types = tensor_types(call, given, ctx);
  check_dtypes(types, fail_at(ctx, call));
  check_shapes(types, fail_at(ctx, call));
  const Shape& q = types[0]->shape();
  const Shape& k = types[1]->shape();
  const std::size_t heads = q.size() - 2;
  Shape extents = q;
  extents[heads] = dim_max(q[heads], k[heads]);
  extents.emplace_back(2);
  const Shape at = iteration_variables(q.size());
  Shape pair = at;
  // No elements, no partners.
  if (!q.back().is(0)) {
    pair.back() = mod(at.back() + iter(q.size()) * Dim(q.back().value() / 2), q.back());
  }
  const auto access = [&](const Shape& index, const Dim& count) {
    BoundaryAccess out = BoundaryAccess::of(index);
    if (count != extents[heads]) out.guards.push_back({heads, Dim(0), count});
    return out;
  };
  const auto rank = static_cast<std::ptrdiff_t>(types[kPositions]->rank());
  const auto end = at.begin() + static_cast<std::ptrdiff_t>(heads);
  std::vector<BoundaryAccess> accesses{access(pair, q[heads]),
                                       access(pair, k[heads]),
                                       BoundaryAccess::opaque_access(),
                                       BoundaryAccess::opaque_access(),
                                       BoundaryAccess::of(Shape(end - rank, end)),
                                       access(at, q[heads]),
                                       access(at, k[heads])};
  return {std::move(extents), std::move(accesses)};
}

TypeRef infer(const Call& call, const RoPE&, TypeInferContext& ctx) {
  std::vector<TypeRef> types;
  for (std::size_t i = 0; i < call.args().size(); ++i) {
    refuse_sharded(call, operand_type(call, i, ctx), operand_name(call, i), ctx);
    types.push_back(ctx.type_of(call.args()[i]));
  }
  const auto built = build_relation(call, types, ctx);
  if (!built) ctx.error(call, "no forward relation is registered, which its typing needs");
  const StorageKind storage = merge_storage(call, ctx);
  std::vector<TypeRef> fields;
  for (std::size_t i = 0; i < kFields; ++i) {
    const TensorType& x = operand_type(call, i, ctx);
    fields.push_back(TensorType::make(x.shape(), x.dtype(), nullptr, storage));
  }
  return TupleType::make(std::move(fields));
}

// The caches' rows that are read count, not the caches.
Cost cost(const Call& call, const RoPE&, CostContext& ctx) {
  Cost cost = pointwise_cost(call, ctx, 3, DType::f32);
  const std::int64_t positions = ctx.local_numel(call.args()[kPositions]);
  for (const std::size_t i : {kCos, kSin}) {
    const std::int64_t rows = as_tensor(ctx.local_type_of(call.args()[i]))->shape()[0].value();
    if (rows > positions) cost.traffic[i].read = cost.traffic[i].read / rows * positions;
  }
  return cost;
}

std::string position_message() { return "the position {} lies outside the {} rows of the caches"; }

HostValue evaluate_rope(const Call& call, const RoPE&, const std::vector<HostValue>& args,
                        EvaluateContext& ctx) {
  const HostTensor& cos = args[kCos].tensor();
  const HostTensor& sin = args[kSin].tensor();
  const HostTensor& ids = args[kPositions].tensor();
  const std::int64_t rows = cos.shape()[0];
  for (std::int64_t i = 0; i < ids.numel(); ++i) {
    const std::int64_t at = ids.int_at(i);
    if (at < 0 || at >= rows) ctx.error(call, require_text(position_message(), {at, rows}));
  }
  std::vector<HostValue> results;
  for (std::size_t field = 0; field < kFields; ++field) {
    const HostTensor& x = args[field].tensor();
    const std::int64_t width = x.shape().back();
    const std::int64_t heads = x.shape()[x.shape().size() - 2];
    HostTensor result(x.dtype(), x.shape());
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      const std::int64_t d = i % width;
      const bool first = d < width / 2;
      const double other = first ? -x.float_at(i + width / 2) : x.float_at(i - width / 2);
      const std::int64_t row = ids.int_at(i / width / heads % ids.numel());
      const std::int64_t cell = row * cos.shape()[1] + d % cos.shape()[1];
      result.set_float(
          i, static_cast<float>(x.float_at(i) * cos.float_at(cell) + other * sin.float_at(cell)));
    }
    results.emplace_back(std::move(result));
  }
  return results;
}

// --- lowering ---

struct Caches {
  VarRef cos;
  VarRef sin;
  VarRef positions;
  // Whether both halves of a head read the same columns.
  bool halves(const Dim& width) const { return as_tensor(cos->type())->shape()[1] != width; }
};

// The row of the caches for an element whose index starts with `at`.
Dim cache_row(ScalarBuilder& builder, const Caches& caches, const Shape& at) {
  const std::size_t rank = as_tensor(caches.positions->type())->rank();
  const Shape index(at.end() - static_cast<std::ptrdiff_t>(rank), at.end());
  return expr_cast<Var>(builder.load(caches.positions, index))->dim();
}

void emit_check(LoweringContext& ctx, const Caches& caches) {
  const TensorType& type = *as_tensor(caches.positions->type());
  const Dim rows = as_tensor(caches.cos->type())->shape()[0];
  ctx.emit(make_nest(type.shape(), [&](const Shape& at) {
    ScalarBuilder builder;
    const ExprRef row = builder.cast(DType::i64, builder.load(caches.positions, at));
    const ExprRef above = builder.binary(BinaryKind::cmp_ge, row, builder.constant(DType::i64, 0));
    const ExprRef below = builder.binary(BinaryKind::cmp_lt, row, dim_value(rows));
    const ExprRef inside = builder.binary(BinaryKind::logical_and, above, below);
    builder.append(BlockItem::of(require(inside, {row, dim_value(rows)}, position_message())));
    return builder.take();
  }));
}

// One loop for each half of the last axis, so that each is a run of stores.
void emit_rotation(LoweringContext& ctx, const Caches& caches, const VarRef& x, const VarRef& out) {
  const TensorType& type = *as_tensor(x->type());
  const Dim& width = type.shape().back();
  const Dim half(width.value() / 2);
  const Dim& heads = type.shape()[type.rank() - 2];
  const bool halves = caches.halves(width);
  ctx.emit(make_nest(leading(type.shape()), [&](const Shape& at) {
    ScalarBuilder row;
    const Dim cell = cache_row(row, caches, at);
    const auto rotate = [&](const Dim& head, bool first) {
      return make_nest(
          {half},
          [&](const Shape& inner) {
            ScalarBuilder builder;
            const auto element = [&](bool low) {
              Shape index = at;
              index.insert(index.end(), {head, low ? inner[0] : inner[0] + half});
              return builder.cast(DType::f32, builder.load(x, index));
            };
            const auto factor = [&](const VarRef& cache) {
              const Dim column = first || halves ? inner[0] : inner[0] + half;
              return builder.cast(DType::f32, builder.load(cache, {cell, column}));
            };
            const ExprRef kept =
                builder.binary(BinaryKind::mul, element(first), factor(caches.cos));
            const ExprRef turned =
                builder.binary(BinaryKind::mul, element(!first), factor(caches.sin));
            const ExprRef value =
                builder.binary(first ? BinaryKind::sub : BinaryKind::add, kept, turned);
            Shape index = at;
            index.insert(index.end(), {head, first ? inner[0] : inner[0] + half});
            builder.store(out, builder.cast(type.dtype(), value), index);
            return builder.take();
          },
          at.size() + 1);
    };
    row.append(BlockItem::of(make_nest(
        {heads},
        [&](const Shape& head) {
          ScalarBuilder builder;
          builder.append(BlockItem::of(rotate(head[0], true)));
          builder.append(BlockItem::of(rotate(head[0], false)));
          return builder.take();
        },
        at.size())));
    return row.take();
  }));
}

VarRef lower(LoweringContext& ctx, const RoPE&, const Call& call) {
  std::vector<VarRef> args;
  for (const ExprRef& arg : call.args()) args.push_back(ctx.lower(arg));
  const Caches caches{args[kCos], args[kSin], args[kPositions]};
  emit_check(ctx, caches);
  std::vector<VarRef> fields;
  const TupleType& type = *as_tuple(call.type());
  const std::string base = call.name().empty() ? "rotated" : call.name();
  for (std::size_t i = 0; i < kFields; ++i) {
    fields.push_back(ctx.alloc(type.fields()[i], fmt::format("{}_{}", base, i)));
    emit_rotation(ctx, caches, args[i], fields.back());
  }
  return core_lowering(ctx).bind_tuple(call.type(), std::move(fields));
}

}  // namespace

void register_rope() {
  register_op_class(RoPE::op_class());
  register_typeinfer<RoPE>(infer);
  register_type_relation<RoPE>(relation);
  register_access_relation<RoPE>([](const Call& call, const RoPE&, TypeInferContext& ctx) {
    return relation_boundaries(call, ctx);
  });
  register_cost_evaluator<RoPE>(cost);
  register_evaluator<RoPE>(evaluate_rope);
  register_hir_lowering<RoPE>(lower);
}

}  // namespace tilefoundry
