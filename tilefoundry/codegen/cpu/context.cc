#include "tilefoundry/codegen/cpu/context.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {

CpuCodegenContext::CpuCodegenContext(ModuleRef module, CpuFeatures cpu_features)
    : CodegenContext(std::move(module)), features(std::move(cpu_features)) {
  need("tf_call");
}

CpuCodegenContext& cpu_context(CodegenContext& ctx) {
  auto* cpu = dynamic_cast<CpuCodegenContext*>(&ctx);
  TF_CHECK(cpu != nullptr, "a CPU handler got the context of another target");
  return *cpu;
}

void CpuCodegenContext::begin_function(const std::string& name) {
  function_name = name;
  names = IdentifierScopes();
  slots.clear();
  callee_scratch.clear();
  captures.clear();
  bodies = 0;
  serial_run = false;
  in_body = false;
  can_fail = false;
  stack_bytes = 0;
  in_memory.clear();
  nonnegative_vars.clear();
  lanes.clear();
  far_outputs.clear();
  loops.clear();
  far_stores = false;
  dim_names.clear();
  buffers_.clear();
  c_types_.clear();
  symbol_table.clear();
  last_comment_.clear();
  output.clear();
  indent = 0;
  for (const char* name_of_all : {"tf_run", "tf_scratch", "tf_worker"}) {
    names.reserve(name_of_all);
  }
  c_types_["tf_run"] = "const TfRun* const";
}

std::string CpuCodegenContext::declare(const std::string& name, std::string c_type) {
  const std::string identifier = names.declare(name);
  c_types_[identifier] = std::move(c_type);
  return identifier;
}

std::string CpuCodegenContext::declare_own(const std::string& name, std::string c_type) {
  const std::string identifier = names.declare_own(name);
  c_types_[identifier] = std::move(c_type);
  return identifier;
}

void CpuCodegenContext::bind_var(const Var& var, std::string identifier) {
  symbol_table[VarRef(&var)] = std::move(identifier);
}

const std::string& CpuCodegenContext::use(const std::string& identifier) {
  const int depth = names.depth_of(identifier);
  for (CpuCapture& capture : captures) {
    if (depth < 0 || depth > capture.depth) continue;
    if (std::find(capture.names.begin(), capture.names.end(), identifier) == capture.names.end()) {
      capture.names.push_back(identifier);
    }
  }
  return identifier;
}

const std::string& CpuCodegenContext::c_type_of(const std::string& identifier) const {
  const auto it = c_types_.find(identifier);
  TF_CHECK(it != c_types_.end(), "an identifier without a C type: " + identifier);
  return it->second;
}

void CpuCodegenContext::open_block() {
  names.push();
  ++indent;
}

void CpuCodegenContext::close_block() {
  names.pop();
  --indent;
}

void CpuCodegenContext::need_gemm(const std::string& element, const CpuGemmForm& form) {
  const auto [it, fresh] = gemm_forms.emplace(element, form);
  if (fresh) return;
  CpuGemmForm& merged = it->second;
  if (form.tile == "tail_tile") merged.tile = form.tile;
  if (form.a != merged.a) merged.a = "any";
  if (form.b != merged.b) merged.b = "any";
  if (form.path != merged.path) merged.path.clear();
}

bool CpuBuffer::contiguous() const {
  const Shape wanted = c_order_strides(shape);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!shape[i].is(1) && !(strides[i] == wanted[i])) return false;
  }
  return true;
}

void CpuCodegenContext::add_helper(const std::string& name, const std::string& text) {
  if (helper_names_.insert(name).second) helpers.push_back(text);
}

std::string CpuCodegenContext::scratch(const std::string& bytes) {
  need("tf_pad");
  need("tf_arena");
  const std::string name = fmt::format("tf_s{}", slots.size() + 1);
  const std::string size = fmt::format("tf_b{}", slots.size() + 1);
  slots.push_back({name, bytes, in_body});
  // Declared by the function's prologue, at its outermost depth.
  if (!in_body) return name;
  for (CpuCapture& capture : captures) {
    capture.names.push_back(name);
    capture.names.push_back(size);
  }
  c_types_[name] = "char* const";
  c_types_[size] = "const tf_i64";
  return fmt::format("({} + tf_worker * {})", name, size);
}

std::string CpuCodegenContext::call_scratch(const std::string& bytes) {
  if (in_body) return scratch(bytes);
  need("tf_pad");
  need("tf_arena");
  callee_scratch.push_back(bytes);
  return "tf_calls";
}

std::string CpuCodegenContext::run_text() {
  use("tf_run");
  if (!in_body) return "tf_run";
  serial_run = true;
  return "&tf_serial";
}

bool CpuCodegenContext::take_stack(std::int64_t bytes) {
  constexpr std::int64_t kMost = 16 * 1024;
  if (bytes > kMost || stack_bytes + bytes > kMost) return false;
  stack_bytes += bytes;
  return true;
}

void CpuCodegenContext::emit_status_check(const std::string& call) {
  can_fail = true;
  if (in_body) {
    line(fmt::format("if ({}) return;", call));
  } else {
    line(fmt::format("if (tf_i32 tf_status = {}) return tf_status;", call));
  }
}

void CpuCodegenContext::emit_failure(int code, const std::string& message) {
  can_fail = true;
  need("tf_fail");
  const std::string call =
      fmt::format("tf_fail({}, {}, {})", use("tf_run"), code, c_string(message));
  if (in_body) {
    line(call + ";");
    line("return;");
  } else {
    line("return " + call + ";");
  }
}

std::string CpuCodegenContext::var_text(const Var& var) {
  const auto it = buffers_.find(&var);
  if (it != buffers_.end()) {
    use(it->second.pointer);
    const bool scalar = it->second.shape.empty() && !it->second.local;
    return scalar ? load_text(it->second, element_at(it->second, {})) : it->second.pointer;
  }
  return use(CodegenContext::var_text(var));
}

std::string CpuCodegenContext::constant_text(const Constant& constant) {
  if (constant.tensor_type().rank() != 0) return buffer(ExprRef(&constant)).pointer;
  return constant_literal(constant, 0);
}

void CpuCodegenContext::begin_stmt(const Stmt& stmt) {
  if (stmt.kind() == StmtKind::sequential) return;
  const std::string text = source_line(stmt.span());
  if (text.empty() || text == last_comment_) return;
  last_comment_ = text;
  line("// " + text);
}

}  // namespace tilefoundry
