#include <memory>
#include <string>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "tilefoundry/runtime/element.h"
#include "tilefoundry/runtime/host_array.h"
#include "tilefoundry/runtime/loader.h"

namespace nb = nanobind;

namespace tilefoundry::python {
namespace {

// An array that Python lends: address, dtype name, shape, strides in elements (empty: C order).
struct Borrowed {
  std::uintptr_t address = 0;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  bool read_only = false;

  DLTensor tensor() {
    DLTensor out{};
    out.data = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
    out.device = {kDLCPU, 0};
    out.ndim = static_cast<std::int32_t>(shape.size());
    const ElementFormat& format = element_format(dtype);
    out.dtype = {format.code, static_cast<std::uint8_t>(format.bits), 1};
    out.shape = shape.data();
    out.strides = strides.empty() ? nullptr : strides.data();
    return out;
  }
};

struct BorrowedList {
  std::vector<Borrowed> arrays;
  std::vector<DLTensor> tensors;
  std::vector<LentTensor> lent;

  explicit BorrowedList(std::vector<Borrowed> given) : arrays(std::move(given)) {
    for (Borrowed& array : arrays) tensors.push_back(array.tensor());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      lent.push_back({&tensors[i], arrays[i].read_only});
    }
  }
};

nb::list output_specs(const RuntimeModule& runtime, std::vector<Borrowed> inputs) {
  const BorrowedList list(std::move(inputs));
  const DimensionValues values = runtime.bind(list.lent);
  nb::list out;
  for (const HostArray& array : runtime.make_outputs(values)) {
    nb::list shape;
    for (const std::int64_t extent : array.shape) shape.append(extent);
    out.append(nb::make_tuple(array.dtype, nb::tuple(shape)));
  }
  return out;
}

void call(const RuntimeModule& runtime, std::vector<Borrowed> inputs, std::vector<Borrowed> outputs,
          int threads) {
  const BorrowedList ins(std::move(inputs));
  const BorrowedList outs(std::move(outputs));
  const nb::gil_scoped_release unlocked;
  runtime(ins.lent, outs.lent, CallOptions{.threads = threads});
}

// A call whose arrays were checked once. Python keeps the arrays alive.
class BoundCall {
 public:
  BoundCall(std::shared_ptr<const RuntimeModule> runtime, std::vector<Borrowed> inputs,
            std::vector<Borrowed> outputs, int threads)
      : runtime_(std::move(runtime)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        options_{.threads = threads} {
    (*runtime_)(inputs_.lent, outputs_.lent, options_);
    for (const LentTensor& lent : inputs_.lent) input_tensors_.push_back(lent.tensor);
    for (const LentTensor& lent : outputs_.lent) output_tensors_.push_back(lent.tensor);
  }
  BoundCall(const BoundCall&) = delete;
  BoundCall& operator=(const BoundCall&) = delete;

  void run() const {
    const nb::gil_scoped_release unlocked;
    runtime_->call_unchecked(input_tensors_, output_tensors_, options_);
  }

 private:
  std::shared_ptr<const RuntimeModule> runtime_;
  BorrowedList inputs_;
  BorrowedList outputs_;
  CallOptions options_;
  std::vector<const DLTensor*> input_tensors_;
  std::vector<const DLTensor*> output_tensors_;
};

// Bytes of the pool of output memory, as an array that gives them back when it dies.
nb::ndarray<nb::numpy, std::uint8_t> pooled_bytes(std::size_t bytes) {
  auto* buffer = new HostBuffer(bytes);
  const nb::capsule owner(buffer,
                          [](void* held) noexcept { delete static_cast<HostBuffer*>(held); });
  return nb::ndarray<nb::numpy, std::uint8_t>(buffer->data(), {bytes}, owner);
}

}  // namespace

void bind_runtime(nb::module_& module) {
  nb::class_<Borrowed>(module, "Borrowed")
      .def(
          "__init__",
          [](Borrowed* self, std::uintptr_t address, std::string dtype,
             std::vector<std::int64_t> shape, std::vector<std::int64_t> strides, bool read_only) {
            new (self) Borrowed{address, std::move(dtype), std::move(shape), std::move(strides),
                                read_only};
          },
          nb::arg("address"), nb::arg("dtype"), nb::arg("shape"), nb::arg("strides"),
          nb::arg("read_only"));
  nb::class_<RuntimeModule>(module, "RuntimeModule")
      .def_prop_ro("name", &RuntimeModule::name)
      .def_prop_ro("entry", &RuntimeModule::entry)
      .def_prop_ro("source", [](const RuntimeModule& runtime) { return runtime.source().string(); })
      .def_prop_ro("library",
                   [](const RuntimeModule& runtime) { return runtime.library().path().string(); });
  nb::class_<BoundCall>(module, "BoundCall")
      .def(
          "__init__",
          [](BoundCall* self, const std::shared_ptr<RuntimeModule>& runtime,
             std::vector<Borrowed> inputs, std::vector<Borrowed> outputs, int threads) {
            new (self) BoundCall(runtime, std::move(inputs), std::move(outputs), threads);
          },
          nb::arg("runtime"), nb::arg("inputs"), nb::arg("outputs"), nb::arg("threads"))
      .def("__call__", &BoundCall::run);
  module.def("pooled_bytes", &pooled_bytes);
  module.def("output_specs", &output_specs);
  module.def("call", &call);
}

}  // namespace tilefoundry::python
