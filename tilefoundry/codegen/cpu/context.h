// The state of CPU emission: buffers, device functions, scratch memory, captures of loop bodies.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tilefoundry/codegen/context.h"
#include "tilefoundry/codegen/identifiers.h"
#include "tilefoundry/runtime/cpu_features.h"

namespace tilefoundry {

// A tensor in memory, or a rank-0 temporary in a C variable.
struct CpuBuffer {
  std::string pointer;  // an expression; for `local` the variable
  DType dtype;
  Shape shape;
  Shape strides;       // in elements
  bool local = false;  // a C variable that holds the value, not the stored form
  bool read_only = false;

  // In row-major order, whatever the strides of axes of extent 1.
  bool contiguous() const;
};

// How the products of one element type are emitted; the products of a source are merged.
struct CpuGemmForm {
  std::string tile;  // "tile" or "tail_tile"
  std::string a;     // "rows" or "any"
  std::string b;     // "rows", "columns" or "any"
  std::string path;  // "", "blocks_" or "few_"
};

// Scratch memory that a function gets from its caller.
struct CpuSlot {
  std::string name;
  std::string bytes;  // an expression over the function's dimensions
  bool per_worker;
};

// Symbols of enclosing functions that an outlined loop body reads.
struct CpuCapture {
  int depth;                       // identifiers declared up to this depth are outside
  std::vector<std::string> names;  // in order of first use
};

class CpuCodegenContext : public CodegenContext {
 public:
  CpuCodegenContext(ModuleRef module, CpuFeatures features);

  // Names. A symbol's C type is what a capture of it is declared with.
  std::string declare(const std::string& name, std::string c_type);
  // A name of the compiler's own: "tf_lane".
  std::string declare_own(const std::string& name, std::string c_type);
  void bind_var(const Var& var, std::string identifier);
  // Records the use of an identifier by loop bodies around; returns it.
  const std::string& use(const std::string& identifier);
  const std::string& c_type_of(const std::string& identifier) const;
  void open_block();  // "{" is the caller's; names declared inside end with the block
  void close_block();

  // Device text.
  void need(const std::string& item) { device_items.insert(item); }
  // A matrix product on an element type: "f32", "bf16" or "f16".
  void need_gemm(const std::string& element, const CpuGemmForm& form);
  // A function of the source itself, emitted before all others; once per name.
  void add_helper(const std::string& name, const std::string& text);

  // Buffers.
  CpuBuffer buffer(const ExprRef& expr);
  void set_buffer(const Var& var, CpuBuffer buffer);
  bool has_buffer(const Var& var) const { return buffers_.count(&var) != 0; }
  bool is_local(const Var& var) const { return buffers_.at(&var).local; }
  // A rank-0 temporary, in a C variable or in memory.
  bool is_temporary(const Var& var) const { return is_local(var) || in_memory.count(&var) != 0; }
  // The type's own strides: its layout's, else row-major. Fails where a layout has none.
  Shape type_strides(const TensorType& type, const Expr& node);
  // "x[i * 4 + j]", or the variable of a local buffer.
  std::string element(const CpuBuffer& buffer, const std::vector<ExprRef>& args, std::size_t first);
  std::string element_at(const CpuBuffer& buffer, const Shape& index);
  // Pointer to an element.
  std::string address_at(const CpuBuffer& buffer, const Shape& index);
  std::string load_text(const CpuBuffer& buffer, const std::string& element);
  // "element = value;" in the stored form.
  std::string store_text(const CpuBuffer& buffer, const std::string& element,
                         const std::string& value);

  // Scratch memory of `bytes` (an expression) that lasts for the call; one piece a worker inside a
  // parallel loop. Returns a char* expression.
  std::string scratch(const std::string& bytes);
  // Scratch memory of a callee; calls that are not in a loop body share one piece.
  std::string call_scratch(const std::string& bytes);
  // What a callee gets as its run: inside a loop body one without threads.
  std::string run_text();
  // Room for a temporary of `bytes` on the stack, when there is still some.
  bool take_stack(std::int64_t bytes);

  // Whether a dimension is known not to be negative.
  bool nonnegative(const Dim& dim) const;

  // "return status;" in a function, "return;" in an outlined loop body.
  void emit_status_check(const std::string& call);
  void emit_failure(int code, const std::string& message);

  std::string var_text(const Var& var) override;
  std::string constant_text(const Constant& constant) override;
  std::string dim_text(const Dim& dim) override;
  std::string shape_of_text(const ShapeOfExpr& expr) override;
  void begin_stmt(const Stmt& stmt) override;

  CpuFeatures features;
  std::set<std::string> device_items;
  std::map<std::string, CpuGemmForm> gemm_forms;
  std::vector<std::string> helpers;    // text of `add_helper`
  std::vector<std::string> functions;  // finished functions, loop bodies before their users
  std::vector<std::string> function_names;

  // Of the function at hand.
  void begin_function(const std::string& name);
  std::string function_name;
  // The path of the module that holds the function, "up.": symbols are relative to it.
  std::string symbol_prefix;
  IdentifierScopes names;
  std::vector<CpuSlot> slots;
  std::vector<std::string> callee_scratch;  // bytes expressions of calls; the largest counts
  std::vector<CpuCapture> captures;
  int bodies = 0;           // loop bodies outlined so far
  bool serial_run = false;  // the loop body at hand calls functions
  bool in_body = false;     // inside an outlined loop body
  bool can_fail = false;
  std::int64_t stack_bytes = 0;
  std::unordered_set<const Var*> in_memory;  // rank-0 temporaries that ops other than Load name
  std::unordered_set<const Var*> nonnegative_vars;
  // Outputs that are written past the caches where their bytes are many.
  std::unordered_map<const Var*, Dim> far_outputs;
  // Loops being emitted, outermost first.
  std::vector<const For*> loops;
  bool far_stores = false;  // the function or loop body at hand has such stores
  std::unordered_map<const Var*, std::string> lanes;  // accumulators that are split at the moment
  std::unordered_map<std::string, std::string> dim_names;                 // DimVar to identifier
  std::map<std::pair<const Var*, std::size_t>, std::string> shape_names;  // hidden scalars

 private:
  std::string atom_text(const DimNode& node);
  std::string factor_text(const Ref<const DimNode>& node);
  std::unordered_map<const Var*, CpuBuffer> buffers_;
  std::unordered_map<const Constant*, CpuBuffer> constants_;
  std::unordered_map<std::string, std::string> c_types_;
  std::set<std::string> helper_names_;
  std::string last_comment_;
};

// The context of a CPU handler.
CpuCodegenContext& cpu_context(CodegenContext& ctx);

}  // namespace tilefoundry
