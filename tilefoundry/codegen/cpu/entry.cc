#include "tilefoundry/codegen/cpu/entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tilefoundry/codegen/cpu/handlers.h"
#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/codegen/device_items.h"
#include "tilefoundry/codegen/symbols.h"
#include "tilefoundry/dims/dim_arithmetic.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

using Json = nlohmann::ordered_json;

// Where a dimension is read: a parameter's axis.
struct DimSource {
  DimVar dim;
  std::size_t param;
  std::size_t axis;
};

std::vector<DimSource> dim_sources(const PrimFunction& entry) {
  std::vector<DimSource> sources;
  for (const DimVar& dim : function_dims(entry)) {
    bool found = false;
    for (std::size_t p = 0; p < entry.params().size() && !found; ++p) {
      const Shape& shape = as_tensor(entry.params()[p]->type())->shape();
      for (std::size_t axis = 0; axis < shape.size() && !found; ++axis) {
        const DimVar* var = shape[axis].node() ? shape[axis].node()->as_var() : nullptr;
        if (var == nullptr || !(*var == dim)) continue;
        sources.push_back({dim, p, axis});
        found = true;
      }
    }
    if (found) continue;
    throw CodegenError(Diagnostic{
        .code = "TF5106",
        .message = fmt::format("the dimension {} of {} is the bare extent of no parameter, so a "
                               "call cannot tell its value",
                               dim.name, entry.name()),
        .span = entry.meta().span,
        .hint = fmt::format("give a parameter an axis of extent {}", dim.name)});
  }
  return sources;
}

std::string tensor_text(const PrimFunction& entry, std::size_t param) {
  return param < entry.input_count()
             ? fmt::format("call->inputs[{}]", param)
             : fmt::format("call->outputs[{}]", param - entry.input_count());
}

// The tree form of an extent: an integer, a name, or [op, a, b].
Json extent_tree(const Dim& dim);

Json factor_tree(const DimNode& node) {
  if (const DimVar* var = node.as_var()) return var->name;
  const DimApply* apply = node.as_apply();
  TF_CHECK(apply != nullptr, "a parameter's extent has a run-time scalar");
  static constexpr const char* kNames[] = {"floordiv", "mod", "min", "max"};
  Json tree = extent_tree(apply->operands[0]);
  for (std::size_t i = 1; i < apply->operands.size(); ++i) {
    tree = Json::array(
        {kNames[static_cast<int>(apply->op)], std::move(tree), extent_tree(apply->operands[i])});
  }
  return tree;
}

Json extent_tree(const Dim& dim) {
  const DimSum sum = dim_as_sum(dim);
  Json tree;
  for (const DimTerm& term : sum.terms) {
    Json product;
    for (const Ref<const DimNode>& factor : term.factors) {
      Json next = factor_tree(*factor);
      product = product.is_null() ? std::move(next)
                                  : Json::array({"mul", std::move(product), std::move(next)});
    }
    if (term.coefficient != 1) {
      product = Json::array({"mul", std::move(product), term.coefficient});
    }
    tree = tree.is_null() ? std::move(product)
                          : Json::array({"add", std::move(tree), std::move(product)});
  }
  if (tree.is_null()) return sum.constant;
  if (sum.constant != 0) tree = Json::array({"add", std::move(tree), sum.constant});
  return tree;
}

Json extent_json(const Dim& dim) {
  Json tree = extent_tree(dim);
  if (!tree.is_array()) return tree;
  return Json{{"text", dim.text()}, {"expr", std::move(tree)}};
}

Json tensor_json(const Var& param) {
  const TensorType& type = *as_tensor(param.type());
  Json shape = Json::array();
  for (const Dim& extent : type.shape()) shape.push_back(extent_json(extent));
  return Json{{"name", param.name()},
              {"dtype", std::string(type.dtype().name())},
              {"shape", std::move(shape)},
              {"storage", std::string(storage_name(type.storage()))},
              {"constant", param.is_const()}};
}

// Whether the entry's own dispatch refuses what is outside of the dimension's range.
bool is_dispatched(const PrimFunction& entry, const DimSource& source) {
  const auto* dispatch = stmt_cast<DispatchCall>(entry.body());
  const auto* subject =
      dispatch != nullptr ? expr_cast<ShapeOfExpr>(dispatch->subjects()[0]) : nullptr;
  return subject != nullptr && subject->param() == ExprRef(entry.params()[source.param]) &&
         subject->axis() == source.axis;
}

// Reads the extents of hidden scalars; returns the arguments.
std::vector<std::string> append_hidden_shapes(const PrimFunction& entry, std::string& text) {
  std::vector<std::string> arguments;
  for (const HiddenShape& hidden : entry.hidden_shapes()) {
    const auto at = std::find(entry.params().begin(), entry.params().end(), hidden.param);
    const std::string extent = fmt::format(
        "{}->shape[{}]", tensor_text(entry, static_cast<std::size_t>(at - entry.params().begin())),
        hidden.axis);
    text += fmt::format("  if ({} > 2147483647) return tf_fail(&run, 2, {});\n", extent,
                        c_string(fmt::format("axis {} of {} must be at most 2147483647",
                                             hidden.axis, hidden.param->name())));
    arguments.push_back(fmt::format("(tf_i32){}", extent));
  }
  return arguments;
}

void append_dim_checks(const PrimFunction& entry, const std::vector<DimSource>& sources,
                       CpuCodegenContext& ctx, std::string& text) {
  for (const DimSource& source : sources) {
    const std::string tensor = tensor_text(entry, source.param);
    const std::size_t rank = as_tensor(entry.params()[source.param]->type())->rank();
    const std::string name = ctx.dim_names.at(source.dim.name);
    text += fmt::format(
        "  if ({0}->ndim != {1}) return tf_fail(&run, 1, {2});\n"
        "  const tf_i64 {3} = {0}->shape[{4}];\n",
        tensor, rank,
        c_string(fmt::format("{} must have {} axes", entry.params()[source.param]->name(), rank)),
        name, source.axis);
    if (is_dispatched(entry, source)) continue;
    text +=
        fmt::format("  if ({0} < {1} || {0} >= {2}) return tf_fail(&run, 2, {3});\n", name,
                    int_literal(DType::i64, source.dim.lo), int_literal(DType::i64, source.dim.hi),
                    c_string(fmt::format("the dimension {} must be at least {} and less than {}",
                                         source.dim.name, source.dim.lo, source.dim.hi)));
  }
}

}  // namespace

std::string cpu_entry_symbol(const std::string& name) {
  const std::string plain = c_identifier(name);
  const std::string symbol = "tf_" + plain;
  const bool own = symbol.rfind("tf_fn_", 0) == 0 || symbol.rfind("tf_n_", 0) == 0 ||
                   symbol.rfind("tf_scratch_", 0) == 0 || symbol.rfind("tf_loop_", 0) == 0 ||
                   symbol.rfind("tf_fold_", 0) == 0 || symbol.rfind("tf_constant_", 0) == 0 ||
                   symbol.rfind("tf_entry_", 0) == 0 || symbol == "tf_abi" || symbol == "tf_run" ||
                   symbol == "tf_worker" || symbol == "tf_calls" || symbol == "tf_profile";
  if (plain != name) return "tf_entry_" + plain.substr(5);
  return own || is_device_identifier(symbol) ? "tf_entry_" + plain : symbol;
}

std::string cpu_entry_text(const PrimFunction& entry, const std::string& symbol,
                           CpuCodegenContext& ctx) {
  ctx.begin_function(entry.name());
  for (const char* own : {"call", "run", "status", "memory", "bytes", "input", "output"}) {
    ctx.names.reserve(own);
  }
  const std::vector<DimSource> sources = dim_sources(entry);
  std::vector<std::string> dims;
  for (const DimSource& source : sources) {
    ctx.dim_names[source.dim.name] = ctx.declare(source.dim.name, "const tf_i64");
    dims.push_back(ctx.dim_names[source.dim.name]);
  }
  ctx.need("tf_fail");
  ctx.need("tf_arena");
  const std::size_t n_out = entry.output_count();
  std::string text = fmt::format(
      "extern \"C\" __attribute__((visibility(\"default\"))) tf_i32 {}(const TfCall* call) {{\n"
      "  if (!call || call->struct_size < __builtin_offsetof(TfCall, parallel_for)) return 1;\n"
      "  tf_i32 status = 0;\n"
      "  TfRun run = {{0, 0, 1, call->error, call->error_size, &status}};\n"
      "  if (call->struct_size >= sizeof(TfCall) && call->parallel_for && call->n_threads > 1) {{\n"
      "    run.parallel_for = call->parallel_for;\n"
      "    run.pool = call->pool;\n"
      "    run.workers = call->n_threads;\n"
      "  }}\n"
      "  if (call->n_inputs != {} || call->n_outputs != {}) {{\n"
      "    return tf_fail(&run, 1, {});\n"
      "  }}\n",
      symbol, entry.input_count(), n_out,
      c_string(fmt::format("{} takes {} and {}", entry.name(),
                           counted(entry.input_count(), "input"), counted(n_out, "output"))));
  append_dim_checks(entry, sources, ctx, text);
  const std::vector<std::string> hidden = append_hidden_shapes(entry, text);
  const std::string name = symbol_of(ctx.module, entry);
  std::vector<std::string> sized{"run.workers"};
  sized.insert(sized.end(), dims.begin(), dims.end());
  std::vector<std::string> arguments{"&run", "memory"};
  for (std::size_t i = 0; i < entry.params().size(); ++i) {
    const TensorType& type = *as_tensor(entry.params()[i]->type());
    const std::string tensor = tensor_text(entry, i);
    arguments.push_back(fmt::format("({})((char*){}->data + {}->byte_offset)",
                                    cpu_pointer_type(type.dtype(), i < entry.input_count()), tensor,
                                    tensor));
  }
  arguments.insert(arguments.end(), dims.begin(), dims.end());
  arguments.insert(arguments.end(), hidden.begin(), hidden.end());
  text += fmt::format(
      "  const tf_i64 bytes = {}({});\n"
      "  char* const memory = bytes > 0 ? tf_arena_take(bytes) : 0;\n"
      "  if (bytes > 0 && !memory) return tf_fail(&run, 3, \"out of memory for temporaries\");\n"
      "  {}({});\n"
      "  tf_arena_give(memory);\n"
      "  return status;\n}}\n",
      cpu_scratch_symbol(name), join(sized, ", "), cpu_function_symbol(name),
      join(arguments, ",\n      "));
  return text;
}

std::string cpu_abi_json(const PrimFunction& entry, const std::string& symbol,
                         const CpuFeatures& features) {
  Json json{{"schema", "tilefoundry.abi"},
            {"schema_version", 1},
            {"entry", entry.name()},
            {"symbol", symbol}};
  json["inputs"] = Json::array();
  json["outputs"] = Json::array();
  for (std::size_t i = 0; i < entry.params().size(); ++i) {
    json[i < entry.input_count() ? "inputs" : "outputs"].push_back(tensor_json(*entry.params()[i]));
  }
  json["dims"] = Json::object();
  for (const DimVar& dim : function_dims(entry)) {
    json["dims"][dim.name] = Json{{"lo", dim.lo}, {"hi", dim.hi}};
  }
  json["cpu_features"] = features.names();
  return json.dump();
}

}  // namespace tilefoundry
