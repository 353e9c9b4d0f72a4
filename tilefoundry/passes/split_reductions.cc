// Loops that only accumulate, cut into parts that threads share.
#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_map>

#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/passes/loop_facts.h"
#include "tilefoundry/passes/loop_nest.h"
#include "tilefoundry/passes/loop_passes.h"
#include "tilefoundry/passes/substitute_var.h"

namespace tilefoundry {
namespace {

// A fixed number, so that results do not depend on the threads there are.
constexpr std::int64_t kParts = 16;
constexpr std::int64_t kFewTrips = 2 * kParts;
// Elements read below which one thread is enough.
constexpr std::int64_t kLittleWork = 65536;
constexpr std::int64_t kMostElements = 32768;

struct Accumulator {
  const Var* buffer;
  BinaryKind kind;
};

bool is_associative(BinaryKind kind) {
  return kind == BinaryKind::add || kind == BinaryKind::mul || kind == BinaryKind::min ||
         kind == BinaryKind::max || kind == BinaryKind::logical_and ||
         kind == BinaryKind::logical_or;
}

// The element that leaves the other operand as it is.
ExprRef identity(BinaryKind kind, DType dtype) {
  const bool least = kind == BinaryKind::max;
  double value = kind == BinaryKind::mul || kind == BinaryKind::logical_and ? 1.0 : 0.0;
  if (kind == BinaryKind::add && dtype.is_float()) value = -0.0;
  if (least || kind == BinaryKind::min) {
    const double infinity = std::numeric_limits<double>::infinity();
    if (dtype.is_float()) {
      value = least ? -infinity : infinity;
    } else {
      const bool wide = dtype == DType(DType::i64);
      const std::int64_t low = wide ? std::numeric_limits<std::int64_t>::min()
                                    : std::numeric_limits<std::int32_t>::min();
      const std::int64_t high = wide ? std::numeric_limits<std::int64_t>::max()
                                     : std::numeric_limits<std::int32_t>::max();
      return Constant::make(scalar_type(dtype),
                            Constant::scalar(dtype, least ? low : high)->bytes());
    }
  }
  return Constant::make(scalar_type(dtype), Constant::scalar(dtype, value)->bytes());
}

// Finds `buffer[at] = buffer[at] <kind> value`, everywhere the same kind, and no other use.
class UpdateFinder final : public StmtVisitor {
 public:
  explicit UpdateFinder(const Var& buffer) : buffer_(buffer) {}
  std::optional<BinaryKind> find(const StmtRef& stmt) {
    visit(stmt);
    for (const Var* var : once_) ok_ = ok_ && counts_[var] == 1;
    const bool once = ok_ && stores_ == 1 && loads_ == 1;
    return once ? kind_ : std::nullopt;
  }

 protected:
  void visit_LetStmt(const LetStmt& let) override {
    scan(let.value());
    values_[let.var().get()] = let.value();
    generic_visit(let);
  }
  void visit_Evaluate(const Evaluate& stmt) override {
    const bool own = stmt.args()[0].get() == &buffer_;
    for (std::size_t i = 1; i < stmt.args().size(); ++i) scan(stmt.args()[i]);
    if (!own) return;
    ++stores_;
    ExprRef value = named(stmt.args()[1]);
    const auto* call = expr_cast<Call>(value);
    const auto* op = call ? call->op<ScalarBinary>() : nullptr;
    if (op == nullptr || !is_associative(op->kind)) {
      ok_ = false;
      return;
    }
    const Shape at = index_dims(stmt.args(), 2);
    const auto reads = [&](const ExprRef& operand) {
      const ExprRef root = named(operand);
      const auto* load = expr_cast<Call>(root);
      return load != nullptr && load->op<Load>() != nullptr && load->args()[0].get() == &buffer_ &&
             index_dims(load->args(), 1) == at;
    };
    const bool left = reads(call->args()[0]);
    ok_ = ok_ && left != reads(call->args()[1]);
    // What was read, and what is written, go nowhere else.
    for (const ExprRef& part : {call->args()[left ? 0 : 1], stmt.args()[1]}) {
      if (const auto* var = expr_cast<Var>(part)) once_.push_back(var);
    }
    kind_ = op->kind;
  }

 private:
  ExprRef named(const ExprRef& expr) const {
    const auto* var = expr_cast<Var>(expr);
    const auto it = var ? values_.find(var) : values_.end();
    return it == values_.end() ? expr : it->second;
  }
  void scan(const ExprRef& root) {
    if (const auto* var = expr_cast<Var>(root)) ++counts_[var];
    for (const ExprRef& expr : post_order({root})) {
      for_each_operand(*expr, [&](const ExprRef& operand) {
        if (const auto* var = expr_cast<Var>(operand)) ++counts_[var];
      });
      const auto* call = expr_cast<Call>(expr);
      if (call != nullptr && call->op<Load>() != nullptr && call->args()[0].get() == &buffer_) {
        ++loads_;
      }
    }
  }

  const Var& buffer_;
  std::unordered_map<const Var*, ExprRef> values_;
  std::unordered_map<const Var*, int> counts_;
  std::vector<const Var*> once_;
  std::optional<BinaryKind> kind_;
  int loads_ = 0;
  int stores_ = 0;
  bool ok_ = true;
};

// What the loop writes outside itself, when it does nothing but accumulate there.
std::optional<std::vector<Accumulator>> accumulators(const For& loop,
                                                     const std::unordered_set<const Var*>& owned) {
  const std::unordered_set<const Var*> local = local_vars(loop.body());
  const std::vector<BufferAccess> accesses = collect_accesses(loop.body());
  std::vector<Accumulator> found;
  for (const BufferAccess& access : accesses) {
    if (!access.is_store || local.contains(access.buffer)) continue;
    if (access.whole || !owned.contains(access.buffer)) return std::nullopt;
    const bool known = std::any_of(found.begin(), found.end(), [&](const Accumulator& other) {
      return other.buffer == access.buffer;
    });
    if (known) continue;
    const TensorType& type = *as_tensor(access.buffer->type());
    const Dim elements = dim_product(type.shape());
    if (!elements.is_static() || elements.value() > kMostElements || type.layout()) {
      return std::nullopt;
    }
    // An authored loop may round to 16 bits in every trip; parts would round elsewhere.
    if (type.dtype() == DType::f16 || type.dtype() == DType::bf16) return std::nullopt;
    const std::optional<BinaryKind> kind = UpdateFinder(*access.buffer).find(loop.body());
    if (!kind) return std::nullopt;
    found.push_back({access.buffer, *kind});
  }
  if (found.empty()) return std::nullopt;
  return found;
}

// Trips of the innermost loops all together; nothing when they are not known.
std::optional<std::int64_t> innermost_trips(const For& loop) {
  const Dim trips = loop.stop() - loop.start();
  if (!trips.is_static()) return std::nullopt;
  std::int64_t inside = 0;
  for (const BlockItem& item : block_items(loop.body())) {
    const auto* inner = item.is_let() ? nullptr : stmt_cast<For>(item.stmt);
    if (inner == nullptr) continue;
    const auto below = innermost_trips(*inner);
    if (!below) return std::nullopt;
    inside += *below;
  }
  return trips.value() * std::max<std::int64_t>(inside, 1);
}

class ReductionSplitter final : public StmtExprMutator {
 public:
  explicit ReductionSplitter(const BufferAliases& aliases) : aliases_(aliases) {}

 protected:
  void enter_let(const LetStmt& stmt, const ExprRef& value) override {
    const auto* call = expr_cast<Call>(value);
    if (call != nullptr && call->op<AllocTensor>() != nullptr) owned_.insert(stmt.var().get());
  }

  StmtRef visit_For(const For& stmt) override {
    const bool serial = stmt.mode() == ForMode::serial && only_scalar_code(stmt.body());
    if (!serial) {
      return stmt.mode() == ForMode::parallel ? StmtRef(&stmt) : StmtExprMutator::visit_For(stmt);
    }
    if (independent_trips(stmt, aliases_)) return StmtRef(&stmt);
    const Dim trips = stmt.stop() - stmt.start();
    const auto work = innermost_trips(stmt);
    const bool small =
        (work && *work < kLittleWork) || (trips.is_static() && trips.value() < kFewTrips);
    if (small || !stmt.step().is(1)) return StmtExprMutator::visit_For(stmt);
    const auto found = accumulators(stmt, owned_);
    return found ? in_parts(stmt, *found) : StmtExprMutator::visit_For(stmt);
  }

 private:
  static StmtRef in_parts(const For& loop, const std::vector<Accumulator>& found) {
    const VarRef part = loop_var(loop.var()->name() + "_part");
    const Dim trips = loop.stop() - loop.start();
    const Dim size = ceildiv(trips, Dim(kParts));
    const Dim first = loop.start() + part->dim() * size;
    const bool even = trips.is_static() && trips.value() % kParts == 0;
    const Dim stop = even ? first + size : dim_min(first + size, loop.stop());
    Block allocs;
    Block body;
    Block ends;
    Block joins;
    StmtRef inner = loop.body();
    for (const Accumulator& acc : found) {
      const TensorType& type = *as_tensor(acc.buffer->type());
      const auto own = Var::make(acc.buffer->name(), acc.buffer->type());
      Shape shape{kParts};
      shape.insert(shape.end(), type.shape().begin(), type.shape().end());
      const auto parts =
          Var::make(acc.buffer->name() + "_parts",
                    TensorType::make(shape, type.dtype(), nullptr, StorageKind::rmem));
      const auto value_of = [](const VarRef& var) {
        return alloc_tensor(static_ref_cast<TensorType>(var->type()));
      };
      allocs.push_back(BlockItem::let(parts, value_of(parts)));
      body.push_back(BlockItem::let(own, value_of(own)));
      const auto over = [&](const std::function<Block(const Shape&)>& make) {
        return BlockItem::of(make_nest(type.shape(), make, 1));
      };
      body.push_back(over([&](const Shape& at) {
        return Block{BlockItem::of(store(own, identity(acc.kind, type.dtype()), at))};
      }));
      const auto in_part = [](const Dim& p, const Shape& at) {
        Shape index{p};
        index.insert(index.end(), at.begin(), at.end());
        return index;
      };
      ends.push_back(over([&](const Shape& at) {
        ScalarBuilder builder;
        builder.store(parts, builder.load(own, at), in_part(part->dim(), at));
        return builder.take();
      }));
      const VarRef joined = loop_var("part");
      StmtRef join = make_nest(
          type.shape(),
          [&](const Shape& at) {
            ScalarBuilder builder;
            const VarRef total(acc.buffer);
            const ExprRef old = builder.load(total, at);
            builder.store(
                total,
                builder.binary(acc.kind, old, builder.load(parts, in_part(joined->dim(), at))), at);
            return builder.take();
          },
          1);
      joins.push_back(BlockItem::of(For::make(joined, 0, kParts, 1, std::move(join))));
      inner = VarSubstituter(*acc.buffer, own).mutate(inner);
    }
    body.push_back(BlockItem::of(
        For::make(loop.var(), first, stop, 1, std::move(inner), ForMode::serial, loop.meta())));
    body.insert(body.end(), ends.begin(), ends.end());
    allocs.push_back(BlockItem::of(
        For::make(part, 0, kParts, 1, make_block(body), ForMode::parallel, loop.meta())));
    allocs.insert(allocs.end(), joins.begin(), joins.end());
    return make_block(allocs);
  }

  const BufferAliases& aliases_;
  std::unordered_set<const Var*> owned_;
};

}  // namespace

StmtRef split_reductions(const PrimFunction& function) {
  const BufferAliases aliases(function.body());
  return ReductionSplitter(aliases).mutate(function.body());
}

}  // namespace tilefoundry
