#include "tilefoundry/passes/pass_manager.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tilefoundry/dump/dump.h"
#include "tilefoundry/passes/dirty_scope.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/text/printer.h"

namespace tilefoundry {
namespace {

using Clock = std::chrono::steady_clock;

bool dumping() {
  const auto scope = current_scope();
  return scope && any(scope->flags() & DumpFlags::PASS_IR);
}

// A dump that fails never fails the pipeline.
void dump_module(const std::string& name, const ModuleRef& module) {
  try {
    dump(name, print_module_text(module), DumpFlags::PASS_IR);
  } catch (const Error& error) {
    dump(name, std::string("# the module could not be printed:\n# ") + error.what(),
         DumpFlags::PASS_IR);
  }
}

void check_requirements(const std::vector<std::shared_ptr<Pass>>& passes) {
  std::vector<std::string> earlier;
  for (const auto& pass : passes) {
    for (const std::string& wanted : pass->requires_passes()) {
      if (std::find(earlier.begin(), earlier.end(), wanted) != earlier.end()) continue;
      throw PassError(Diagnostic{
          .code = "TF4001",
          .message = fmt::format("pass {} requires {}, which does not stand before it in the "
                                 "pipeline",
                                 pass->name(), wanted),
          .hint = fmt::format("add {} earlier; passes are never sorted or inserted", wanted)});
    }
    earlier.push_back(pass->name());
  }
}

// Whether a module pass says nothing about what it changed although it changed something.
bool needs_whole_module(const Pass& pass, bool changed) {
  return changed && !pass.is_function_local() && !pass.changed_functions().has_value();
}

ModuleRef run_checked(Pass& pass, const ModuleRef& module, PassTiming& timing) {
  const auto start = Clock::now();
  ModuleRef result = pass.run(module);
  const auto done = Clock::now();
  timing.duration = done - start;
  timing.changed = result != module;
  result = check_dirty_scope(module, result, pass.changed_functions(),
                             needs_whole_module(pass, timing.changed));
  timing.check = Clock::now() - done;
  return result;
}

}  // namespace

PassManager& PassManager::add(std::shared_ptr<Pass> pass) {
  passes_.push_back(std::move(pass));
  return *this;
}

std::string PassManager::pipeline_text() const {
  std::vector<std::string> names;
  for (const auto& pass : passes_) names.push_back(pass->name());
  return fmt::format("{}", fmt::join(names, ","));
}

ModuleRef PassManager::run(const ModuleRef& module) {
  check_requirements(passes_);
  timings_.clear();
  remarks_.clear();
  const auto scope = current_scope();
  const auto begin = Clock::now();
  ModuleRef current = module;
  for (const auto& pass : passes_) {
    const std::string folder =
        dumping() ? fmt::format("{:02}_{}", scope->next_number(), pass->name()) : "";
    const DumpScope pass_scope(folder);
    if (!folder.empty()) dump_module("before.txt", current);
    PassTiming timing{pass->name(), Clock::now() - begin, {}, {}, false};
    try {
      current = run_checked(*pass, current, timing);
    } catch (...) {
      if (!folder.empty()) {
        dump("reproducer.py",
             fmt::format("# Pipeline: {}\n# Failed in: {}\n{}", pipeline_text(), pass->name(),
                         print_module_text(module)),
             DumpFlags::PASS_IR);
      }
      throw;
    }
    timings_.push_back(timing);
    remarks_.insert(remarks_.end(), pass->remarks().begin(), pass->remarks().end());
    if (!folder.empty()) dump_module("after.txt", current);
  }
  return current;
}

std::string chrome_trace(const std::vector<PassTiming>& timings) {
  const auto micros = [](std::chrono::nanoseconds time) {
    return static_cast<double>(time.count()) / 1000.0;
  };
  nlohmann::json events = nlohmann::json::array();
  const auto event = [&](const std::string& name, std::chrono::nanoseconds start,
                         std::chrono::nanoseconds duration) {
    events.push_back({{"name", name},
                      {"ph", "X"},
                      {"pid", 1},
                      {"tid", 1},
                      {"ts", micros(start)},
                      {"dur", micros(duration)}});
  };
  for (const PassTiming& timing : timings) {
    event(timing.name, timing.start, timing.duration);
    event("check " + timing.name, timing.start + timing.duration, timing.check);
  }
  return nlohmann::json({{"traceEvents", events}}).dump(1);
}

}  // namespace tilefoundry
