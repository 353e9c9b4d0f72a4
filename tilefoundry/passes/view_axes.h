// Views followed to the buffers that they look into, axis by axis.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "tilefoundry/ir/tir/stmt.h"

namespace tilefoundry {

// Element strides of a buffer: its plain layout's, or C order without one; nothing for another
// kind.
std::optional<Shape> plain_strides(const TensorType& type);

class ViewAxes {
 public:
  explicit ViewAxes(const StmtRef& body);

  // The buffer behind a view, or the buffer itself.
  const Var* root(const Var* buffer) const;
  bool is_view(const Var* buffer) const { return views_.contains(buffer); }
  // The axis of the root along which `axis` of the buffer runs from its first element to its last,
  // or -1.
  int root_axis(const Var* buffer, int axis) const;
  // Whether a view looks into the buffer.
  bool has_views(const Var* root) const { return viewed_.contains(root); }

 private:
  struct View {
    const Var* root;
    std::vector<int> axes;
  };
  void add(const LetStmt& let);

  std::unordered_map<const Var*, View> views_;
  std::unordered_map<const Var*, int> viewed_;
};

}  // namespace tilefoundry
