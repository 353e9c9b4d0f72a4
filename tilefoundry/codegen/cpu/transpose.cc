// Nests of two loops that copy along the outer one of them: transposed in registers.
#include <fmt/format.h>

#include "tilefoundry/codegen/cpu/handlers.h"
#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/codegen/cpu/vector_loop.h"
#include "tilefoundry/ir/tir/ops.h"

namespace tilefoundry {
namespace {

bool reads(const Dim& dim, const Var& var) {
  bool found = false;
  for_each_dim_atom(dim, [&](const DimNode& node) {
    found = found || node.as_atom() == static_cast<const DimAtom*>(&var);
  });
  return found;
}

Dim at(const Dim& dim, const Var& var, const Dim& value) {
  return substitute(dim, [&](const Ref<const DimNode>& node) {
    return node->as_atom() == static_cast<const DimAtom*>(&var) ? value : Dim(node);
  });
}

// An address that both loops move by fixed steps.
struct Walk {
  Dim first;
  Dim outer;
  Dim inner;
};

std::optional<Walk> walk(const CpuBuffer& buffer, const std::vector<ExprRef>& args,
                         std::size_t first, const For& outer, const For& inner) {
  for (std::size_t i = first; i < args.size(); ++i) {
    if (expr_cast<Call>(args[i]) != nullptr) return std::nullopt;
  }
  const Shape index = index_dims(args, first);
  Dim offset = 0;
  for (std::size_t i = 0; i < index.size(); ++i) offset = offset + index[i] * buffer.strides[i];
  const auto step = [&](const Var& var) { return at(offset, var, var.dim() + 1) - offset; };
  Walk result{at(at(offset, *inner.var(), inner.start()), *outer.var(), outer.start()),
              step(*outer.var()), step(*inner.var())};
  for (const Dim* dim : {&result.outer, &result.inner}) {
    if (reads(*dim, *outer.var()) || reads(*dim, *inner.var())) return std::nullopt;
  }
  return result;
}

}  // namespace

bool emit_cpu_transpose(const For& outer, CpuCodegenContext& ctx) {
  const Block nest = block_items(outer.body());
  if (nest.size() != 1 || nest[0].is_let() || !outer.step().is(1)) return false;
  const auto* inner = stmt_cast<For>(nest[0].stmt);
  if (inner == nullptr || !inner->step().is(1) || reads(inner->start(), *outer.var()) ||
      reads(inner->stop(), *outer.var())) {
    return false;
  }
  const Block body = block_items(inner->body());
  if (body.size() != 2 || !body[0].is_let() || body[1].is_let()) return false;
  const auto* load = expr_cast<Call>(body[0].value);
  const auto* store = stmt_cast<Evaluate>(body[1].stmt);
  if (load == nullptr || load->op<Load>() == nullptr || store == nullptr ||
      store->op<Store>() == nullptr || store->args()[1] != ExprRef(body[0].var)) {
    return false;
  }
  const CpuBuffer from = ctx.buffer(load->args()[0]);
  const CpuBuffer to = ctx.buffer(store->args()[0]);
  if (from.local || to.local || from.dtype != to.dtype) return false;
  const std::optional<Walk> reading = walk(from, load->args(), 1, outer, *inner);
  const std::optional<Walk> writing = walk(to, store->args(), 2, outer, *inner);
  if (!reading || !writing || !reading->outer.is(1) || !writing->inner.is(1)) return false;
  const std::string function = fmt::format("tf_transpose_u{}", 8 * c_storage_size(to.dtype));
  ctx.need(function);
  const auto address = [&](const CpuBuffer& buffer, const Dim& offset) {
    const std::string text = offset.is(0) ? "" : " + " + ctx.dim_text(offset);
    return strip_parens(buffer.pointer) + text;
  };
  // The tile of the next trip of the loop around is on its way while this one is turned.
  const bool inside = ctx.loops.size() >= 2 && ctx.loops.back() == &outer;
  if (inside && vector_width(ctx.features) > 0) {
    const For& around = *ctx.loops[ctx.loops.size() - 2];
    const Dim next = at(reading->first, *around.var(), around.var()->dim() + 1);
    const Dim moves = next - reading->first;
    if (!reads(moves, *around.var()) && !moves.is(0)) {
      ctx.need("tf_prefetch_rows");
      const Dim size(c_storage_size(from.dtype));
      ctx.line(fmt::format("tf_prefetch_rows({}, {}, {}, {});", address(from, next),
                           ctx.dim_text(reading->inner * size),
                           ctx.dim_text(inner->stop() - inner->start()),
                           ctx.dim_text((outer.stop() - outer.start()) * size)));
    }
  }
  ctx.line(fmt::format("{}({}, {},", function, address(to, writing->first),
                       ctx.dim_text(writing->outer)));
  ctx.line(fmt::format("    {}, {}, {}, {});", address(from, reading->first),
                       ctx.dim_text(reading->inner), ctx.dim_text(outer.stop() - outer.start()),
                       ctx.dim_text(inner->stop() - inner->start())));
  return true;
}

}  // namespace tilefoundry
