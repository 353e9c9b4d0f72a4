#include "tilefoundry/codegen/cpu/module.h"

#include <fmt/format.h>
#include <unistd.h>

#include "tilefoundry/codegen/cpu/entry.h"
#include "tilefoundry/codegen/cpu/handlers.h"
#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/codegen/device_items.h"
#include "tilefoundry/codegen/symbols.h"
#include "tilefoundry/codegen/visitor.h"
#include "tilefoundry/runtime/toolchain.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/target/cpu_target.h"

namespace tilefoundry {

void register_cpu_handlers(AnalysisRegistry& registry) {
  register_cpu_scalar(registry);
  register_cpu_memory(registry);
  register_cpu_copy_fill(registry);
  register_cpu_matmul(registry);
  register_cpu_require(registry);
  register_cpu_profile(registry);
}

namespace {

// Columns of a block of a product's right operand: a block of 256 rows fills half of L2. Code for
// named features assumes 1 MiB, so that it is the same wherever it is made.
const char* block_columns(const CpuTarget& target) {
  if (target.features() != "native") return "512";
  const long bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes >= (2l << 20) ? "1024" : bytes > 0 && bytes < (1l << 20) ? "256" : "512";
}

std::string device_source(const CpuCodegenContext& ctx, const CpuTarget& target) {
  const CpuFeatures& features = ctx.features;
  const bool avx512 = features.has("avx512f") && features.has("avx512vl") &&
                      features.has("avx512bw") && features.has("avx512dq");
  const bool avx2 = features.has("avx2") && features.has("fma") && features.has("f16c");
  const std::string level = avx512 ? "avx512.inc" : avx2 ? "avx2.inc" : "portable.inc";
  std::vector<DeviceFile> files{{"cpu/math.inc", {}},        {"cpu/scalar.inc", {}},
                                {"cpu/vector_" + level, {}}, {"cpu/vector.inc", {}},
                                {"cpu/transpose.inc", {}},   {"cpu/gemm_" + level, {}}};
  const auto add_products = [&](const std::string& element, const CpuGemmForm& form) {
    files.push_back({"cpu/gemm.inc",
                     {{"S", element},
                      {"T", element == "f32" ? "float" : "tf_u16"},
                      {"KC", "320"},
                      {"NC", block_columns(target)},
                      {"MC", "96"},
                      {"COPY_A", "0"},
                      {"TILE", form.tile},
                      {"A", form.a},
                      {"B", form.b},
                      {"PATH", form.path}}});
  };
  const auto f32 = ctx.gemm_forms.find("f32");
  add_products("f32",
               f32 == ctx.gemm_forms.end() ? CpuGemmForm{"tile", "any", "any", ""} : f32->second);
  // Where two files have an item, the first one counts.
  const bool pairs =
      avx512 && features.has("avx512bf16") && (target.features() != "native" || fast_bf16_pairs());
  if (pairs) files.push_back({"cpu/gemm_pairs.inc", {}});
  for (const auto& [element, form] : ctx.gemm_forms) {
    if (element != "f32") add_products(element, form);
  }
  files.push_back({"cpu/call.inc", {}});
  return device_items_text(files, ctx.device_items);
}

PrimFunctionRef entry_of(const ModuleRef& module, const std::vector<PrimFunctionRef>& functions) {
  const CallableRef entry = module->entry_function();
  for (const PrimFunctionRef& function : functions) {
    if (entry && entry.get() == function.get()) return function;
  }
  throw CodegenError(
      Diagnostic{.code = "TF5103",
                 .message = fmt::format("the module {} has no entry to build", module->name()),
                 .span = module->meta().span,
                 .hint = "declare one with entry=\"...\""});
}

// Forward declarations of functions and of their scratch functions.
std::string declarations(const std::vector<LinkableFunction>& functions) {
  std::string text;
  for (const LinkableFunction& function : functions) {
    for (const char* start : {"static tf_i64 tf_scratch_", "static tf_i32 tf_fn_"}) {
      const std::size_t at = function.source.find(start);
      TF_CHECK(at != std::string::npos, "a function without a head");
      text += function.source.substr(at, function.source.find(" {\n", at) - at) + ";\n";
    }
  }
  return text;
}

const std::vector<std::string>& standard_flags() {
  static const auto* flags =
      new std::vector<std::string>{"-std=c++20",         "-O2",
                                   "-ftree-vectorize",   "-ftree-slp-vectorize",
                                   "-fno-math-errno",    "-fno-trapping-math",
                                   "-ffp-contract=off",  "-fno-exceptions",
                                   "-fno-rtti",          "-fno-asynchronous-unwind-tables",
                                   "-fvisibility=hidden"};
  return *flags;
}

}  // namespace

LinkableModule generate_cpu(const ModuleRef& module, const TargetRef& target,
                            const std::vector<PrimFunctionRef>& functions) {
  const auto* cpu = dynamic_cast<const CpuTarget*>(target.get());
  TF_CHECK(cpu != nullptr, "the target named cpu is no CpuTarget");
  const Toolchain& toolchain = Toolchain::host();
  CpuCodegenContext ctx(module, toolchain.supported(CpuFeatures::parse(cpu->features())));
  CodegenVisitor visitor(ctx, "cpu");
  const PrimFunctionRef entry = entry_of(module, functions);

  LinkableModule out;
  out.target = target;
  out.language = "cc";
  for (const PrimFunctionRef& function : functions) {
    const std::size_t first = ctx.functions.size();
    emit_cpu_function(*function, ctx);
    std::string text;
    for (std::size_t i = first; i < ctx.functions.size(); ++i) {
      text += (text.empty() ? "" : "\n") + ctx.functions[i];
    }
    out.functions.push_back({ctx.function_names.back(), std::move(text)});
  }
  out.entry = entry->name();
  out.symbol = cpu_entry_symbol(entry->name());
  out.abi_json = cpu_abi_json(*entry, out.symbol, ctx.features);
  const std::string entry_text = cpu_entry_text(*entry, out.symbol, ctx);

  out.source = fmt::format("// Generated by TileFoundry from the module {}, for {}.\n\n",
                           module->name(), target->repr());
  out.source += device_source(ctx, *cpu);
  for (const std::string& helper : ctx.helpers) out.source += helper + "\n";
  if (out.functions.size() > 1) out.source += declarations(out.functions) + "\n";
  for (const LinkableFunction& function : out.functions) out.source += function.source + "\n";
  out.source += entry_text + "\n";
  out.source += fmt::format(
      "extern \"C\" __attribute__((visibility(\"default\"))) const char* tf_abi(void) {{\n"
      "  return {};\n}}\n",
      c_string(out.abi_json));
  out.flags = standard_flags();
  if (toolchain.kind() != CompilerKind::clang) out.flags.emplace_back("-fvect-cost-model=dynamic");
  for (const std::string& flag : ctx.features.flags()) out.flags.push_back(flag);
  return out;
}

}  // namespace tilefoundry
