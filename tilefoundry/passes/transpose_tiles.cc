#include "tilefoundry/passes/transpose_tiles.h"

#include <algorithm>
#include <unordered_map>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/passes/substitute_var.h"

namespace tilefoundry {
namespace {

// Rows and columns of a tile: 64 elements are whole cache lines of every dtype.
constexpr std::int64_t kTile = 64;
constexpr std::int64_t kFewTrips = 8;
constexpr std::size_t kMostTiles = 4;

// The loops of a perfect nest, outermost first; empty when one is not independent of its trips.
std::vector<const For*> perfect_nest(const For& loop, const BufferAliases& aliases) {
  std::vector<const For*> nest;
  std::unordered_set<const Var*> vars;
  for (const For* at = &loop;;) {
    const bool plain = at->mode() == ForMode::serial && at->step().is(1) &&
                       !reads_any(at->start(), vars) && !reads_any(at->stop(), vars);
    if (!plain || !independent_trips(*at, aliases)) return {};
    nest.push_back(at);
    vars.insert(at->var().get());
    const Block items = block_items(at->body());
    const bool single = items.size() == 1 && !items[0].is_let();
    const auto* inner = single ? stmt_cast<For>(items[0].stmt) : nullptr;
    if (inner == nullptr) break;
    at = inner;
  }
  return nest;
}

bool enough_trips(const For& loop) {
  const Dim trips = loop.stop() - loop.start();
  return !trips.is_static() || trips.value() >= kFewTrips;
}

// Loads of an address that is read from a tile instead.
class TileReader final : public StmtExprMutator {
 public:
  TileReader(const std::vector<std::pair<BufferAccess, VarRef>>& tiles, Shape at)
      : tiles_(tiles), at_(std::move(at)) {}

 protected:
  ExprRef visit_Call(const Call& call) override {
    if (call.op<Load>() != nullptr) {
      const Shape index = index_dims(call.args(), 1);
      for (const auto& [access, tile] : tiles_) {
        if (access.buffer == call.args()[0].get() && access.index == index) return load(tile, at_);
      }
    }
    return StmtExprMutator::visit_Call(call);
  }

 private:
  const std::vector<std::pair<BufferAccess, VarRef>>& tiles_;
  Shape at_;
};

// One of the two loops that a tile spans.
struct Side {
  const For* loop;
  VarRef block;
  Dim first;
  Dim stop;
  bool single = false;  // one block has all trips

  explicit Side(const For& of) : loop(&of), block(loop_var(of.var()->name() + "_block")) {
    const Dim trips = of.stop() - of.start();
    single = trips.is_static() && trips.value() <= kTile;
    first = single ? of.start() : of.start() + block->dim() * kTile;
    const bool even = trips.is_static() && trips.value() % kTile == 0;
    stop = single ? of.stop() : even ? first + kTile : dim_min(first + kTile, of.stop());
  }
  Dim size() const {
    const Dim trips = loop->stop() - loop->start();
    return single ? trips : Dim(kTile);
  }
  StmtRef over_blocks(StmtRef body, bool parallel) const {
    if (single) return body;
    return For::make(block, 0, ceildiv(loop->stop() - loop->start(), Dim(kTile)), 1,
                     std::move(body), parallel ? ForMode::parallel : ForMode::serial, loop->meta());
  }
};

// for a: for b: tile[a, b] = buffer[...]
StmtRef fill_tile(const BufferAccess& access, const VarRef& tile, const Side& row,
                  const Side& column) {
  const VarRef a = loop_var(row.loop->var()->name());
  const VarRef b = loop_var(column.loop->var()->name());
  Shape index;
  for (const Dim& dim : access.index) {
    index.push_back(substitute(dim, [&](const Ref<const DimNode>& node) {
      if (node->as_atom() == static_cast<const DimAtom*>(row.loop->var().get())) return a->dim();
      if (node->as_atom() == static_cast<const DimAtom*>(column.loop->var().get())) return b->dim();
      return Dim(node);
    }));
  }
  const VarRef value =
      Var::make(access.buffer->name(), scalar_type(as_tensor(access.buffer->type())->dtype()));
  StmtRef body =
      make_block({BlockItem::let(value, load(VarRef(access.buffer), index)),
                  BlockItem::of(store(tile, ExprRef(value),
                                      {a->dim() - row.first, b->dim() - column.first}))});
  body = For::make(b, column.first, column.stop, 1, std::move(body));
  return For::make(a, row.first, row.stop, 1, std::move(body));
}

}  // namespace

StmtRef transpose_tiles(const For& top, const BufferAliases& aliases, bool outermost) {
  const std::vector<const For*> nest = perfect_nest(top, aliases);
  if (nest.size() < 2 || !is_leaf(*nest.back()) || !enough_trips(*nest.back())) return nullptr;
  const For& leaf = *nest.back();
  const std::unordered_set<const Var*> local = local_vars(leaf.body());
  std::vector<BufferAccess> strided;
  const For* along = nullptr;
  bool contiguous = false;
  for (const BufferAccess& access : collect_accesses(leaf.body())) {
    if (local.contains(access.buffer)) continue;
    const Movement moves = movement(access, *leaf.var());
    contiguous = contiguous || moves == Movement::next;
    if (moves != Movement::far) continue;
    bool fixed = true;
    for (const Dim& dim : access.index) fixed = fixed && !reads_any(dim, local);
    if (access.is_store || access.whole || !fixed) return nullptr;
    for (const For* outer : nest) {
      if (outer == &leaf || movement(access, *outer->var()) != Movement::next) continue;
      if (along != nullptr && along != outer) continue;
      if (!enough_trips(*outer)) continue;
      along = outer;
      const bool known = std::any_of(strided.begin(), strided.end(), [&](const auto& other) {
        return other.buffer == access.buffer && other.index == access.index;
      });
      if (!known) strided.push_back(access);
    }
  }
  if (along == nullptr || !contiguous || strided.size() > kMostTiles) return nullptr;

  const Side row(*along);
  const Side column(leaf);
  Block body;
  std::vector<std::pair<BufferAccess, VarRef>> tiles;
  for (const BufferAccess& access : strided) {
    const TensorType& type = *as_tensor(access.buffer->type());
    VarRef tile = Var::make(
        access.buffer->name() + "_tile",
        TensorType::make({row.size(), column.size()}, type.dtype(), nullptr, StorageKind::rmem));
    body.push_back(BlockItem::let(tile, alloc_tensor(static_ref_cast<TensorType>(tile->type()))));
    tiles.emplace_back(access, std::move(tile));
  }
  for (const auto& [access, tile] : tiles) {
    body.push_back(BlockItem::of(fill_tile(access, tile, row, column)));
  }
  TileReader reader(tiles, {along->var()->dim() - row.first, leaf.var()->dim() - column.first});
  StmtRef inner = For::make(leaf.var(), column.first, column.stop, 1, reader.mutate(leaf.body()),
                            ForMode::serial, leaf.meta());
  inner = For::make(along->var(), row.first, row.stop, 1, std::move(inner), ForMode::serial,
                    along->meta());
  body.push_back(BlockItem::of(std::move(inner)));
  const bool alone = nest.size() == 2;
  StmtRef result = column.over_blocks(make_block(body), alone && outermost && row.single);
  result = row.over_blocks(std::move(result), alone && outermost);
  for (std::size_t i = nest.size() - 1; i-- > 0;) {
    if (nest[i] == along) continue;
    result = For::make(nest[i]->var(), nest[i]->start(), nest[i]->stop(), 1, std::move(result),
                       ForMode::serial, nest[i]->meta());
  }
  return result;
}

}  // namespace tilefoundry
