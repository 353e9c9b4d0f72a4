// The tile op T.matmul: calls of the products in device/cpu/gemm.inc.
#include "tilefoundry/ops/matmul.h"

#include <fmt/format.h>

#include "tilefoundry/codegen/cpu/handlers.h"
#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/ir/tir/ops.h"

namespace tilefoundry {
namespace {

// One matrix of a batch: where it starts, and the strides of its two axes.
struct Matrix {
  std::string pointer;
  Dim row;
  Dim column;
};

struct Product {
  Dim m, n, k;
  DType dtype;   // of the operands
  DType result;  // of dst
  bool accumulate;
  Matrix a, b, c;
};

// Batch coordinates of dst, right-aligned onto an operand whose extents may be 1 or missing.
Matrix matrix_at(CpuCodegenContext& ctx, const CpuBuffer& buffer, const Shape& batch) {
  const std::size_t rank = buffer.shape.size();
  Shape index;
  for (std::size_t i = 0; i + 2 < rank; ++i) {
    const std::size_t at = batch.size() - (rank - 2) + i;
    index.push_back(buffer.shape[i].is(1) ? Dim(0) : batch[at]);
  }
  index.insert(index.end(), 2, Dim(0));
  return {ctx.address_at(buffer, index), buffer.strides[rank - 2], buffer.strides[rank - 1]};
}

// An extent over the function's dimensions only that is not less than `dim`; nothing when it cannot
// be told. A block's extent is the least of its size and of what is left.
std::optional<Dim> extent_bound(const Dim& dim) {
  bool inner = false;
  for_each_dim_atom(dim, [&](const DimNode& atom) { inner = inner || atom.as_var() == nullptr; });
  if (!inner) return dim;
  const DimApply* apply = dim.node() ? dim.node()->as_apply() : nullptr;
  if (apply != nullptr && apply->op == DimOp::min) {
    for (const Dim& operand : apply->operands) {
      if (const std::optional<Dim> bound = extent_bound(operand)) return bound;
    }
  }
  const DimBounds bounds = dim_bounds(dim);
  if (bounds.hi) return Dim(*bounds.hi);
  return std::nullopt;
}

std::string room_extent(CpuCodegenContext& ctx, const Dim& dim, bool bounded_by_blocks,
                        const Evaluate& evaluate) {
  if (const std::optional<Dim> bound = extent_bound(dim)) return ctx.dim_text(*bound);
  // The blocks of a product have a largest size.
  if (bounded_by_blocks) return "1073741824";
  ctx.error(evaluate,
            fmt::format("has the depth {}, which is known only inside a loop", dim.text()),
            "use min(block, rest) with a block of constant size");
}

std::string form_tile(const Dim& n, std::int64_t columns) {
  if (!n.is_static()) return "tail_tile";
  const std::int64_t rest = n.value() % columns;
  return rest >= 1 && rest <= columns / 2 ? "tail_tile" : "tile";
}

void emit_float(CpuCodegenContext& ctx, const Product& p, const Evaluate& evaluate,
                const std::string& c, const std::string& c_row, bool accumulate) {
  const std::string element(p.dtype.name());
  const bool direct = p.dtype == DType::f32 && ctx.features.has("avx512f");
  CpuGemmForm form;
  form.tile = form_tile(p.n, ctx.features.has("avx512f") ? 64 : ctx.features.has("avx2") ? 16 : 8);
  form.a = p.dtype == DType::f32 && p.a.column.is(1) ? "rows" : "any";
  form.b = p.b.column.is(1) ? "rows" : p.b.row.is(1) ? "columns" : "any";
  if (p.m.is_static() && form.b != "any") {
    const std::int64_t few = form.b == "rows" && direct ? 0 : 8;
    form.path = p.m.value() <= few ? "few_" : "blocks_";
  }
  if (p.m.is_static() && p.m.value() > 8) form.path = "blocks_";
  ctx.need_gemm(element, form);
  const std::string m = ctx.dim_text(p.m);
  const std::string n = ctx.dim_text(p.n);
  const std::string k = ctx.dim_text(p.k);
  const std::string room =
      fmt::format("tf_gemm_scratch({}, {}, {}) * 4", room_extent(ctx, p.m, true, evaluate),
                  room_extent(ctx, p.n, true, evaluate), room_extent(ctx, p.k, false, evaluate));
  const std::string scratch = ctx.scratch(ctx.in_body ? room : "tf_workers * " + room);
  const std::string operands =
      fmt::format("{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, (float*){}", m, n, k,
                  strip_parens(p.a.pointer), ctx.dim_text(p.a.row), ctx.dim_text(p.a.column),
                  strip_parens(p.b.pointer), ctx.dim_text(p.b.row), ctx.dim_text(p.b.column), c,
                  c_row, accumulate ? "true" : "false", scratch);
  if (ctx.in_body) {
    ctx.need("tf_gemm_" + form.path + element);
    ctx.line(fmt::format("tf_gemm_{}{}({});", form.path, element, operands));
    return;
  }
  ctx.need("tf_gemm_parallel_" + element);
  ctx.line(fmt::format("tf_gemm_parallel_{0}({1}->parallel_for, {1}->pool, {1}->workers, {2});",
                       element, ctx.use("tf_run"), operands));
}

void emit_integer(CpuCodegenContext& ctx, const Product& p, const std::string& c,
                  const std::string& c_row, bool accumulate) {
  const std::string function = fmt::format("tf_gemm_{}", p.dtype.name());
  ctx.need(function);
  ctx.line(fmt::format("{}({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});", function,
                       ctx.dim_text(p.m), ctx.dim_text(p.n), ctx.dim_text(p.k),
                       strip_parens(p.a.pointer), ctx.dim_text(p.a.row), ctx.dim_text(p.a.column),
                       strip_parens(p.b.pointer), ctx.dim_text(p.b.row), ctx.dim_text(p.b.column),
                       c, c_row, accumulate ? "true" : "false"));
}

void emit_product(CpuCodegenContext& ctx, const Product& p, const Evaluate& evaluate,
                  const std::string& c, const std::string& c_row, bool accumulate) {
  if (p.dtype.is_float()) {
    emit_float(ctx, p, evaluate, c, c_row, accumulate);
  } else {
    emit_integer(ctx, p, c, c_row, accumulate);
  }
}

// Moves between dst and a wide row-major tile of the product.
void emit_tile_move(CpuCodegenContext& ctx, const Product& p, const std::string& tile,
                    bool to_tile) {
  const CpuBuffer c{p.c.pointer, p.result, {p.m, p.n}, {p.c.row, p.c.column}};
  const VarRef i = loop_var("i");
  const VarRef j = loop_var("j");
  const std::string m = ctx.dim_text(p.m);
  const std::string n = ctx.dim_text(p.n);
  ctx.open_block();
  const std::string row = ctx.declare("i", "const tf_i64");
  const std::string column = ctx.declare("j", "const tf_i64");
  ctx.bind_var(*i, row);
  ctx.bind_var(*j, column);
  --ctx.indent;
  ctx.line(fmt::format("for (tf_i64 {0} = 0; {0} < {1}; {0}++) {{", row, m));
  ctx.line("#pragma GCC ivdep");
  ctx.line(fmt::format("  for (tf_i64 {0} = 0; {0} < {1}; {0}++) {{", column, n));
  const std::string wide = fmt::format("{}[{} * ({}) + {}]", tile, row, n, column);
  const std::string element = ctx.element_at(c, {i->dim(), j->dim()});
  std::string rounded = wide;
  if (is_narrow_float(p.result)) {
    const std::string function = fmt::format("tf_round_{}", p.result.name());
    ctx.need(function);
    rounded = fmt::format("{}({})", function, wide);
  }
  ctx.line("    " + (to_tile ? fmt::format("{} = {};", wide, ctx.load_text(c, element))
                             : ctx.store_text(c, element, rounded)));
  ctx.line("  }");
  ctx.line("}");
  ++ctx.indent;
  ctx.close_block();
}

void emit_matrix(CpuCodegenContext& ctx, const Product& p, const Evaluate& evaluate) {
  const DType wide = p.dtype.is_float() ? DType(DType::f32) : p.dtype;
  if (p.c.row.is(1) && (p.n.is(1) || !p.c.column.is(1))) {
    // The transposed product, whose rows are contiguous.
    const auto turned = [](const Matrix& x) { return Matrix{x.pointer, x.column, x.row}; };
    Product q = p;
    std::swap(q.m, q.n);
    q.a = turned(p.b);
    q.b = turned(p.a);
    q.c = {p.c.pointer, p.n.is(1) ? p.m : p.c.column, 1};
    if (!p.m.is(1)) return emit_matrix(ctx, q, evaluate);
  }
  if (p.result == wide && p.c.column.is(1)) {
    return emit_product(ctx, p, evaluate, strip_parens(p.c.pointer), ctx.dim_text(p.c.row),
                        p.accumulate);
  }
  // The sums are kept wide until they are complete.
  const std::optional<Dim> bound_m = extent_bound(p.m);
  const std::optional<Dim> bound_n = extent_bound(p.n);
  if (!bound_m || !bound_n) {
    ctx.error(evaluate, "has a result whose extents are known only inside a loop");
  }
  const std::string type = cpu_pointer_type(wide, false);
  const std::string memory =
      ctx.scratch(ctx.dim_text(*bound_m * *bound_n * Dim(c_storage_size(wide))));
  ctx.line("{");
  ctx.open_block();
  const std::string tile = ctx.declare_own("tf_tile", type + " const");
  ctx.line(fmt::format("{} const {} = ({}){};", type, tile, type, memory));
  if (p.accumulate) emit_tile_move(ctx, p, tile, true);
  emit_product(ctx, p, evaluate, tile, ctx.dim_text(p.n), p.accumulate);
  if (is_narrow_float(p.result) && p.c.column.is(1)) {
    const std::string narrow = fmt::format("tf_gemm_narrow_{}", p.result.name());
    ctx.need(narrow);
    ctx.line(fmt::format("{}({}, {}, {}, {}, {}, {});", narrow, ctx.dim_text(p.m),
                         ctx.dim_text(p.n), tile, ctx.dim_text(p.n), strip_parens(p.c.pointer),
                         ctx.dim_text(p.c.row)));
  } else {
    emit_tile_move(ctx, p, tile, false);
  }
  ctx.close_block();
  ctx.line("}");
}

void emit_matmul(const Evaluate& evaluate, const TileMatMul& op, CodegenContext& base) {
  CpuCodegenContext& ctx = cpu_context(base);
  const CpuBuffer lhs = ctx.buffer(evaluate.args()[0]);
  const CpuBuffer rhs = ctx.buffer(evaluate.args()[1]);
  const CpuBuffer dst = ctx.buffer(evaluate.args()[2]);
  const std::size_t rank = dst.shape.size();
  if (rank < 2 || lhs.shape.size() < 2 || rhs.shape.size() < 2) {
    ctx.error(evaluate, "multiplies tensors of less than two axes");
  }
  Product p{dst.shape[rank - 2],
            dst.shape[rank - 1],
            lhs.shape.back(),
            lhs.dtype,
            dst.dtype,
            op.accumulate,
            {},
            {},
            {}};
  Shape batch;
  for (std::size_t d = 0; d + 2 < rank; ++d) {
    const VarRef var = loop_var(fmt::format("batch_{}", d));
    const std::string extent = ctx.dim_text(dst.shape[d]);
    ctx.open_block();
    const std::string name = ctx.declare(var->name(), "const tf_i64");
    ctx.bind_var(*var, name);
    ctx.nonnegative_vars.insert(var.get());
    --ctx.indent;
    ctx.line(fmt::format("for (tf_i64 {0} = 0; {0} < {1}; {0}++) {{", name, extent));
    ++ctx.indent;
    batch.push_back(var->dim());
  }
  p.a = matrix_at(ctx, lhs, batch);
  p.b = matrix_at(ctx, rhs, batch);
  p.c = matrix_at(ctx, dst, batch);
  emit_matrix(ctx, p, evaluate);
  for (std::size_t d = 0; d + 2 < rank; ++d) {
    ctx.close_block();
    ctx.line("}");
  }
}

}  // namespace

void register_cpu_matmul(AnalysisRegistry& registry) {
  register_codegen<TileMatMul>(registry, emit_matmul);
}

}  // namespace tilefoundry
