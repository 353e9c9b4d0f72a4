// `tune`: tries block sizes and numbers of threads on this machine and keeps the fastest.
#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tilefoundry/cli/command.h"
#include "tilefoundry/cli/run_inputs.h"
#include "tilefoundry/driver/driver.h"
#include "tilefoundry/driver/tuning.h"
#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/runtime/interrupt.h"
#include "tilefoundry/runtime/thread_pool.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry::cli {
namespace {

using Clock = std::chrono::steady_clock;

// A candidate must be this much faster than the best so far to replace it: noise is not.
constexpr double kGain = 0.97;
constexpr int kMostLoops = 8;
constexpr int kCalls = 20;

struct BlockLoop {
  std::string name;
  std::int64_t size;
  std::int64_t extent;  // 0: known when the program runs
};

// Parallel loops of every function; some of them are block loops.
std::vector<BlockLoop> parallel_loops(const ModuleRef& root) {
  std::vector<BlockLoop> loops;
  std::vector<ModuleRef> modules{root};
  std::vector<StmtRef> pending;
  while (!modules.empty()) {
    const ModuleRef module = std::move(modules.back());
    modules.pop_back();
    for (const CallableRef& member : module->functions()) {
      if (const auto* function = as_prim_function(*member)) pending.push_back(function->body());
    }
    modules.insert(modules.end(), module->children().begin(), module->children().end());
  }
  while (!pending.empty()) {
    const StmtRef stmt = std::move(pending.back());
    pending.pop_back();
    for (const BlockItem& item : block_items(stmt)) {
      if (item.is_let()) continue;
      const auto* loop = stmt_cast<For>(item.stmt);
      const bool known = loop != nullptr && loop->step().is_static() && loop->start().is(0);
      if (known && loop->mode() == ForMode::parallel) {
        loops.push_back({loop->var()->name(), loop->step().value(),
                         loop->stop().is_static() ? loop->stop().value() : 0});
      }
      for_each_child_stmt(*item.stmt, [&](const StmtRef& child) { pending.push_back(child); });
    }
  }
  return loops;
}

// One way to build and call the program.
struct Candidate {
  std::map<std::string, std::int64_t> blocks;
  int threads = 0;
  double median_ns = 0;
};

class Tuner {
 public:
  Tuner(const RunProgram& program, CompilerOptions compiler, const std::vector<HostArray>& inputs,
        const Options& options)
      : program_(program),
        compiler_(std::move(compiler)),
        inputs_(inputs),
        options_(options),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(options.seconds))) {}

  void run() {
    const ModuleRef lowered = lower(program_.module, compiler_);
    base_ = build(lowered, compiler_);
    best_build_ = base_;
    best_.threads = ThreadPool::instance().default_threads();
    best_.median_ns = measure(*base_, best_.threads, nullptr);
    untuned_ns_ = best_.median_ns;
    tried_.push_back(best_);
    const std::vector<BlockLoop> loops = block_loops(lowered);
    for (const BlockLoop& loop : loops) {
      improve(loop, 2);
      improve(loop, 0.5);
    }
    // A size that the model chooses too says nothing.
    for (const BlockLoop& loop : loops) {
      const auto found = best_.blocks.find(loop.name);
      if (found != best_.blocks.end() && found->second == loop.size) best_.blocks.erase(found);
    }
    try_threads();
  }

  const Candidate& best() const { return best_; }
  double untuned_ns() const { return untuned_ns_; }
  const std::vector<Candidate>& tried() const { return tried_; }
  bool out_of_time() const { return out_of_time_; }

 private:
  using Built = std::shared_ptr<const RuntimeModule>;

  std::vector<BlockLoop> block_loops(const ModuleRef& lowered) const {
    std::vector<BlockLoop> out;
    for (const BlockLoop& loop : parallel_loops(lowered)) {
      CompilerOptions asked = compiler_;
      asked.blocks = {{loop.name, loop.size}};
      try {
        lower(program_.module, asked);
      } catch (const PassError& error) {
        if (error.diagnostic().code == "TF4470") continue;
        throw;
      }
      out.push_back(loop);
      if (out.size() == kMostLoops) break;
    }
    return out;
  }

  // Goes on in one direction while it pays.
  void improve(const BlockLoop& loop, double factor) {
    const auto known = best_.blocks.find(loop.name);
    auto size = static_cast<double>(known != best_.blocks.end() ? known->second : loop.size);
    while (true) {
      size *= factor;
      const auto next = static_cast<std::int64_t>(size);
      const std::int64_t most = loop.extent > 0 ? loop.extent : 4096;
      if (next < 1 || next > most || !in_time()) return;
      Candidate candidate = best_;
      candidate.blocks[loop.name] = next;
      CompilerOptions asked = compiler_;
      asked.blocks = candidate.blocks;
      if (!offer(candidate, build(lower(program_.module, asked), asked))) return;
    }
  }

  void try_threads() {
    for (int threads = best_.threads / 2; threads >= 1 && in_time(); threads /= 2) {
      Candidate candidate = best_;
      candidate.threads = threads;
      if (!offer(candidate, best_build_)) return;
    }
  }

  // Measures a candidate beside the best so far; whether it took its place.
  bool offer(Candidate candidate, const Built& built) {
    double best_now = 0;
    candidate.median_ns = measure(*built, candidate.threads, &best_now);
    tried_.push_back(candidate);
    if (candidate.median_ns >= best_now * kGain) return false;
    best_ = std::move(candidate);
    best_build_ = built;
    return true;
  }

  bool in_time() {
    const bool left = Clock::now() < end_;
    out_of_time_ = out_of_time_ || !left;
    return left;
  }

  // The median of several calls, in turn with those of the best build when `best_ns` is given.
  double measure(const RuntimeModule& runtime, int threads, double* best_ns) const {
    const auto calls = static_cast<std::size_t>(options_.repeat > 0 ? options_.repeat : kCalls);
    std::vector<double> times;
    std::vector<double> best_times;
    const auto once = [&](const RuntimeModule& module, int count) {
      const auto start = Clock::now();
      module(inputs_, CallOptions{.threads = count});
      return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    };
    once(runtime, threads);
    const auto begin = Clock::now();
    while (times.size() < 5 ||
           (times.size() < calls && Clock::now() - begin < std::chrono::seconds(1))) {
      if (best_ns != nullptr) best_times.push_back(once(*best_build_, best_.threads));
      times.push_back(once(runtime, threads));
    }
    const auto median = [](std::vector<double>& values) {
      std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                       values.end());
      return values[values.size() / 2];
    };
    if (best_ns != nullptr) *best_ns = median(best_times);
    return median(times);
  }

  const RunProgram& program_;
  CompilerOptions compiler_;
  const std::vector<HostArray>& inputs_;
  const Options& options_;
  Clock::time_point end_;
  Candidate best_;
  Built base_;
  Built best_build_;
  double untuned_ns_ = 0;
  std::vector<Candidate> tried_;
  bool out_of_time_ = false;
};

Tuning tuning_of(const Candidate& candidate, double untuned_ns = 0) {
  return {candidate.blocks, candidate.threads, candidate.median_ns, untuned_ns};
}

void report(const Tuner& tuner, const Tuning& tuning, bool json) {
  if (json) {
    nlohmann::ordered_json tried = nlohmann::ordered_json::array();
    for (const Candidate& candidate : tuner.tried()) {
      tried.push_back({{"blocks", candidate.blocks},
                       {"threads", candidate.threads},
                       {"median_ns", candidate.median_ns}});
    }
    const nlohmann::ordered_json out = {
        {"schema", "tilefoundry.tune"},     {"schema_version", 1},
        {"blocks", tuning.blocks},          {"threads", tuning.threads},
        {"median_ns", tuning.median_ns},    {"untuned_ns", tuning.untuned_ns},
        {"complete", !tuner.out_of_time()}, {"tried", std::move(tried)}};
    write_out(out);
    return;
  }
  std::string text;
  for (const Candidate& candidate : tuner.tried()) {
    text +=
        fmt::format("{:>12.3f} us  {}\n", candidate.median_ns / 1e3, tuning_of(candidate).text());
  }
  text += fmt::format("kept: {} ({:.3f} us, {:.3f} us before){}\n", tuning.text(),
                      tuning.median_ns / 1e3, tuning.untuned_ns / 1e3,
                      tuner.out_of_time() ? "; --seconds ended the search" : "");
  write_out(text);
}

}  // namespace

int run_tune(const Options& options) {
  const LoadedProgram loaded = load_program(options);
  const RunProgram program = run_program(loaded.selection);
  const CompilerOptions compiler = compiler_options(options, loaded);
  if (options.forget) {
    const bool known = forget_tuning(program.module, compiler);
    write_out(std::string(known ? "forgotten\n" : "nothing was kept for this program\n"));
    return kOk;
  }
  require_tuning_cache();
  Options chosen = options;
  if (chosen.inputs.empty()) chosen.inputs = {"random"};
  const std::vector<HostArray> inputs = run_inputs(program, chosen);
  Tuner tuner(program, compiler, inputs, chosen);
  {
    const InterruptScope interrupts;
    tuner.run();
  }
  const Tuning tuning = tuning_of(tuner.best(), tuner.untuned_ns());
  store_tuning(program.module, compiler, tuning);
  report(tuner, tuning, options.json);
  return kOk;
}

}  // namespace tilefoundry::cli
