// Names of the program as C identifiers.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace tilefoundry {

// One to one. A plain ASCII name stays as it is; a keyword of C or C++, a name that is not ASCII,
// or one that could meet a name of the compiler's own ("tf_...", "Tf...", a leading '_', "__")
// becomes "tf_n_" with every character but letters and digits written as Z and two hex digits.
std::string c_identifier(std::string_view name);

// Distinct names within one emitted function. A name stays taken until its scope ends.
class IdentifierScopes {
 public:
  // `c_identifier(name)`, with _2, _3... when it is taken.
  std::string declare(std::string_view name);
  // A name of the compiler's own, spelled as it is where it is free.
  std::string declare_own(const std::string& identifier);
  // Marks a spelling as taken.
  void reserve(const std::string& identifier);
  void push();
  void pop();
  // The depth at which an identifier was declared; -1 when it is not declared.
  int depth_of(const std::string& identifier) const;
  int depth() const noexcept { return depth_; }

 private:
  int depth_ = 0;
  std::unordered_map<std::string, int> taken_;
};

}  // namespace tilefoundry
