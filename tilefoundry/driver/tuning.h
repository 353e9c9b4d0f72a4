// What `tilefoundry tune` found for a program on this machine, kept in the build cache.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tilefoundry/driver/options.h"
#include "tilefoundry/ir/module.h"

namespace tilefoundry {

struct Tuning {
  std::map<std::string, std::int64_t> blocks;  // empty: the sizes that the model chooses
  int threads = 0;                             // of a call; 0: what the machine has
  double median_ns = 0;                        // of a call when it was tuned
  double untuned_ns = 0;

  // "out_axis0 = 64, 2 threads".
  std::string text() const;
  friend bool operator==(const Tuning&, const Tuning&) = default;
};

// Under the program's text, the target, this CPU and its compiler. Without a stored or readable
// entry, or with the cache off: nothing. An entry that is damaged counts as none.
std::optional<Tuning> find_tuning(const ModuleRef& module, const CompilerOptions& options);
// FileError TF7490 when the build cache is off, so that nothing can be kept.
void require_tuning_cache();
// Throws as above, and FileError when the cache cannot be written.
void store_tuning(const ModuleRef& module, const CompilerOptions& options, const Tuning& tuning);
// Whether there was one.
bool forget_tuning(const ModuleRef& module, const CompilerOptions& options);

// The options with what was tuned, if there is something and the options leave blocks and passes to
// the compiler. `applied`, when given, receives it.
CompilerOptions tuned_options(const ModuleRef& module, const CompilerOptions& options,
                              std::optional<Tuning>* applied = nullptr);

}  // namespace tilefoundry
