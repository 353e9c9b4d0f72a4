#include "tilefoundry/runtime/loader.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <array>

#include "tilefoundry/runtime/call_check.h"
#include "tilefoundry/runtime/cpu_features.h"
#include "tilefoundry/runtime/thread_pool.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

[[noreturn]] void fail(std::string code, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  throw CallError(std::move(diagnostic));
}

template <class Function>
Function symbol(void* handle, const std::string& name, const std::string& path) {
  if (void* address = ::dlsym(handle, name.c_str())) return reinterpret_cast<Function>(address);
  fail("TF6102",
       fmt::format("the library {} has no function {}", python_string_literal(path), name),
       "name a library that TileFoundry built");
}

void check_cpu(const AbiDescription& abi, const std::string& path) {
  std::vector<std::string> missing;
  bool tiles = false;
  for (const std::string& feature : abi.cpu_features) {
    if (!CpuFeatures::native().has(feature)) missing.push_back(feature);
    tiles = tiles || feature.rfind("amx-", 0) == 0;
  }
  if (!missing.empty()) {
    fail("TF6104",
         fmt::format("the library {} was built for a CPU with {}, which this one lacks",
                     python_string_literal(path), join(missing, ", ")),
         "build the program again on this machine");
  }
  if (tiles) request_amx_permission();
}

std::string_view status_text(std::int32_t status) {
  switch (status) {
    case TF_BAD_CALL: return "the call does not fit";
    case TF_OUT_OF_RANGE: return "an extent or an index is outside its range";
    case TF_OUT_OF_MEMORY: return "no memory for a temporary";
    case TF_ABORTED: return "the program aborted";
    case TF_DEVICE_ERROR: return "the device failed";
    case TF_INTERNAL_ERROR: return "the generated code is defective";
    default: return "an unknown status";
  }
}

std::vector<LentTensor> as_views(const std::vector<DLTensor>& tensors, bool read_only) {
  std::vector<LentTensor> views;
  views.reserve(tensors.size());
  for (const DLTensor& tensor : tensors) views.push_back({&tensor, read_only});
  return views;
}

std::vector<DLTensor> as_tensors(const std::vector<HostArray>& arrays) {
  std::vector<DLTensor> tensors;
  tensors.reserve(arrays.size());
  for (const HostArray& array : arrays) tensors.push_back(array.view());
  return tensors;
}

std::vector<const DLTensor*> pointers(std::span<const LentTensor> views) {
  std::vector<const DLTensor*> result;
  result.reserve(views.size());
  for (const LentTensor& view : views) result.push_back(view.tensor);
  return result;
}

}  // namespace

std::shared_ptr<const RuntimeLibrary> RuntimeLibrary::open(const std::filesystem::path& path) {
  // A name without a folder would be looked up in the system's library path.
  const std::string place = std::filesystem::absolute(path).string();
  std::error_code error;
  if (!std::filesystem::is_regular_file(place, error)) {
    fail("TF6101", fmt::format("there is no library {}", python_string_literal(place)),
         "check the path, or build the program again");
  }
  void* handle = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    fail("TF6101",
         fmt::format("the library {} cannot be loaded: {}", python_string_literal(place),
                     reason != nullptr ? reason : "unknown reason"),
         "build the program again on this machine");
  }
  std::shared_ptr<RuntimeLibrary> library(new RuntimeLibrary());
  library->path_ = place;
  library->handle_ = handle;
  const char* text = symbol<TfAbi>(handle, "tf_abi", place)();
  library->abi_ = AbiDescription::parse(text != nullptr ? text : "", place);
  library->entry_ = symbol<TfEntry>(handle, library->abi_.symbol, place);
  check_cpu(library->abi_, place);
  return library;
}

void* RuntimeLibrary::find_symbol(const char* name) const noexcept {
  return ::dlsym(handle_, name);
}

RuntimeModule::RuntimeModule(std::shared_ptr<const RuntimeLibrary> library, std::string name,
                             std::filesystem::path source, int threads)
    : library_(std::move(library)),
      name_(std::move(name)),
      source_(std::move(source)),
      threads_(threads) {
  TF_CHECK(library_ != nullptr, "a RuntimeModule needs a library");
}

DimensionValues RuntimeModule::bind(std::span<const LentTensor> inputs) const {
  return CallChecker(abi()).check_inputs(inputs);
}

std::vector<HostArray> RuntimeModule::make_outputs(const DimensionValues& values) const {
  std::vector<HostArray> outputs;
  outputs.reserve(abi().outputs.size());
  for (const AbiTensor& output : abi().outputs) {
    outputs.push_back(HostArray::make(output.dtype, CallChecker(abi()).extents(output, values)));
  }
  return outputs;
}

std::vector<HostArray> RuntimeModule::operator()(std::span<const LentTensor> inputs,
                                                 const CallOptions& options) const {
  std::vector<HostArray> outputs = make_outputs(bind(inputs));
  const std::vector<DLTensor> tensors = as_tensors(outputs);
  call_unchecked(pointers(inputs), pointers(as_views(tensors, false)), options);
  return outputs;
}

std::vector<HostArray> RuntimeModule::operator()(const std::vector<HostArray>& inputs,
                                                 const CallOptions& options) const {
  const std::vector<DLTensor> tensors = as_tensors(inputs);
  return (*this)(std::span<const LentTensor>(as_views(tensors, true)), options);
}

void RuntimeModule::operator()(std::span<const LentTensor> inputs,
                               std::span<const LentTensor> outputs,
                               const CallOptions& options) const {
  CallChecker checker(abi());
  DimensionValues values = checker.check_inputs(inputs, &outputs);
  checker.check_outputs(inputs, outputs, values);
  call_unchecked(pointers(inputs), pointers(outputs), options);
}

void RuntimeModule::call_unchecked(std::span<const DLTensor* const> inputs,
                                   std::span<const DLTensor* const> outputs,
                                   const CallOptions& options) const {
  std::array<char, 1024> error{};
  ThreadPool::Session session(ThreadPool::instance(),
                              options.threads > 0 ? options.threads : threads_);
  TfCall call{};
  call.struct_size = sizeof(TfCall);
  call.n_inputs = static_cast<std::int64_t>(inputs.size());
  call.inputs = inputs.data();
  call.n_outputs = static_cast<std::int64_t>(outputs.size());
  call.outputs = outputs.data();
  call.error = error.data();
  call.error_size = error.size();
  call.parallel_for = session.function();
  call.pool = session.context();
  call.n_threads = session.threads();
  const std::int32_t status = library_->entry()(&call);
  if (status == TF_OK) return;
  error.back() = '\0';
  const bool told = error.front() != '\0';
  fail("TF6220",
       fmt::format("the call of {} failed: {}{}{} (status {})", name_, status_text(status),
                   told ? ": " : "", told ? error.data() : "", status),
       "check the values of the inputs");
}

}  // namespace tilefoundry
