#include "tilefoundry/runtime/call_check.h"

#include <fmt/core.h>

#include <algorithm>

#include "tilefoundry/runtime/element.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

[[noreturn]] void fail(const char* code, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  throw CallError(std::move(diagnostic));
}

std::vector<std::int64_t> shape_of(const DLTensor& tensor) {
  if (tensor.ndim <= 0) return {};
  return {tensor.shape, tensor.shape + tensor.ndim};
}

// Strides of extents 1 do not matter, nor any when there are no elements.
bool is_contiguous(const DLTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  std::int64_t expected = 1;
  bool contiguous = true;
  for (std::int32_t axis = tensor.ndim - 1; axis >= 0; --axis) {
    if (tensor.shape[axis] == 0) return true;
    if (tensor.shape[axis] != 1 && tensor.strides[axis] != expected) contiguous = false;
    if (__builtin_mul_overflow(expected, tensor.shape[axis], &expected)) return false;
  }
  return contiguous;
}

struct ByteRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

ByteRange bytes_of(const DLTensor& tensor) {
  const ElementFormat* format = find_element_format(tensor.dtype);
  const std::int64_t bytes = contiguous_bytes(*format, shape_of(tensor));
  const auto begin = reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
  return {begin, begin + static_cast<std::uintptr_t>(bytes)};
}

bool overlap(const DLTensor& a, const DLTensor& b) {
  const ByteRange first = bytes_of(a);
  const ByteRange second = bytes_of(b);
  return first.begin < first.end && second.begin < second.end && first.begin < second.end &&
         second.begin < first.end;
}

std::string device_text(DLDevice device) {
  switch (static_cast<int>(device.device_type)) {
    case kDLCUDA: return fmt::format("a CUDA device ({})", device.device_id);
    case kDLROCM: return fmt::format("a ROCm device ({})", device.device_id);
    case kDLMetal: return "a Metal device";
    default: return fmt::format("a device of DLPack type {}", static_cast<int>(device.device_type));
  }
}

bool on_cpu(const DLTensor& tensor) {
  const int type = static_cast<int>(tensor.device.device_type);
  return type == kDLCPU || type == kDLCUDAHost;
}

}  // namespace

std::string CallChecker::described(const AbiTensor& tensor, std::size_t index, Role role) const {
  return fmt::format("{} {} ({}: {})", role == Role::input ? "input" : "output", index, tensor.name,
                     tensor.type_text());
}

void CallChecker::check_count(std::size_t got, const std::vector<AbiTensor>& wanted,
                              Role role) const {
  if (got == wanted.size()) return;
  const char* noun = role == Role::input ? "input" : "output";
  std::vector<std::string> names;
  for (const AbiTensor& tensor : wanted) names.push_back(tensor.name + ": " + tensor.type_text());
  fail("TF6201", fmt::format("{} takes {}, got {}", abi_.entry, counted(wanted.size(), noun), got),
       names.empty() ? fmt::format("call it without {}s", noun) : "pass " + join(names, ", "));
}

void CallChecker::check_form(const DLTensor* tensor, const AbiTensor& wanted, std::size_t index,
                             Role role) const {
  // The text is made only for a failure: checks run on every call.
  const auto where = [&] { return described(wanted, index, role); };
  if (tensor == nullptr) fail("TF6211", where() + " is missing", "pass a tensor");
  const ElementFormat* format = find_element_format(tensor->dtype);
  if (format == nullptr || format->name != wanted.dtype) {
    fail("TF6202",
         fmt::format("{} has dtype {}, wanted {}", where(), element_text(tensor->dtype),
                     wanted.dtype),
         fmt::format("convert it to {}", wanted.dtype));
  }
  const std::vector<std::int64_t> shape = shape_of(*tensor);
  if (shape.size() != wanted.shape.size()) {
    fail("TF6203",
         fmt::format("{} has rank {} (shape {}), wanted rank {}", where(), shape.size(),
                     shape_text(shape), wanted.shape.size()),
         "reshape it to the wanted rank");
  }
  if (!on_cpu(*tensor)) {
    fail("TF6208", fmt::format("{} is on {}, wanted the CPU", where(), device_text(tensor->device)),
         "copy it to the CPU first");
  }
  std::int64_t bytes = 0;
  try {
    bytes = contiguous_bytes(*format, shape);
  } catch (const ValueError& error) {
    fail("TF6204", fmt::format("{}: {}", where(), error.diagnostic().message), "use other extents");
  }
  if (!is_contiguous(*tensor)) {
    const std::vector<std::int64_t> strides(tensor->strides, tensor->strides + tensor->ndim);
    fail("TF6207",
         fmt::format("{} is not C contiguous: shape {} with strides {} (in elements)", where(),
                     shape_text(shape), shape_text(strides)),
         role == Role::input ? "pass a contiguous copy (numpy.ascontiguousarray)"
                             : "pass a contiguous array");
  }
  if (bytes == 0) return;
  const auto address = reinterpret_cast<std::uintptr_t>(tensor->data) + tensor->byte_offset;
  if (tensor->data == nullptr) fail("TF6211", where() + " has no data", "pass an allocated tensor");
  const auto size = static_cast<std::uintptr_t>(std::max(format->bits / 8, 1));
  if (address % size != 0) {
    fail("TF6211", fmt::format("{} is not aligned to its {} byte elements", where(), size),
         "pass an aligned copy");
  }
}

void CallChecker::refuse_range(const std::string& dimension, std::int64_t extent,
                               const std::string& where) const {
  const AbiRange& range = abi_.dims.at(dimension);
  fail("TF6206",
       fmt::format("{} makes the dimension {} {}, which is outside its range {} <= {} < {}", where,
                   dimension, extent, range.lo, dimension, range.hi),
       fmt::format("use an extent from {} to {}", range.lo, range.hi - 1));
}

void CallChecker::bind(const DLTensor& tensor, const AbiTensor& wanted, std::size_t index,
                       Role role, DimensionValues* values) const {
  for (std::size_t axis = 0; axis < wanted.shape.size(); ++axis) {
    const std::string* name = wanted.shape[axis].bare_name();
    if (name == nullptr) continue;
    const std::int64_t extent = tensor.shape[axis];
    const auto [it, added] = values->try_emplace(*name, extent);
    const auto where = [&] {
      return fmt::format("axis {} of {}", axis, described(wanted, index, role));
    };
    if (added) {
      const AbiRange& range = abi_.dims.at(*name);
      if (extent < range.lo || extent >= range.hi) refuse_range(*name, extent, where());
    } else if (it->second != extent) {
      fail("TF6205",
           fmt::format("{} makes the dimension {} {}, an earlier tensor makes it {}", where(),
                       *name, extent, it->second),
           fmt::format("give {} one extent in all tensors", *name));
    }
  }
}

void CallChecker::check_extents(const DLTensor& tensor, const AbiTensor& wanted, std::size_t index,
                                Role role, const DimensionValues& values) const {
  const std::vector<std::int64_t> expected = extents(wanted, values);
  const std::vector<std::int64_t> got = shape_of(tensor);
  if (got == expected) return;
  const std::size_t axis = static_cast<std::size_t>(
      std::mismatch(got.begin(), got.end(), expected.begin()).first - got.begin());
  std::string because;
  if (!wanted.shape[axis].constant()) {
    because = fmt::format(" ({} is {} here)", wanted.shape[axis].text(), expected[axis]);
  }
  fail("TF6204",
       fmt::format("axis {} of {} has extent {}, wanted {}{}", axis, described(wanted, index, role),
                   got[axis], expected[axis], because),
       fmt::format("pass an array of shape {}", shape_text(expected)));
}

std::vector<std::int64_t> CallChecker::extents(const AbiTensor& tensor,
                                               const DimensionValues& values) const {
  std::vector<std::int64_t> shape;
  shape.reserve(tensor.shape.size());
  for (const AbiExtent& extent : tensor.shape) {
    const std::optional<std::int64_t> value = extent.evaluate(values);
    if (!value) {
      fail("TF6212",
           fmt::format("the extent {} of {} is not determined by the inputs", extent.text(),
                       tensor.name),
           "pass the outputs too, or give some parameter the bare dimension as an extent");
    }
    shape.push_back(*value);
  }
  return shape;
}

DimensionValues CallChecker::check_inputs(std::span<const LentTensor> inputs,
                                          const std::span<const LentTensor>* outputs) const {
  check_count(inputs.size(), abi_.inputs, Role::input);
  if (outputs != nullptr) check_count(outputs->size(), abi_.outputs, Role::output);
  DimensionValues values;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check_form(inputs[i].tensor, abi_.inputs[i], i, Role::input);
    bind(*inputs[i].tensor, abi_.inputs[i], i, Role::input, &values);
  }
  for (std::size_t i = 0; outputs != nullptr && i < outputs->size(); ++i) {
    check_form((*outputs)[i].tensor, abi_.outputs[i], i, Role::output);
    bind(*(*outputs)[i].tensor, abi_.outputs[i], i, Role::output, &values);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check_extents(*inputs[i].tensor, abi_.inputs[i], i, Role::input, values);
  }
  return values;
}

void CallChecker::check_outputs(std::span<const LentTensor> inputs,
                                std::span<const LentTensor> outputs,
                                const DimensionValues& values) const {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto where = [&] { return described(abi_.outputs[i], i, Role::output); };
    if (outputs[i].read_only) {
      fail("TF6209", where() + " is read-only", "pass a writable array");
    }
    check_extents(*outputs[i].tensor, abi_.outputs[i], i, Role::output, values);
    for (std::size_t j = 0; j < inputs.size(); ++j) {
      if (!overlap(*outputs[i].tensor, *inputs[j].tensor)) continue;
      fail("TF6210",
           fmt::format("{} shares memory with input {} ({})", where(), j, abi_.inputs[j].name),
           "pass separate arrays");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (!overlap(*outputs[i].tensor, *outputs[j].tensor)) continue;
      fail("TF6210",
           fmt::format("{} shares memory with output {} ({})", where(), j, abi_.outputs[j].name),
           "pass separate arrays");
    }
  }
}

}  // namespace tilefoundry
