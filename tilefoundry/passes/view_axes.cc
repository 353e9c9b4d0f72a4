#include "tilefoundry/passes/view_axes.h"

#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"

namespace tilefoundry {

std::optional<Shape> plain_strides(const TensorType& type) {
  const LayoutRef& layout = type.layout();
  if (!layout) return c_order_strides(type.shape());
  if (layout->kind() != LayoutKind::plain || layout->domain() != type.shape()) return std::nullopt;
  const IntTuple* strides = static_cast<const Layout&>(*layout).strides();
  if (strides == nullptr) return std::nullopt;
  return strides->flatten();
}

namespace {

// For each axis of a view the one axis of its memory that it covers, or -1.
std::vector<int> covered_axes(const Call& view, const TensorType& type, const TensorType& memory) {
  std::vector<int> axes(type.rank(), -1);
  const std::optional<Shape> from = plain_strides(memory);
  const std::optional<Shape> to = plain_strides(type);
  if (!from || !to) return axes;
  const Shape starts = view.args().size() > 1 ? index_dims(view.args(), 1) : Shape();
  for (std::size_t axis = 0; axis < type.rank(); ++axis) {
    int matches = 0;
    for (std::size_t at = 0; at < memory.rank(); ++at) {
      const bool same = memory.shape()[at] == type.shape()[axis] && (*from)[at] == (*to)[axis];
      if (!same || (at < starts.size() && !starts[at].is(0))) continue;
      axes[axis] = static_cast<int>(at);
      ++matches;
    }
    if (matches != 1 || type.shape()[axis].is(1)) axes[axis] = -1;
  }
  return axes;
}

class LetCollector final : public StmtVisitor {
 public:
  explicit LetCollector(const std::function<void(const LetStmt&)>& see) : see_(see) {}

 protected:
  void visit_LetStmt(const LetStmt& let) override {
    see_(let);
    generic_visit(let);
  }

 private:
  const std::function<void(const LetStmt&)>& see_;
};

}  // namespace

ViewAxes::ViewAxes(const StmtRef& body) {
  const std::function<void(const LetStmt&)> see = [this](const LetStmt& let) { add(let); };
  LetCollector(see).visit(body);
}

void ViewAxes::add(const LetStmt& let) {
  const auto* call = expr_cast<Call>(let.value());
  const bool address = call != nullptr && !call->args().empty() &&
                       (call->op<TensorView>() != nullptr || call->op<PtrOf>() != nullptr ||
                        call->op<MemorySpan>() != nullptr);
  const auto* memory = address ? expr_cast<Var>(call->args()[0]) : nullptr;
  const auto* alias = expr_cast<Var>(let.value());
  const TensorType* type = as_tensor(let.var()->type());
  if (type == nullptr || type->rank() == 0) return;
  View view{nullptr, std::vector<int>(type->rank(), -1)};
  if (alias != nullptr) {
    memory = alias;
    for (std::size_t i = 0; i < type->rank(); ++i) view.axes[i] = static_cast<int>(i);
  } else if (memory == nullptr) {
    return;
  } else if (call->op<TensorView>() != nullptr) {
    view.axes = covered_axes(*call, *type, *as_tensor(memory->type()));
  }
  for (int& axis : view.axes) axis = axis < 0 ? -1 : root_axis(memory, axis);
  view.root = root(memory);
  ++viewed_[view.root];
  views_.emplace(let.var().get(), std::move(view));
}

const Var* ViewAxes::root(const Var* buffer) const {
  const auto it = views_.find(buffer);
  return it == views_.end() ? buffer : it->second.root;
}

int ViewAxes::root_axis(const Var* buffer, int axis) const {
  const auto it = views_.find(buffer);
  return it == views_.end() ? axis : it->second.axes[static_cast<std::size_t>(axis)];
}

}  // namespace tilefoundry
