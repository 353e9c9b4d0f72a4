// Buffers of CPU code: strides, views, loads and stores of elements.
#include <fmt/format.h>

#include <algorithm>

#include "tilefoundry/codegen/cpu/context.h"
#include "tilefoundry/codegen/cpu/types.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

// The index as a dimension; nothing for a general expression.
std::optional<Dim> index_dim(const ExprRef& index) {
  if (expr_cast<Call>(index) != nullptr) return std::nullopt;
  return as_dim(index);
}

Dim offset_of(const CpuBuffer& buffer, const Shape& index) {
  Dim offset = 0;
  for (std::size_t i = 0; i < index.size(); ++i) offset = offset + index[i] * buffer.strides[i];
  return offset;
}

}  // namespace

Shape CpuCodegenContext::type_strides(const TensorType& type, const Expr& node) {
  if (!type.layout()) return c_order_strides(type.shape());
  LayoutRef layout = type.layout();
  if (layout->kind() == LayoutKind::shard) {
    const auto& shard = static_cast<const ShardLayout&>(*layout);
    for (const ShardAttr& attr : shard.attrs()) {
      if (attr.kind != ShardKind::broadcast) {
        error(node, "is sharded, and the target cpu has no participants to share it",
              "remove the layout or reshard to a whole tensor");
      }
    }
    layout = shard.layout();
  }
  if (layout->kind() != LayoutKind::plain) {
    error(node, "has a composed layout, which CPU code cannot address",
          "use a plain Layout with strides");
  }
  const auto& plain = static_cast<const Layout&>(*layout);
  if (plain.strides() == nullptr) return c_order_strides(type.shape());
  const Shape strides = plain.strides()->flatten();
  if (plain.domain() != type.shape() || strides.size() != type.rank()) {
    error(node, "has a layout whose domain is not its shape, which CPU code cannot address",
          "use one stride for each axis");
  }
  return strides;
}

void CpuCodegenContext::set_buffer(const Var& var, CpuBuffer buffer) {
  bind_var(var, buffer.pointer);
  buffers_[&var] = std::move(buffer);
}

CpuBuffer CpuCodegenContext::buffer(const ExprRef& expr) {
  if (const auto* var = expr_cast<Var>(expr)) {
    const auto it = buffers_.find(var);
    if (it == buffers_.end()) error(*expr, "is not a buffer that CPU code can address");
    use(it->second.pointer);
    return it->second;
  }
  if (const auto* constant = expr_cast<Constant>(expr)) {
    const auto known = constants_.find(constant);
    if (known != constants_.end()) return known->second;
    const TensorType& type = constant->tensor_type();
    const std::string element = c_storage_type(type.dtype());
    if (element.empty()) error(*expr, "has a packed dtype, which CPU code has not yet");
    const std::size_t count =
        constant->bytes().size() / static_cast<std::size_t>(c_storage_size(type.dtype()));
    CpuBuffer made{fmt::format("tf_constant_{}", constants_.size() + 1),
                   type.dtype(),
                   type.shape(),
                   c_order_strides(type.shape()),
                   false,
                   true};
    std::string text = fmt::format("alignas(64) static const {} {}[{}] = {{", element, made.pointer,
                                   std::max<std::size_t>(count, 1));
    for (std::size_t i = 0; i < count; ++i) {
      text += (i == 0 ? "" : i % 16 == 0 ? ",\n    " : ", ") + stored_literal(*constant, i);
    }
    add_helper(made.pointer, text + "};\n");
    constants_.emplace(constant, made);
    return made;
  }
  const auto* call = expr_cast<Call>(expr);
  if (call == nullptr) error(*expr, "is not a buffer that CPU code can address");
  if (call->op<PtrOf>() != nullptr || call->op<MemorySpan>() != nullptr) {
    return buffer(call->args()[0]);
  }
  const auto* view = call->op<TensorView>();
  if (view == nullptr) error(*expr, "is not a buffer that CPU code can address");
  CpuBuffer memory = buffer(call->args()[0]);
  if (call->args().size() > 1) {
    const std::size_t axes = call->args().size() - 1;
    TF_CHECK(axes == memory.strides.size(), "a view has one start for each axis of memory");
    memory.pointer = address_at(memory, index_dims(call->args(), 1));
  }
  const TensorType& type = *as_tensor(expr->type());
  // A view restates its strides, or keeps those of memory. One that changes the rank, or has other
  // extents for as many elements, reads contiguous memory in row-major order.
  if (view->layout && *view->layout) {
    memory.strides = type_strides(type, *expr);
  } else if (type.rank() != memory.strides.size() ||
             (type.shape() != memory.shape && call->args().size() == 1 &&
              dim_product(type.shape()) == dim_product(memory.shape))) {
    if (!memory.contiguous()) {
      error(*expr, "changes the extents of memory that is not contiguous", "state a layout");
    }
    memory.strides = c_order_strides(type.shape());
  }
  memory.shape = type.shape();
  return memory;
}

std::string CpuCodegenContext::element_at(const CpuBuffer& buffer, const Shape& index) {
  if (buffer.local) return buffer.pointer;
  const std::string base = buffer.pointer.find(' ') == std::string::npos
                               ? buffer.pointer
                               : "(" + strip_parens(buffer.pointer) + ")";
  return fmt::format("{}[{}]", base, dim_text(offset_of(buffer, index)));
}

std::string CpuCodegenContext::address_at(const CpuBuffer& buffer, const Shape& index) {
  const Dim offset = offset_of(buffer, index);
  if (offset.is(0)) return buffer.pointer;
  const std::string text = dim_text(offset);
  return fmt::format("({} + {})", strip_parens(buffer.pointer),
                     text.find(' ') == std::string::npos ? text : "(" + text + ")");
}

std::string CpuCodegenContext::element(const CpuBuffer& buffer, const std::vector<ExprRef>& args,
                                       std::size_t first) {
  if (buffer.local) return buffer.pointer;
  TF_CHECK(args.size() - first == buffer.strides.size(), "one index for each axis");
  Shape index;
  std::string rest;
  for (std::size_t i = first; i < args.size(); ++i) {
    const std::optional<Dim> dim = index_dim(args[i]);
    index.push_back(dim.value_or(Dim(0)));
    if (dim) continue;
    rest += fmt::format(" + (tf_i64){} * ({})", emit_expr(args[i]),
                        dim_text(buffer.strides[i - first]));
  }
  if (rest.empty()) return element_at(buffer, index);
  return fmt::format("{}[{}{}]", buffer.pointer, dim_text(offset_of(buffer, index)), rest);
}

std::string CpuCodegenContext::load_text(const CpuBuffer& buffer, const std::string& element) {
  if (buffer.local) return element;
  const char* convert = nullptr;
  switch (buffer.dtype.code()) {
    case DType::bf16: convert = "tf_bf16_to_f32"; break;
    case DType::f16: convert = "tf_f16_to_f32"; break;
    case DType::fp8e4m3: convert = "tf_f8e4m3_to_f32"; break;
    case DType::f8e8m0: convert = "tf_f8e8m0_to_f32"; break;
    case DType::boolean: return "(" + element + " != 0)";
    default: return element;
  }
  need(convert);
  return fmt::format("{}({})", convert, element);
}

std::string CpuCodegenContext::store_text(const CpuBuffer& buffer, const std::string& element,
                                          const std::string& value) {
  const std::string plain = strip_parens(value);
  if (buffer.local) return fmt::format("{} = {};", element, plain);
  const char* convert = nullptr;
  switch (buffer.dtype.code()) {
    case DType::bf16: convert = "tf_narrow_bf16"; break;  // values are rounded already
    case DType::f16: convert = "tf_f32_to_f16"; break;
    case DType::fp8e4m3: convert = "tf_f32_to_f8e4m3"; break;
    case DType::f8e8m0: convert = "tf_f32_to_f8e8m0"; break;
    case DType::boolean:
    case DType::u8: convert = "(tf_u8)"; break;
    case DType::i8: convert = "(tf_i8)"; break;
    default: return fmt::format("{} = {};", element, plain);
  }
  if (convert[0] != '(') need(convert);
  return fmt::format("{} = {}({});", element, convert, plain);
}

}  // namespace tilefoundry
