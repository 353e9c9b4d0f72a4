// What a loop will read in the next trip of the loop around it.
#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/codegen/cpu/vector_loop.h"
#include "tilefoundry/ir/tir/ops.h"

namespace tilefoundry {

std::optional<std::int64_t> address_step(const CpuBuffer& buffer, const Shape& index,
                                         const Var& var) {
  const Shape next = index_ahead(index, var);
  Dim step = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    step = step + (next[i] - index[i]) * buffer.strides[i];
  }
  return step.is_static() ? std::optional(step.value()) : std::nullopt;
}

Shape index_ahead(const Shape& index, const Var& around) {
  Shape next;
  for (const Dim& dim : index) {
    next.push_back(substitute(dim, [&](const Ref<const DimNode>& node) {
      const bool own = node->as_atom() == static_cast<const DimAtom*>(&around);
      return own ? Dim(node) + 1 : Dim(node);
    }));
  }
  return next;
}

namespace {

// Loops directly in the body around that have the same trips as `loop`.
std::vector<const For*> alike(const For& loop, const For& around) {
  std::vector<const For*> leaves;
  for (const BlockItem& item : block_items(around.body())) {
    const auto* leaf = item.is_let() ? nullptr : stmt_cast<For>(item.stmt);
    const bool same = leaf != nullptr && leaf->start() == loop.start() &&
                      leaf->stop() == loop.stop() && leaf->step() == loop.step();
    if (same) leaves.push_back(leaf);
  }
  return leaves;
}

}  // namespace

std::vector<AheadLoad> loads_ahead(const For& loop, CpuCodegenContext& ctx) {
  // Rows that follow each other closely are fetched by the machine itself.
  constexpr std::int64_t kLeastBytes = 256;
  if (ctx.loops.size() < 2 || ctx.loops.back() != &loop) return {};
  const For& around = *ctx.loops[ctx.loops.size() - 2];
  const std::vector<const For*> leaves = alike(loop, around);
  if (leaves.size() < 2 || leaves[1] != &loop) return {};
  std::vector<AheadLoad> found;
  std::vector<const Var*> local;
  for (const BlockItem& item : block_items(leaves[0]->body())) {
    if (!item.is_let()) continue;
    local.push_back(item.var.get());
    const auto* call = expr_cast<Call>(item.value);
    if (call == nullptr || call->op<Load>() == nullptr) continue;
    const auto* var = expr_cast<Var>(call->args()[0]);
    bool known = var != nullptr && ctx.has_buffer(*var) && !ctx.is_local(*var);
    for (const ExprRef& arg : call->args()) known = known && expr_cast<Call>(arg) == nullptr;
    if (!known) continue;
    AheadLoad ahead{call->args()[0], {}};
    for (const Dim& dim : index_dims(call->args(), 1)) {
      for_each_dim_atom(dim, [&](const DimNode& node) {
        for (const Var* name : local) {
          known = known && node.as_atom() != static_cast<const DimAtom*>(name);
        }
      });
      ahead.index.push_back(substitute(dim, [&](const Ref<const DimNode>& node) {
        const bool own = node->as_atom() == static_cast<const DimAtom*>(leaves[0]->var().get());
        return own ? loop.var()->dim() : Dim(node);
      }));
    }
    if (!known) continue;
    const CpuBuffer buffer = ctx.buffer(call->args()[0]);
    const auto step = address_step(buffer, ahead.index, *around.var());
    const auto along = address_step(buffer, ahead.index, *loop.var());
    if (along != 1 || !step || *step * c_storage_size(buffer.dtype) < kLeastBytes) continue;
    ahead.index = index_ahead(ahead.index, *around.var());
    found.push_back(std::move(ahead));
  }
  return found;
}

}  // namespace tilefoundry
