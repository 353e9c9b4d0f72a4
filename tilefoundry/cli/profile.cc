#include "tilefoundry/cli/profile.h"

#include <algorithm>
#include <chrono>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tilefoundry/inspect/machine_limits.h"
#include "tilefoundry/inspect/nest_cost.h"
#include "tilefoundry/ir/op_class.h"
#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/passes/mark_profile.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry::cli {
namespace {

using Clock = std::chrono::steady_clock;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The first place that something in a statement came from.
Span find_span(const StmtRef& root) {
  std::vector<StmtRef> pending{root};
  while (!pending.empty()) {
    const StmtRef stmt = std::move(pending.back());
    pending.pop_back();
    for (const BlockItem& item : block_items(stmt)) {
      if (item.is_let()) {
        if (item.meta.span) return item.meta.span;
        for (const ExprRef& expr : post_order({item.value})) {
          if (expr->meta().span) return expr->meta().span;
        }
        continue;
      }
      if (item.stmt->span()) return item.stmt->span();
      std::vector<StmtRef> children;
      for_each_child_stmt(*item.stmt, [&](const StmtRef& child) { children.push_back(child); });
      pending.insert(pending.end(), children.rbegin(), children.rend());
    }
  }
  return {};
}

// "loop i, j", "matmul", "if".
std::string describe(const StmtRef& stmt) {
  if (const auto* evaluate = stmt_cast<Evaluate>(stmt)) {
    return evaluate->callable()->op_class().dsl_name();
  }
  if (stmt->kind() == StmtKind::if_else) return "if";
  if (stmt->kind() == StmtKind::while_loop) return "while";
  std::vector<std::string> names;
  const For* loop = stmt_cast<For>(stmt);
  while (loop != nullptr) {
    names.push_back(loop->var()->name());
    const Block body = block_items(loop->body());
    loop = body.size() == 1 ? stmt_cast<For>(body[0].stmt) : nullptr;
  }
  return "loop " + join(names, ", ");
}

struct Row {
  ProfileSite site;
  NestCost cost;
  std::vector<double> times;  // nanoseconds of each call
  double passes = 0;          // of one call
};

std::vector<double> run_calls(const RuntimeModule& runtime, const std::vector<HostArray>& inputs,
                              std::span<std::int64_t> counters, int calls, int threads,
                              std::vector<Row>& rows) {
  std::vector<DLTensor> tensors;
  for (const HostArray& input : inputs) tensors.push_back(input.view());
  std::vector<LentTensor> lent;
  for (const DLTensor& tensor : tensors) lent.push_back({&tensor, true});
  std::vector<HostArray> results = runtime.make_outputs(runtime.bind(lent));
  std::vector<DLTensor> result_tensors;
  for (const HostArray& result : results) result_tensors.push_back(result.view());
  std::vector<LentTensor> outputs;
  for (const DLTensor& tensor : result_tensors) outputs.push_back({&tensor, false});
  const CallOptions options{.threads = threads};
  runtime(lent, outputs, options);
  std::vector<double> walls;
  for (int call = 0; call < calls; ++call) {
    std::fill(counters.begin(), counters.end(), 0);
    const auto start = Clock::now();
    runtime(lent, outputs, options);
    const std::chrono::duration<double, std::nano> spent = Clock::now() - start;
    walls.push_back(spent.count());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].times.push_back(static_cast<double>(counters[2 * i]));
      rows[i].passes = static_cast<double>(counters[2 * i + 1]);
    }
  }
  return walls;
}

std::string scaled(double value, const char* unit) {
  for (const char* prefix : {"", "k", "M", "G"}) {
    if (value < 1000 || *prefix == 'G') {
      return value == 0 ? "-" : fmt::format("{:.3g} {}{}", value, prefix, unit);
    }
    value /= 1000;
  }
  return "";
}

struct Limit {
  double ns = 0;
  const char* bound = "none";
};

// The least time that this machine's measured limits allow; nothing moved or computed: 0.
Limit limit_of(const NestCost& cost, double passes, MachineLimits& limits) {
  const double bytes = cost.bytes_read + cost.bytes_written;
  Limit limit;
  if (bytes > 0) {
    const double speed = cost.bytes_written > bytes / 8 ? limits.copy_bytes_per_second(bytes)
                                                        : limits.read_bytes_per_second(bytes);
    limit = {bytes / speed * 1e9, "bytes"};
  }
  if (cost.all_flops() > 0) {
    const double ns = cost.all_flops() / limits.flops_per_second() * 1e9;
    if (ns > limit.ns) limit = {ns, "flops"};
  }
  limit.ns *= passes;
  return limit;
}

void add_row(const Row& row, double call_ns, MachineLimits& limits, ProfileReport& report) {
  const double ns = median(row.times);
  const double bytes = (row.cost.bytes_read + row.cost.bytes_written) * row.passes;
  const double flops = row.cost.all_flops() * row.passes;
  const Limit limit = limit_of(row.cost, row.passes, limits);
  const double share = ns > 0 ? limit.ns / ns : 0;
  const Span span = find_span(row.site.stmt);
  const std::string what = describe(row.site.stmt);
  const std::string place = span ? span.location() : "";
  const double seconds = std::max(ns, 1.0) / 1e9;
  report.text += fmt::format(
      "{:>10.3f} {:>5.1f}% {:>11} {:>12} {:>9.1f} {:>8.1f} {:>6.0f}% {:<5}  {}: {} -> {}{}\n",
      ns / 1e3, call_ns > 0 ? 100 * ns / call_ns : 0, scaled(bytes, "B"), scaled(flops, "FLOP"),
      bytes / seconds / 1e9, flops / seconds / 1e9, 100 * share, limit.bound, row.site.function,
      what, join(row.cost.written, ", "), place.empty() ? "" : "  (" + place + ")");
  nlohmann::ordered_json flops_by_dtype = nlohmann::ordered_json::object();
  for (const auto& [dtype, count] : row.cost.flops) {
    flops_by_dtype[std::string(dtype.name())] = count * row.passes;
  }
  nlohmann::ordered_json entry = {{"function", row.site.function},
                                  {"what", what},
                                  {"writes", row.cost.written},
                                  {"place", place},
                                  {"passes", row.passes},
                                  {"median_ns", ns},
                                  {"bytes_read", row.cost.bytes_read * row.passes},
                                  {"bytes_written", row.cost.bytes_written * row.passes},
                                  {"flops", flops},
                                  {"flops_by_dtype", std::move(flops_by_dtype)},
                                  {"bytes_per_second", bytes / seconds},
                                  {"flops_per_second", flops / seconds},
                                  {"limit_ns", limit.ns},
                                  {"limited_by", limit.bound},
                                  {"share_of_limit", share}};
  report.json["nests"].push_back(std::move(entry));
}

}  // namespace

ProfileReport profile(const RuntimeModule& runtime, const ModuleRef& lowered,
                      const std::vector<HostArray>& inputs, const DimSubstitution& extents,
                      int calls, int threads) {
  std::vector<Row> rows;
  for (ProfileSite& site : profile_sites(lowered)) {
    NestCost cost = nest_cost(site.stmt, extents);
    rows.push_back({std::move(site), std::move(cost), {}, 0});
  }
  auto* counters = static_cast<std::int64_t*>(runtime.library().find_symbol("tf_profile"));
  if (counters == nullptr && !rows.empty()) {
    throw CallError(
        Diagnostic{.code = "TF6491",
                   .message = fmt::format("the library of {} has no counters", runtime.name()),
                   .hint = "clear the build cache and run again"});
  }
  MachineLimits limits(threads);
  const std::vector<double> walls =
      run_calls(runtime, inputs, {counters, 2 * rows.size()}, calls, threads, rows);
  const double call_ns = median(walls);
  ProfileReport report;
  report.json = {{"calls", calls},
                 {"threads", limits.threads()},
                 {"call_ns", call_ns},
                 {"limit_flops_per_second", limits.flops_per_second()},
                 {"nests", nlohmann::ordered_json::array()}};
  report.text = fmt::format(
      "profile of {} on {}: {:.3f} us a call; {:.1f} GFLOP/s at most\n"
      "{:>10} {:>6} {:>11} {:>12} {:>9} {:>8} {:>7} {:<5}  where\n",
      counted(static_cast<std::size_t>(calls), "call"),
      counted(static_cast<std::size_t>(limits.threads()), "thread"), call_ns / 1e3,
      limits.flops_per_second() / 1e9, "us", "time", "bytes", "work", "GB/s", "GFLOP/s", "limit",
      "by");
  std::vector<double> outside = walls;
  for (const Row& row : rows) {
    if (row.passes == 0) continue;
    add_row(row, call_ns, limits, report);
    for (std::size_t i = 0; i < outside.size(); ++i) outside[i] -= row.times[i];
  }
  const double rest = median(outside);
  report.json["other_ns"] = rest;
  report.text += fmt::format("{:>10.3f} {:>5.1f}% {:>68}the call itself\n", rest / 1e3,
                             call_ns > 0 ? 100 * rest / call_ns : 0, "");
  return report;
}

}  // namespace tilefoundry::cli
