// Descriptors: the keys of every registry (design 1.4).
#pragma once

#include <string>

namespace tilefoundry {

enum class NodeClassKind { op, stmt, function };

// What an op, a statement or a callable function is an instance of. One object per class for the
// life of the process; identity is the key.
class NodeClass {
 public:
  NodeClass(const NodeClass&) = delete;
  NodeClass& operator=(const NodeClass&) = delete;
  virtual ~NodeClass() = default;

  NodeClassKind node_kind() const noexcept { return kind_; }
  // "Binary", "For".
  const std::string& name() const noexcept { return name_; }

 protected:
  NodeClass(NodeClassKind kind, std::string name) : kind_(kind), name_(std::move(name)) {}

 private:
  NodeClassKind kind_;
  std::string name_;
};

class StmtClass final : public NodeClass {
 public:
  explicit StmtClass(std::string name) : NodeClass(NodeClassKind::stmt, std::move(name)) {}
};

class FunctionClass final : public NodeClass {
 public:
  explicit FunctionClass(std::string name) : NodeClass(NodeClassKind::function, std::move(name)) {}
};

}  // namespace tilefoundry
