// Which loop of a nest is innermost: the one along which memory is contiguous.
#include <algorithm>
#include <unordered_map>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/passes/loop_facts.h"
#include "tilefoundry/passes/loop_passes.h"
#include "tilefoundry/passes/substitute_var.h"
#include "tilefoundry/passes/transpose_tiles.h"

namespace tilefoundry {
namespace {

// Trips of the loop that moves inside, in one block; memory for their temporaries.
constexpr std::int64_t kLeastBlock = 64;
constexpr std::int64_t kLargestBlock = 8192;
constexpr std::int64_t kMostElements = 32768;
// A loop of fewer trips is not worth a place inside.
constexpr std::int64_t kFewTrips = 16;
// Blocks that the outermost loop should have, so that threads share them.
constexpr std::int64_t kBlocks = 8;
// Trips of an inner loop that threads may share.
constexpr std::int64_t kManyTrips = 256;

bool straight_or_loops(const StmtRef& stmt) {
  class Checker final : public StmtVisitor {
   public:
    bool ok = true;

   protected:
    void visit_If(const If&) override { ok = false; }
    void visit_MeshScope(const MeshScope&) override { ok = false; }
    void visit_For(const For& loop) override {
      ok = ok && loop.mode() == ForMode::serial && loop.step().is(1);
      generic_visit(loop);
    }
  } checker;
  checker.visit(stmt);
  return checker.ok && only_scalar_code(stmt);
}

// The statements of a loop's body in order, each run for all trips of a block before the next:
// `for i: {a; for j: b; c}` becomes `for i: a; for j: for i: b; for i: c`. What a trip keeps to
// itself gets an axis over the trips of the block.
class Distributor {
 public:
  Distributor(const For& loop, Dim first, Dim stop, Dim count)
      : loop_(loop), first_(std::move(first)), stop_(std::move(stop)), count_(std::move(count)) {}

  // Nothing when a value or a bound stands in the way.
  std::optional<Block> run() {
    number_pieces(loop_.body());
    if (!possible_) return std::nullopt;
    Block out;
    Block body = distribute(loop_.body());
    for (const auto& [old, fresh] : order_) out.push_back(BlockItem::let(fresh, alloc_of(fresh)));
    out.insert(out.end(), body.begin(), body.end());
    return out;
  }

 private:
  static ExprRef alloc_of(const VarRef& var) {
    return alloc_tensor(static_ref_cast<TensorType>(var->type()));
  }

  // Straight code between loops is one piece. Numbers them; finds what lives across pieces.
  void number_pieces(const StmtRef& body) {
    ++piece_;
    for (const BlockItem& item : block_items(body)) {
      if (item.is_let()) {
        note_uses(item.value);
        const auto* call = expr_cast<Call>(item.value);
        if (call != nullptr && call->op<AllocTensor>() != nullptr) {
          expand(*item.var);
          continue;
        }
        piece_of_[item.var.get()] = piece_;
        continue;
      }
      const auto* inner = stmt_cast<For>(item.stmt);
      if (inner == nullptr) {
        for (const ExprRef& arg : stmt_cast<Evaluate>(item.stmt)->args()) note_uses(arg);
        continue;
      }
      for (const Dim* bound : {&inner->start(), &inner->stop()}) {
        possible_ = possible_ && !reads_var(*bound, *loop_.var());
        for (const auto& [var, piece] : piece_of_) {
          possible_ = possible_ && !reads_var(*bound, *var);
        }
      }
      number_pieces(inner->body());
      ++piece_;
    }
  }

  void note_uses(const ExprRef& root) {
    const auto check = [&](const Var* var) {
      const auto it = piece_of_.find(var);
      if (it == piece_of_.end() || it->second == piece_ || expanded_.contains(var)) return;
      expand(*var);
      values_.insert(var);
    };
    for (const ExprRef& expr : post_order({root})) {
      if (const auto* var = expr_cast<Var>(expr)) check(var);
      const auto* value = expr_cast<DimValue>(expr);
      if (value == nullptr) continue;
      for_each_dim_atom(value->dim(), [&](const DimNode& node) {
        const auto* var = node.as_atom() ? dynamic_cast<const Var*>(node.as_atom()) : nullptr;
        const auto it = var ? piece_of_.find(var) : piece_of_.end();
        possible_ = possible_ && (it == piece_of_.end() || it->second == piece_);
      });
    }
  }

  void expand(const Var& var) {
    const TensorType* type = as_tensor(var.type());
    if (type == nullptr || type->layout()) {
      possible_ = false;
      return;
    }
    Shape shape = type->shape();
    shape.push_back(count_);
    const Dim elements = dim_product(shape);
    possible_ = possible_ && elements.is_static() && elements.value() <= kMostElements;
    VarRef fresh =
        Var::make(var.name(), TensorType::make(shape, type->dtype(), nullptr, StorageKind::rmem));
    expanded_.emplace(&var, fresh);
    order_.emplace_back(&var, fresh);
  }

  // Rewrites one piece: temporaries are read at the trip.
  class Rewriter final : public StmtExprMutator {
   public:
    Rewriter(const Distributor& owner, Dim trip) : owner_(owner), trip_(std::move(trip)) {}
    StmtRef piece(const Block& items) {
      Block out;
      for (const BlockItem& item : items) {
        if (!item.is_let()) {
          out.push_back(BlockItem::of(mutate(item.stmt)));
          continue;
        }
        ExprRef value = ExprMutator::visit(item.value);
        if (owner_.values_.contains(item.var.get())) {
          const VarRef& memory = owner_.expanded_.at(item.var.get());
          out.push_back(BlockItem::let(item.var, std::move(value), item.meta));
          out.push_back(BlockItem::of(store(memory, ExprRef(item.var), {trip_})));
          defined_.insert(item.var.get());
        } else {
          out.push_back(BlockItem::let(item.var, std::move(value), item.meta));
        }
      }
      return make_block(out);
    }

   protected:
    ExprRef visit_Var(const Var& var) override {
      const bool elsewhere = owner_.values_.contains(&var) && !defined_.contains(&var);
      return elsewhere ? load(owner_.expanded_.at(&var), {trip_}) : ExprRef(&var);
    }
    ExprRef visit_Call(const Call& call) override {
      const VarRef* memory = call.op<Load>() != nullptr ? find(call.args()[0]) : nullptr;
      if (memory == nullptr) return StmtExprMutator::visit_Call(call);
      return load(*memory, at_trip(index_dims(call.args(), 1)));
    }
    StmtRef visit_Evaluate(const Evaluate& stmt) override {
      const VarRef* memory = find(stmt.args()[0]);
      if (memory == nullptr) return StmtExprMutator::visit_Evaluate(stmt);
      return store(*memory, ExprMutator::visit(stmt.args()[1]),
                   at_trip(index_dims(stmt.args(), 2)));
    }

   private:
    const VarRef* find(const ExprRef& buffer) const {
      const auto it = owner_.expanded_.find(expr_cast<Var>(buffer));
      return it == owner_.expanded_.end() ? nullptr : &it->second;
    }
    Shape at_trip(Shape index) const {
      index.push_back(trip_);
      return index;
    }
    const Distributor& owner_;
    Dim trip_;
    std::unordered_set<const Var*> defined_;
  };

  Block distribute(const StmtRef& body) {
    Block out;
    Block piece;
    const auto flush = [&] {
      if (piece.empty()) return;
      const VarRef var = loop_var(loop_.var()->name());
      Rewriter rewriter(*this, loop_.var()->dim() - first_);
      StmtRef stmt = VarSubstituter(*loop_.var(), var).mutate(rewriter.piece(piece));
      out.push_back(BlockItem::of(
          For::make(var, first_, stop_, 1, std::move(stmt), ForMode::serial, loop_.meta())));
      piece.clear();
    };
    for (const BlockItem& item : block_items(body)) {
      if (item.is_let() && expanded_.contains(item.var.get()) &&
          !values_.contains(item.var.get())) {
        continue;
      }
      const auto* inner = item.is_let() ? nullptr : stmt_cast<For>(item.stmt);
      if (inner == nullptr) {
        piece.push_back(item);
        continue;
      }
      flush();
      out.push_back(BlockItem::of(inner->with_body(make_block(distribute(inner->body())))));
    }
    flush();
    return out;
  }

  const For& loop_;
  Dim first_;
  Dim stop_;
  Dim count_;
  bool possible_ = true;
  int piece_ = 0;
  std::unordered_map<const Var*, int> piece_of_;
  std::unordered_map<const Var*, VarRef> expanded_;
  std::vector<std::pair<const Var*, VarRef>> order_;
  std::unordered_set<const Var*> values_;  // expanded bindings, not allocations
};

class LoopOrderer final : public StmtExprMutator {
 public:
  explicit LoopOrderer(const BufferAliases& aliases) : aliases_(aliases) {}

 protected:
  StmtRef visit_For(const For& stmt) override {
    const bool candidate =
        stmt.mode() == ForMode::serial && stmt.step().is(1) && straight_or_loops(stmt.body());
    if (candidate) {
      if (StmtRef tiled = transpose_tiles(stmt, aliases_, depth_ == 0)) return tiled;
    }
    ++depth_;
    StmtRef body = mutate(stmt.body());
    --depth_;
    const StmtRef same =
        body == stmt.body() ? StmtRef(&stmt) : StmtRef(stmt.with_body(std::move(body)));
    const auto& loop = *stmt_cast<For>(same);
    if (!candidate || is_leaf(loop) || !pays(loop) || !independent_trips(loop, aliases_)) {
      return same;
    }
    const StmtRef ordered = in_blocks(loop);
    return ordered ? ordered : same;
  }

 private:
  // Whether innermost loops stride through memory that this loop's variable runs along.
  static bool pays(const For& loop) {
    const Dim trips = loop.stop() - loop.start();
    if (trips.is_static() && trips.value() < kFewTrips) return false;
    const std::unordered_set<const Var*> local = local_vars(loop.body());
    int strided = 0;
    for (const BufferAccess& access : collect_accesses(loop.body())) {
      if (access.loops.empty() || local.contains(access.buffer)) continue;
      if (movement(access, *loop.var()) == Movement::far) return false;
      if (movement(access, *access.loops.back()->var()) == Movement::far) ++strided;
    }
    return strided > 0;
  }

  // Of the longest loop directly inside.
  static std::int64_t inner_trips(const For& loop) {
    std::int64_t longest = 0;
    for (const BlockItem& item : block_items(loop.body())) {
      const auto* inner = item.is_let() ? nullptr : stmt_cast<For>(item.stmt);
      if (inner == nullptr) continue;
      const Dim trips = inner->stop() - inner->start();
      longest = std::max(longest, trips.is_static() ? trips.value() : kManyTrips);
    }
    return longest;
  }

  StmtRef in_blocks(const For& loop) const {
    const Dim trips = loop.stop() - loop.start();
    // A long loop inside is cut instead (split_reductions): whole rows are read in order.
    const bool cut = depth_ > 0 || inner_trips(loop) >= kManyTrips;
    std::int64_t size = kLeastBlock * 16;
    if (trips.is_static()) {
      const std::int64_t share = cut ? trips.value() : ceildiv(trips, Dim(kBlocks)).value();
      size = std::clamp((share + kLeastBlock - 1) / kLeastBlock * kLeastBlock, kLeastBlock,
                        kLargestBlock);
    }
    for (; size >= kFewTrips; size /= 2) {
      const bool whole = trips.is_static() && trips.value() <= size;
      const VarRef block = loop_var(loop.var()->name() + "_block");
      const Dim first = whole ? loop.start() : loop.start() + block->dim() * size;
      const bool even = trips.is_static() && trips.value() % size == 0;
      const Dim stop = whole  ? loop.stop()
                       : even ? first + size
                              : dim_min(first + size, loop.stop());
      Distributor distributor(loop, first, stop, whole ? trips : Dim(size));
      std::optional<Block> body = distributor.run();
      if (!body) continue;
      if (whole) return make_block(*body);
      return For::make(block, 0, ceildiv(trips, Dim(size)), 1, make_block(*body),
                       depth_ == 0 ? ForMode::parallel : ForMode::serial, loop.meta());
    }
    return nullptr;
  }

  const BufferAliases& aliases_;
  int depth_ = 0;
};

}  // namespace

StmtRef order_loops(const PrimFunction& function) {
  const BufferAliases aliases(function.body());
  return LoopOrderer(aliases).mutate(function.body());
}

}  // namespace tilefoundry
