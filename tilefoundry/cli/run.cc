#include <algorithm>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tilefoundry/analysis/program_cost.h"
#include "tilefoundry/cli/command.h"
#include "tilefoundry/cli/pass_reports.h"
#include "tilefoundry/cli/profile.h"
#include "tilefoundry/cli/run_inputs.h"
#include "tilefoundry/driver/driver.h"
#include "tilefoundry/evaluate/comparison.h"
#include "tilefoundry/evaluate/evaluator.h"
#include "tilefoundry/runtime/interrupt.h"
#include "tilefoundry/runtime/npy.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kProfileCalls = 10;

struct Timing {
  double least_ns = 0;
  double median_ns = 0;
};

std::vector<HostTensor> evaluate_program(const RunProgram& program,
                                         const std::vector<HostArray>& inputs) {
  std::vector<HostTensor> tensors;
  for (const HostArray& input : inputs) tensors.push_back(to_host_tensor(input));
  std::vector<HostTensor> leaves;
  flatten(evaluate(program.module, *program.function, tensors), leaves);
  return leaves;
}

Timing measure(const RuntimeModule& runtime, const std::vector<HostArray>& inputs,
               const Options& options) {
  std::vector<double> times;
  const CallOptions call_options{.threads = options.threads};
  for (int i = 0; i < options.repeat; ++i) {
    const auto start = Clock::now();
    const std::vector<HostArray> outputs = runtime(inputs, call_options);
    const std::chrono::duration<double, std::nano> spent = Clock::now() - start;
    times.push_back(spent.count());
  }
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2]};
}

std::string shape_list(const std::vector<std::int64_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

// The lines and the JSON of one run.
struct Report {
  std::string text;
  nlohmann::ordered_json json = {{"schema", "tilefoundry.run"}, {"schema_version", 1}};
  bool passed = true;
};

void report_outputs(const std::vector<HostArray>& outputs, Report& report) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    report.text += fmt::format("out{}: {} {}\n", i, shape_list(outputs[i].shape), outputs[i].dtype);
    list.push_back({{"shape", outputs[i].shape}, {"dtype", outputs[i].dtype}});
  }
  report.json["outputs"] = std::move(list);
}

void verify_outputs(const RunProgram& program, const std::vector<HostArray>& inputs,
                    const std::vector<HostArray>& outputs, Report& report) {
  const std::vector<HostTensor> references = evaluate_program(program, inputs);
  const std::vector<ErrorModel> models =
      error_models(*program.function, program.substitution(inputs));
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < references.size(); ++i) {
    const HostTensor result = to_host_tensor(outputs[i]);
    const ErrorBound bound = models.at(i).bound(result.dtype());
    const Comparison comparison = compare_tensors(references[i], result, bound);
    report.passed = report.passed && comparison.passed;
    report.text += fmt::format(
        "out{}: {} {}  norm {:.6g}  max abs error {:.3g}  max rel error {:.3g} (bound {:.3g})  "
        "rms {:.3g} (bound {:.3g})  {}\n",
        i, shape_list(result.shape()), result.dtype().name(), comparison.reference_norm,
        comparison.largest_absolute, comparison.largest_relative, bound.largest,
        comparison.rms_relative, bound.rms, comparison.passed ? "PASS" : "FAIL");
    list.push_back({{"shape", result.shape()},
                    {"dtype", result.dtype().name()},
                    {"reference_norm", json_number(comparison.reference_norm)},
                    {"max_absolute_error", json_number(comparison.largest_absolute)},
                    {"max_relative_error", json_number(comparison.largest_relative)},
                    {"bound", bound.largest},
                    {"rms_error", json_number(comparison.rms_relative)},
                    {"rms_bound", bound.rms},
                    {"mismatches", comparison.mismatches},
                    {"verdict", comparison.passed ? "PASS" : "FAIL"}});
  }
  report.json["outputs"] = std::move(list);
  report.json["passed"] = report.passed;
}

void report_timing(const RunProgram& program, const std::vector<HostArray>& inputs,
                   const Timing& timing, int repeat, Report& report) {
  const ProgramCost cost =
      program_cost(program.module, *program.function, program.substitution(inputs));
  const double seconds = timing.median_ns / 1e9;
  const double bytes = static_cast<double>(cost.boundary_bytes) / seconds;
  const double flops = static_cast<double>(cost.flops) / seconds;
  report.text +=
      fmt::format("{}: min {:.3f} us, median {:.3f} us, {:.2f} GB/s, {:.2f} GFLOP/s\n",
                  counted(static_cast<std::size_t>(repeat), "call"), timing.least_ns / 1e3,
                  timing.median_ns / 1e3, bytes / 1e9, flops / 1e9);
  report.json["timing"] = {{"calls", repeat},
                           {"min_ns", timing.least_ns},
                           {"median_ns", timing.median_ns},
                           {"bytes", cost.boundary_bytes},
                           {"flops", cost.flops},
                           {"bytes_per_second", bytes},
                           {"flops_per_second", flops}};
}

void save_outputs(const std::string& folder, const std::vector<HostArray>& outputs) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw FileError(Diagnostic{
        .code = "TF7104",
        .message = fmt::format("the folder \"{}\" cannot be made: {}", folder, error.message()),
        .hint = "choose a folder that you may write in"});
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    write_npy(std::filesystem::path(folder) / fmt::format("out{}.npy", i), outputs[i]);
  }
}

// An interrupt ends the build and leaves nothing behind; calls end as the system ends them.
std::shared_ptr<const RuntimeModule> build_guarded(const ModuleRef& lowered,
                                                   const CompilerOptions& compiler) {
  const InterruptScope interrupts;
  return build(lowered, compiler);
}

std::vector<HostArray> interpret(const RunProgram& program, const std::vector<HostArray>& inputs) {
  std::vector<HostArray> outputs;
  for (const HostTensor& tensor : evaluate_program(program, inputs)) {
    outputs.push_back(to_host_array(tensor));
  }
  return outputs;
}

}  // namespace

int run_run(const Options& options) {
  const LoadedProgram loaded = load_program(options);
  const RunProgram program = run_program(loaded.selection);
  const std::vector<HostArray> inputs = run_inputs(program, options);
  Report report;
  std::vector<HostArray> outputs;
  if (options.evaluate) {
    outputs = interpret(program, inputs);
    report_outputs(outputs, report);
  } else {
    std::optional<Tuning> tuning;
    const CompilerOptions compiler =
        tuned_compiler_options(options, loaded, program.module, &tuning);
    if (tuning) report.json["tuned"] = {{"blocks", tuning->blocks}, {"threads", tuning->threads}};
    const PassReports reports(options);
    std::vector<PassTiming> timings;
    const ModuleRef lowered = lower(program.module, compiler, &timings);
    reports.report(timings);
    const auto runtime = build_guarded(lowered, compiler);
    outputs = (*runtime)(inputs, CallOptions{.threads = options.threads});
    if (options.verify) {
      verify_outputs(program, inputs, outputs, report);
    } else {
      report_outputs(outputs, report);
    }
    report.json["source"] = runtime->source().string();
    report.text += fmt::format("source: {}\n", runtime->source().string());
    if (options.profile) {
      const int calls = options.repeat > 0 ? options.repeat : kProfileCalls;
      ProfileReport profiled =
          profile(*runtime, lowered, inputs, program.substitution(inputs), calls, options.threads);
      report.text += profiled.text;
      report.json["profile"] = std::move(profiled.json);
    } else if (options.repeat > 0) {
      report_timing(program, inputs, measure(*runtime, inputs, options), options.repeat, report);
    }
  }
  if (!options.save.empty()) save_outputs(options.save, outputs);
  if (options.json) {
    write_out(report.json);
  } else {
    write_out(report.text);
  }
  return report.passed ? kOk : kWrong;
}

}  // namespace tilefoundry::cli
