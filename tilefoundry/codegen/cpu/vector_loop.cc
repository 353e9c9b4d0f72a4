// Vectorized leaf loops: chunks of 64 elements in named vectors, the rest under masks.
#include "tilefoundry/codegen/cpu/vector_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/ir/tir/ops.h"

namespace tilefoundry {
namespace {

constexpr std::int64_t kFewTrips = 4;

bool reads(const Dim& dim, const std::function<bool(const Var*)>& test) {
  bool found = false;
  for_each_dim_atom(dim, [&](const DimNode& node) {
    const auto* var = node.as_atom() ? dynamic_cast<const Var*>(node.as_atom()) : nullptr;
    found = found || (var != nullptr && test(var));
  });
  return found;
}

DType dtype_of(const ExprRef& expr) { return as_tensor(expr->type())->dtype(); }

class VectorLoop {
 public:
  VectorLoop(const For& loop, CpuCodegenContext& ctx)
      : loop_(loop),
        ctx_(ctx),
        items_(block_items(loop.body())),
        width_(vector_width(ctx.features)),
        trips_(loop.stop() - loop.start()) {}

  // Whether all of the loop has a form in vectors.
  bool supported() {
    if (width_ == 0 || !loop_.step().is(1) || !ctx_.lanes.empty()) return false;
    if (trips_.is_static() && trips_.value() < kFewTrips) return false;
    auto found = lane_accumulators(loop_, ctx_);
    if (!found) return false;
    accumulators_ = std::move(*found);
    for (const LaneAccumulator& acc : accumulators_) {
      const DType dtype = as_tensor(acc.var->type())->dtype();
      if (vector_element(dtype).empty() || dtype.is_bool()) return false;
      if (!has_vector_binary(acc.kind, dtype)) return false;
    }
    for (const BlockItem& item : items_) {
      if (item.is_let()) continue;
      stored_.insert(expr_cast<Var>(stmt_cast<Evaluate>(item.stmt)->args()[0]));
    }
    for (const BlockItem& item : items_) {
      if (!(item.is_let() ? let_supported(item) : store_supported(item))) return false;
    }
    return true;
  }

  void emit() {
    ctx_.need("tf_vector");
    const std::string start = ctx_.dim_text(loop_.start());
    const std::string stop = ctx_.dim_text(loop_.stop());
    ctx_.line(trips_.is_static() ? "{" : fmt::format("if ({} < {}) {{", start, stop));
    ctx_.open_block();
    if (ctx_.nonnegative(loop_.start())) ctx_.nonnegative_vars.insert(loop_.var().get());
    emit_uniform();
    declare_far_stores();
    first_ = ctx_.declare_own("tf_first", "tf_i64");
    const bool chunks = !trips_.is_static() || trips_.value() >= chunk_size();
    const bool rest = !trips_.is_static() || trips_.value() % chunk_size() != 0;
    declare_accumulators(chunks);
    ctx_.line(fmt::format("tf_i64 {} = {};", first_, start));
    if (chunks) {
      ctx_.line(fmt::format("for (; {0} + {1} <= {2}; {0} += {1}) {{", first_, chunk_size(), stop));
      ctx_.open_block();
      emit_chunk();
      ctx_.close_block();
      ctx_.line("}");
      spill_accumulators();
    }
    if (rest) emit_rest(stop);
    join_accumulators();
    ctx_.close_block();
    ctx_.line("}");
  }

 private:
  // Vectors in a chunk: accumulators have 64 lanes.
  std::int64_t unroll() const {
    const std::int64_t most = kAccumulatorLanes / width_;
    if (!accumulators_.empty() || !trips_.is_static()) return most;
    return std::clamp<std::int64_t>(trips_.value() / width_, 1, most);
  }
  std::int64_t chunk_size() const { return unroll() * width_; }

  bool varies(const Var* var) const { return var == loop_.var().get() || varying_.contains(var); }

  bool index_supported(const std::vector<ExprRef>& args, std::size_t first) const {
    for (std::size_t i = first; i < args.size(); ++i) {
      if (expr_cast<Call>(args[i]) != nullptr) return false;
      const bool moves =
          reads(as_dim(args[i]), [&](const Var* var) { return varying_.contains(var); });
      if (moves) return false;
    }
    return true;
  }

  const CpuBuffer* buffer_of(const ExprRef& expr) {
    const auto* var = expr_cast<Var>(expr);
    if (var == nullptr || !ctx_.has_buffer(*var)) return nullptr;
    return &buffers_.try_emplace(var, ctx_.buffer(expr)).first->second;
  }

  bool is_accumulator(const ExprRef& expr) const {
    return std::any_of(accumulators_.begin(), accumulators_.end(),
                       [&](const LaneAccumulator& acc) { return acc.var == expr.get(); });
  }

  // Sets `moving` when the value differs from trip to trip.
  bool load_supported(const Call& call, bool& moving) {
    const CpuBuffer* buffer = buffer_of(call.args()[0]);
    if (buffer == nullptr) return false;
    const bool stored = stored_.contains(expr_cast<Var>(call.args()[0]));
    if (buffer->local) {
      moving = moving || stored;
      return !stored || is_accumulator(call.args()[0]);
    }
    if (!index_supported(call.args(), 1)) return false;
    const auto step = address_step(*buffer, index_dims(call.args(), 1), *loop_.var());
    if (step == 1) {
      moving = true;
      return !vector_element(buffer->dtype).empty();
    }
    return step == 0 && !stored;
  }

  bool let_supported(const BlockItem& item) {
    bool moving = false;
    const TensorType* type = as_tensor(item.var->type());
    if (type == nullptr || type->rank() != 0) return false;
    for (const ExprRef& node : post_order({item.value})) {
      if (const auto* var = expr_cast<Var>(node)) {
        if (var == loop_.var().get())
          return index_only(item.value, *var) && check_calls(item, moving);
        moving = moving || varying_.contains(var);
      }
    }
    return check_calls(item, moving);
  }

  // Whether a variable stands in the indices of loads only.
  static bool index_only(const ExprRef& root, const Var& var) {
    for (const ExprRef& node : post_order({root})) {
      const auto* call = expr_cast<Call>(node);
      if (call == nullptr || call->op<Load>() != nullptr) continue;
      for (const ExprRef& arg : call->args()) {
        if (arg.get() == &var) return false;
      }
    }
    return root.get() != &var;
  }

  bool check_calls(const BlockItem& item, bool moving) {
    std::unordered_set<const Expr*> moves;
    for (const ExprRef& node : post_order({item.value})) {
      bool here = false;
      if (const auto* var = expr_cast<Var>(node)) here = varying_.contains(var);
      if (const auto* value = expr_cast<DimValue>(node)) {
        const bool own = reads(value->dim(), [&](const Var* var) { return varies(var); });
        if (own && node == item.value) return false;
        continue;
      }
      const auto* call = expr_cast<Call>(node);
      if (call != nullptr && call->op<Load>() != nullptr) {
        if (!load_supported(*call, here)) return false;
      } else if (call != nullptr) {
        for (const ExprRef& arg : call->args()) {
          here = here || moves.contains(arg.get());
          const auto* value = expr_cast<DimValue>(arg);
          if (value != nullptr && reads(value->dim(), [&](const Var* v) { return varies(v); })) {
            return false;
          }
        }
        if (here && !op_supported(*call)) return false;
        if (!here && !is_scalar(*call)) return false;
      }
      if (here) moves.insert(node.get());
      moving = moving || here;
    }
    if (moving) {
      if (vector_element(dtype_of(item.value)).empty()) return false;
      varying_.insert(item.var.get());
    }
    return true;
  }

  static bool is_scalar(const Call& call) {
    return call.op<ScalarBinary>() != nullptr || call.op<ScalarUnary>() != nullptr ||
           call.op<ScalarCast>() != nullptr || call.op<Select>() != nullptr;
  }

  static bool op_supported(const Call& call) {
    if (const auto* op = call.op<ScalarBinary>()) {
      return has_vector_binary(op->kind, dtype_of(call.args()[0]));
    }
    if (const auto* op = call.op<ScalarUnary>()) {
      return has_vector_unary(op->kind, dtype_of(call.args()[0]));
    }
    if (const auto* op = call.op<ScalarCast>()) {
      return has_vector_cast(dtype_of(call.args()[0]), op->dtype);
    }
    return call.op<Select>() != nullptr && !vector_element(dtype_of(call.args()[1])).empty();
  }

  bool store_supported(const BlockItem& item) {
    const auto& store = *stmt_cast<Evaluate>(item.stmt);
    if (expr_cast<Call>(store.args()[1]) != nullptr) return false;
    if (is_accumulator(store.args()[0])) return true;
    if (store.args()[1].get() == loop_.var().get() || expr_cast<DimValue>(store.args()[1])) {
      return false;
    }
    const CpuBuffer* buffer = buffer_of(store.args()[0]);
    if (buffer == nullptr || buffer->local || vector_element(buffer->dtype).empty()) return false;
    return index_supported(store.args(), 2) &&
           address_step(*buffer, index_dims(store.args(), 2), *loop_.var()) == 1;
  }

  // Bindings that are the same in every trip stand before the loop.
  void emit_uniform() {
    for (const BlockItem& item : items_) {
      if (!item.is_let() || varying_.contains(item.var.get())) continue;
      const DType dtype = dtype_of(item.value);
      const std::string value = strip_parens(ctx_.emit_expr(item.value));
      const std::string c_type = "const " + c_value_type(dtype);
      const std::string name = ctx_.declare(item.var->name(), c_type);
      ctx_.line(fmt::format("{} {} = {};", c_type, name, value));
      ctx_.bind_var(*item.var, name);
    }
  }

  // Which stores go past the caches: outputs that are large and begin at a line.
  void declare_far_stores() {
    for (const BlockItem& item : items_) {
      if (item.is_let()) continue;
      const auto& store = *stmt_cast<Evaluate>(item.stmt);
      const auto* var = expr_cast<Var>(store.args()[0]);
      const auto far = ctx_.far_outputs.find(var);
      if (far == ctx_.far_outputs.end() || is_accumulator(store.args()[0])) continue;
      const std::string name = ctx_.declare_own("tf_far", "const bool");
      Shape index;
      for (const Dim& dim : index_dims(store.args(), 2)) {
        index.push_back(substitute(dim, [&](const Ref<const DimNode>& node) {
          const bool own = node->as_atom() == static_cast<const DimAtom*>(loop_.var().get());
          return own ? loop_.start() : Dim(node);
        }));
      }
      const std::string size =
          far->second.is_static()
              ? ""
              : fmt::format("{} >= {} && ", ctx_.dim_text(far->second), kCpuFarBytes);
      ctx_.line(fmt::format("const bool {} = {}tf_whole_lines({});", name, size,
                            strip_parens(ctx_.address_at(buffers_.at(var), index))));
      ctx_.far_stores = true;
      far_names_[&store] = name;
    }
  }

  void declare_accumulators(bool chunks) {
    for (const LaneAccumulator& acc : accumulators_) {
      const DType dtype = as_tensor(acc.var->type())->dtype();
      const std::string identity = identity_text(acc.kind, dtype);
      lane_names_.push_back(ctx_.declare(acc.var->name() + "_lane", c_value_type(dtype) + "*"));
      ctx_.line(fmt::format("alignas(64) {} {}[{}];", c_value_type(dtype), lane_names_.back(),
                            kAccumulatorLanes));
      vector_names_.push_back(ctx_.declare(acc.var->name() + "_v", vector_type(dtype) + "*"));
      const std::string value = fmt::format("tf_all({})", identity);
      if (chunks) {
        std::string values = value;
        for (std::int64_t u = 1; u < unroll(); ++u) values += ", " + value;
        ctx_.line(fmt::format("{} {}[{}] = {{{}}};", vector_type(dtype), vector_names_.back(),
                              unroll(), values));
      } else {
        ctx_.line(
            fmt::format("for (tf_i64 tf_u = 0; tf_u < {0}; tf_u += {1}) "
                        "tf_put_{2}({3} + tf_u, {4});",
                        kAccumulatorLanes, width_, dtype.is_float() ? "f32" : "i32",
                        lane_names_.back(), value));
        need_lane(dtype);
      }
    }
  }

  void need_lane(DType dtype) {
    ctx_.need(dtype.is_float() ? "tf_get_f32" : "tf_get_i32");
    ctx_.need(dtype.is_float() ? "tf_put_f32" : "tf_put_i32");
  }

  void spill_accumulators() {
    for (std::size_t i = 0; i < accumulators_.size(); ++i) {
      const DType dtype = as_tensor(accumulators_[i].var->type())->dtype();
      need_lane(dtype);
      ctx_.line(fmt::format("#pragma GCC unroll {}", unroll()));
      ctx_.line(fmt::format(
          "for (tf_i64 tf_u = 0; tf_u < {}; tf_u++) tf_put_{}({} + tf_u * {}, "
          "{}[tf_u]);",
          unroll(), dtype.is_float() ? "f32" : "i32", lane_names_[i], width_, vector_names_[i]));
    }
  }

  void join_accumulators() {
    for (std::size_t i = 0; i < accumulators_.size(); ++i) {
      const LaneAccumulator& acc = accumulators_[i];
      const DType dtype = as_tensor(acc.var->type())->dtype();
      const std::string name = ctx_.var_text(*acc.var);
      const std::string folded =
          fmt::format("{}({})", fold_helper(ctx_, acc.kind, dtype), lane_names_[i]);
      ctx_.line(fmt::format("{} = {};", name,
                            strip_parens(cpu_binary_text(ctx_, acc.kind, dtype, name, folded))));
    }
  }

  // Rows of the next trip of the loop around, on their way while this one runs.
  void emit_prefetches() {
    for (const AheadLoad& load : loads_ahead(loop_, ctx_)) {
      const CpuBuffer buffer = ctx_.buffer(load.buffer);
      ctx_.need("tf_prefetch");
      ctx_.line(fmt::format("tf_prefetch({}, {});",
                            strip_parens(ctx_.address_at(buffer, load.index)),
                            chunk_size() * c_storage_size(buffer.dtype)));
    }
  }

  void emit_chunk() {
    ctx_.bind_var(*loop_.var(), first_);
    emit_prefetches();
    part_.clear();
    ctx_.line(fmt::format("#pragma GCC unroll {}", unroll()));
    ctx_.line(fmt::format("for (tf_i64 tf_u = 0; tf_u < {}; tf_u++) {{", unroll()));
    ctx_.open_block();
    lane_texts_.clear();
    for (const std::string& name : vector_names_) lane_texts_.push_back(name + "[tf_u]");
    bind_loop_var(fmt::format("{} + tf_u * {}", first_, width_));
    emit_body();
    ctx_.close_block();
    ctx_.line("}");
  }

  void emit_rest(const std::string& stop) {
    const std::string at = ctx_.declare_own("tf_at", "tf_i64");
    ctx_.line(fmt::format("for (tf_i64 {0} = 0; {1} < {2}; {0} += {3}, {1} += {3}) {{", at, first_,
                          stop, width_));
    ctx_.open_block();
    ctx_.need("tf_min_i64");
    part_ = ctx_.declare_own("tf_part", "const tf_i64");
    ctx_.line(
        fmt::format("const tf_i64 {} = tf_min_i64({} - {}, {});", part_, stop, first_, width_));
    lane_texts_.clear();
    for (const std::string& name : lane_names_)
      lane_texts_.push_back(fmt::format("{} + {}", name, at));
    if (accumulators_.empty()) ctx_.line(fmt::format("(void){};", at));
    bind_loop_var(first_);
    emit_body();
    ctx_.close_block();
    ctx_.line("}");
  }

  void bind_loop_var(const std::string& value) {
    const std::string name = ctx_.declare(loop_.var()->name(), "const tf_i64");
    ctx_.line(fmt::format("const tf_i64 {} = {};", name, value));
    ctx_.bind_var(*loop_.var(), name);
  }

  struct Known {
    const Var* buffer;
    Shape index;
    ExprRef value;
  };

  void emit_body() {
    known_.clear();
    for (const BlockItem& item : items_) {
      if (item.is_let()) {
        if (varying_.contains(item.var.get())) emit_let(item);
      } else {
        emit_store(*stmt_cast<Evaluate>(item.stmt));
      }
    }
  }

  void emit_let(const BlockItem& item) {
    const std::string value = strip_parens(vector_text(item.value));
    const std::string c_type = "const " + vector_type(dtype_of(item.value));
    const std::string name = ctx_.declare(item.var->name(), c_type);
    ctx_.line(fmt::format("{} {} = {};", c_type, name, value));
    ctx_.bind_var(*item.var, name);
  }

  std::string element_call(const char* verb, DType dtype, const std::string& arguments) {
    const std::string element = vector_element(dtype);
    ctx_.need(fmt::format("tf_element_{}_v", element.substr(0, element.find('_'))));
    return fmt::format("tf_{}_{}({}{})", verb, element, arguments,
                       part_.empty() ? "" : ", " + part_);
  }

  void emit_store(const Evaluate& store) {
    const auto* var = expr_cast<Var>(store.args()[0]);
    texts_.clear();
    const std::string value = strip_parens(as_vector(store.args()[1]));
    for (std::size_t i = 0; i < accumulators_.size(); ++i) {
      if (accumulators_[i].var != var) continue;
      const DType dtype = as_tensor(var->type())->dtype();
      if (part_.empty()) {
        ctx_.line(fmt::format("{} = {};", lane_texts_[i], value));
      } else {
        need_lane(dtype);
        ctx_.line(fmt::format("tf_put_{}({}, {}, {});", dtype.is_float() ? "f32" : "i32",
                              lane_texts_[i], value, part_));
      }
      return;
    }
    const CpuBuffer& buffer = buffers_.at(var);
    const Shape index = index_dims(store.args(), 2);
    const std::string address = strip_parens(ctx_.address_at(buffer, index));
    const auto far = far_names_.find(&store);
    if (far != far_names_.end() && part_.empty()) {
      const std::string element = vector_element(buffer.dtype);
      if (element == "f32" || element == "i32") ctx_.need("tf_stream_" + element);
      const std::string arguments = fmt::format("{}, {}, {}", address, value, far->second);
      ctx_.line(element_call("stream", buffer.dtype, arguments) + ";");
    } else {
      ctx_.line(element_call("put", buffer.dtype, address + ", " + value) + ";");
    }
    known_.push_back({var, index, store.args()[1]});
  }

  bool moves(const ExprRef& expr) const {
    const auto* var = expr_cast<Var>(expr);
    return var != nullptr ? varying_.contains(var) : texts_.contains(expr.get());
  }

  // The text of a value as a vector.
  std::string as_vector(const ExprRef& expr) {
    const auto it = texts_.find(expr.get());
    if (it != texts_.end()) return it->second;
    const std::string text = ctx_.emit_expr(expr);
    return moves(expr) ? text : fmt::format("tf_all({})", strip_parens(text));
  }

  std::string load_text(const Call& call) {
    const auto* var = expr_cast<Var>(call.args()[0]);
    for (std::size_t i = 0; i < accumulators_.size(); ++i) {
      if (accumulators_[i].var != var) continue;
      const DType dtype = as_tensor(var->type())->dtype();
      if (part_.empty()) return lane_texts_[i];
      return fmt::format("tf_get_{}({})", dtype.is_float() ? "f32" : "i32", lane_texts_[i]);
    }
    const Shape index = index_dims(call.args(), 1);
    for (auto it = known_.rbegin(); it != known_.rend(); ++it) {
      if (it->buffer == var && it->index == index) return as_vector(it->value);
    }
    const CpuBuffer& buffer = buffers_.at(var);
    return element_call("get", buffer.dtype, strip_parens(ctx_.address_at(buffer, index)));
  }

  // The text of an expression that varies. Operands before users, without recursion.
  std::string vector_text(const ExprRef& root) {
    texts_.clear();
    for (const ExprRef& node : post_order({root})) {
      const auto* call = expr_cast<Call>(node);
      if (call == nullptr) continue;
      bool moving = false;
      if (call->op<Load>() != nullptr) {
        load_supported(*call, moving);
        if (moving) texts_[node.get()] = load_text(*call);
        continue;
      }
      for (const ExprRef& arg : call->args()) moving = moving || moves(arg);
      if (moving) texts_[node.get()] = op_text(*call);
    }
    return as_vector(root);
  }

  std::string op_text(const Call& call) {
    const DType dtype = dtype_of(call.args()[0]);
    const auto arg = [&](std::size_t i) { return as_vector(call.args()[i]); };
    if (const auto* op = call.op<ScalarBinary>()) {
      return vector_binary_text(ctx_, op->kind, dtype, arg(0), arg(1));
    }
    if (const auto* op = call.op<ScalarUnary>()) {
      return vector_unary_text(ctx_, op->kind, dtype, arg(0));
    }
    if (const auto* op = call.op<ScalarCast>()) {
      return vector_cast_text(ctx_, dtype, op->dtype, arg(0));
    }
    return fmt::format("tf_choose({}, {}, {})", strip_parens(arg(0)), strip_parens(arg(1)),
                       strip_parens(arg(2)));
  }

  const For& loop_;
  CpuCodegenContext& ctx_;
  Block items_;
  int width_;
  Dim trips_;
  std::vector<LaneAccumulator> accumulators_;
  std::unordered_set<const Var*> stored_;
  std::unordered_set<const Var*> varying_;
  std::unordered_map<const Var*, CpuBuffer> buffers_;
  std::unordered_map<const Evaluate*, std::string> far_names_;
  std::vector<std::string> lane_names_;    // arrays of lanes in memory
  std::vector<std::string> vector_names_;  // arrays of vectors in registers
  std::vector<std::string> lane_texts_;    // of the vector at hand
  std::string first_;
  std::string part_;  // the number of leading lanes; empty for all
  std::vector<Known> known_;
  std::unordered_map<const Expr*, std::string> texts_;
};

}  // namespace

bool emit_cpu_vector_loop(const For& loop, CpuCodegenContext& ctx) {
  VectorLoop vector(loop, ctx);
  if (!vector.supported()) return false;
  vector.emit();
  return true;
}

}  // namespace tilefoundry
