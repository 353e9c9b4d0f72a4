// Parallel loops: the body becomes a function that the caller's threads run.
#include <fmt/format.h>

#include <algorithm>

#include "tilefoundry/codegen/cpu/handlers.h"
#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

bool has_return(const StmtRef& body) {
  std::vector<StmtRef> pending{body};
  while (!pending.empty()) {
    const StmtRef stmt = std::move(pending.back());
    pending.pop_back();
    for (const BlockItem& item : block_items(stmt)) {
      if (item.is_let()) continue;
      if (item.stmt->kind() == StmtKind::return_stmt) return true;
      for_each_child_stmt(*item.stmt, [&](const StmtRef& child) { pending.push_back(child); });
    }
  }
  return false;
}

// What a body function is emitted into, apart from the function around it.
class BodyScope {
 public:
  explicit BodyScope(CpuCodegenContext& ctx)
      : ctx_(ctx),
        outer_output_(std::move(ctx.output)),
        outer_indent_(ctx.indent),
        outer_far_(ctx.far_stores) {
    ctx_.far_stores = false;
    ctx_.output.clear();
    ctx_.captures.push_back({ctx_.names.depth(), {}});
    ctx_.indent = 0;
    ctx_.in_body = true;
    ctx_.serial_run = false;
  }
  ~BodyScope() {
    ctx_.output = std::move(outer_output_);
    ctx_.indent = outer_indent_;
    ctx_.captures.pop_back();
    ctx_.in_body = false;
    ctx_.serial_run = false;
    ctx_.far_stores = outer_far_;
  }
  BodyScope(const BodyScope&) = delete;
  BodyScope& operator=(const BodyScope&) = delete;
  std::vector<std::string> captured() const {
    std::vector<std::string> names;
    for (const std::string& name : ctx_.captures.back().names) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
  }

 private:
  CpuCodegenContext& ctx_;
  std::vector<std::string> outer_output_;
  int outer_indent_;
  bool outer_far_;
};

// A field's type: the declared one without the const of the variable itself.
std::string field_type(const std::string& c_type) {
  constexpr std::string_view kPointer = " const";
  if (c_type.size() > kPointer.size() &&
      c_type.compare(c_type.size() - kPointer.size(), kPointer.size(), kPointer) == 0) {
    return c_type.substr(0, c_type.size() - kPointer.size());
  }
  const bool scalar = c_type.rfind("const ", 0) == 0 && c_type.back() != '*';
  return scalar ? c_type.substr(6) : c_type;
}

std::string body_text(const std::string& name, const std::string& type,
                      const std::vector<std::string>& captured, bool serial_run,
                      const std::vector<std::string>& lines, const CpuCodegenContext& ctx) {
  std::string text = fmt::format("struct {} {{\n", type);
  for (const std::string& symbol : captured) {
    text += fmt::format("  {} {};\n", field_type(ctx.c_type_of(symbol)), symbol);
  }
  text += fmt::format(
      "}};\nstatic void {}(void* tf_context, tf_i64 tf_begin, tf_i64 tf_end, tf_i32 tf_worker) "
      "{{\n",
      name);
  if (!captured.empty()) {
    text += fmt::format("  const {0}* const tf_c = (const {0}*)tf_context;\n", type);
  }
  for (const std::string& symbol : captured) {
    text +=
        fmt::format("  {0} const {1} = tf_c->{1};\n", field_type(ctx.c_type_of(symbol)), symbol);
  }
  if (serial_run) {
    text +=
        "  TfRun tf_serial = *tf_run;\n  tf_serial.parallel_for = 0;\n  tf_serial.workers = 1;\n";
  }
  for (const std::string& line : lines) text += line + "\n";
  // Other threads see stores past the caches after a fence.
  if (ctx.far_stores) text += "  __builtin_ia32_sfence();\n";
  return text + "}\n";
}

}  // namespace

namespace {

// A parallel loop and those that are nothing but its body, whose bounds do not depend on it: their
// trips are shared out as one range.
std::vector<const For*> collapsed_loops(const For& outer, const CpuCodegenContext& ctx) {
  std::vector<const For*> loops{&outer};
  while (true) {
    const Block body = block_items(loops.back()->body());
    const auto* inner = body.size() == 1 ? stmt_cast<For>(body.front().stmt) : nullptr;
    if (inner == nullptr || inner->mode() != ForMode::parallel) return loops;
    bool free = ctx.nonnegative(inner->step());
    for (const Dim* bound : {&inner->start(), &inner->stop(), &inner->step()}) {
      for_each_dim_atom(*bound, [&](const DimNode& node) { free = free && !node.as_atom(); });
    }
    if (!free) return loops;
    loops.push_back(inner);
  }
}

Dim trips_of(const For& loop) { return ceildiv(loop.stop() - loop.start(), loop.step()); }

// Opens the loop over a range of trips and declares the variables of all loops.
void open_trips(const std::vector<const For*>& loops, CpuCodegenContext& ctx) {
  const For& first = *loops.front();
  const bool plain = loops.size() == 1 && first.step().is(1) && first.start().is(0);
  std::vector<std::string> variables;
  for (const For* loop : loops) {
    variables.push_back(ctx.declare(loop->var()->name(), "const tf_i64"));
    ctx.bind_var(*loop->var(), variables.back());
    if (ctx.nonnegative(loop->start())) ctx.nonnegative_vars.insert(loop->var().get());
  }
  const std::string counter = plain ? variables.front() : "tf_trip";
  ctx.line(fmt::format("for (tf_i64 {0} = tf_begin; {0} < tf_end; {0}++) {{", counter));
  ctx.open_block();
  if (plain) return;
  std::string rest = "tf_trip";
  for (std::size_t i = loops.size(); i-- > 0;) {
    const For& loop = *loops[i];
    std::string trip = rest;
    if (i > 0) {
      const std::string count = ctx.dim_text(trips_of(loop));
      trip = fmt::format("{} % ({})", rest, count);
      rest = fmt::format("{} / ({})", rest, count);
    }
    ctx.line(fmt::format("const tf_i64 {} = {} + {} * ({});", variables[i],
                         ctx.dim_text(loop.start()), trip, ctx.dim_text(loop.step())));
  }
}

}  // namespace

bool emit_cpu_parallel(const For& loop, CpuCodegenContext& ctx) {
  if (ctx.in_body || !ctx.nonnegative(loop.step()) || has_return(loop.body()) ||
      !outer_accumulators(loop, ctx).empty()) {
    return false;
  }
  const std::vector<const For*> loops = collapsed_loops(loop, ctx);
  ctx.need("tf_call");
  const std::string base = cpu_function_symbol(ctx.function_name).substr(6);
  const std::string name = fmt::format("tf_loop_{}_{}", base, ++ctx.bodies);
  const std::string type = fmt::format("TfLoop_{}_{}", base, ctx.bodies);
  const bool failed_before = ctx.can_fail;
  ctx.can_fail = false;
  std::vector<std::string> captured;
  {
    BodyScope scope(ctx);
    ctx.open_block();
    open_trips(loops, ctx);
    ctx.emit_stmt(loops.back()->body());
    ctx.close_block();
    ctx.line("}");
    ctx.close_block();
    captured = scope.captured();
    ctx.functions.push_back(body_text(name, type, captured, ctx.serial_run, ctx.output, ctx));
  }
  const bool can_fail = ctx.can_fail;
  ctx.can_fail = failed_before || can_fail;
  // Pieces of at least 50 us.
  const std::string cost = cpu_trip_cost(loops, ctx);
  const bool fixed = cost.find_first_not_of("0123456789") == std::string::npos;
  const std::string grain =
      fixed ? fmt::format("{}", 2500000 / std::max<std::int64_t>(std::stoll(cost), 1) + 1)
            : fmt::format("2500000 / ({}) + 1", cost);
  Dim trips = 1;
  for (const For* one : loops) trips = trips * trips_of(*one);
  ctx.line("{");
  ctx.open_block();
  ctx.line(fmt::format("{} tf_c = {{{}}};", type, join(captured, ", ")));
  ctx.line(fmt::format("tf_parallel({0}->parallel_for, {0}->pool, {1}, &tf_c, {2}, {3});",
                       ctx.use("tf_run"), name, ctx.dim_text(trips), grain));
  if (can_fail) ctx.line("if (*tf_run->status) return *tf_run->status;");
  ctx.close_block();
  ctx.line("}");
  return true;
}

}  // namespace tilefoundry
