// The syntax tree of one file.
#pragma once

#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tilefoundry/frontend/syntax_expr.h"
#include "tilefoundry/frontend/syntax_stmt.h"
#include "tilefoundry/support/source.h"

namespace tilefoundry {

// Owns the nodes of a tree. They are freed all at once, without a walk.
class SyntaxArena {
 public:
  template <class T>
  T* make() {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (memory_->allocate(sizeof(T), alignof(T))) T();
  }
  template <class T>
  std::span<const T> copy(const std::vector<T>& items) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (items.empty()) return {};
    auto* data = static_cast<T*>(memory_->allocate(items.size() * sizeof(T), alignof(T)));
    std::uninitialized_copy(items.begin(), items.end(), data);
    return {data, items.size()};
  }
  std::string_view copy(std::string_view text);

 private:
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory_ =
      std::make_unique<std::pmr::monotonic_buffer_resource>();
};

class SyntaxTree {
 public:
  explicit SyntaxTree(Ref<const SourceBuffer> source) : source_(std::move(source)) {}

  const Ref<const SourceBuffer>& source() const noexcept { return source_; }
  // The statements of the module. After errors: those that could be read.
  SyntaxBlock statements() const noexcept { return statements_; }
  // Every comment from its `#` to the end of its line, in order.
  std::span<const TextRange> comments() const noexcept { return comments_; }

  Span span(TextRange range) const { return Span{source_, range.begin, range.end}; }
  Span span(const ExprSyntax& node) const { return span(node.range); }
  Span span(const StmtSyntax& node) const { return span(node.range); }
  std::string_view text(TextRange range) const {
    return std::string_view(source_->text()).substr(range.begin, range.end - range.begin);
  }

  // For whoever builds a tree.
  SyntaxArena& arena() noexcept { return arena_; }
  void set_statements(SyntaxBlock statements) { statements_ = statements; }
  void set_comments(std::vector<TextRange> comments) { comments_ = std::move(comments); }

 private:
  Ref<const SourceBuffer> source_;
  SyntaxArena arena_;
  SyntaxBlock statements_;
  std::vector<TextRange> comments_;
};

}  // namespace tilefoundry
