// Loading and calling compiled libraries.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tilefoundry/runtime/abi.h"
#include "tilefoundry/runtime/abi_description.h"
#include "tilefoundry/runtime/host_array.h"

namespace tilefoundry {

// An opened library with its entry and its description. It stays open: code may still be referred
// to by values that outlive the object.
class RuntimeLibrary {
 public:
  // CallError TF6101 when it cannot be loaded, TF6102 without tf_abi or the entry, TF6103 for a bad
  // description, TF6104 when the CPU lacks a feature it was built for.
  static std::shared_ptr<const RuntimeLibrary> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const noexcept { return path_; }
  const AbiDescription& abi() const noexcept { return abi_; }
  TfEntry entry() const noexcept { return entry_; }
  // The address of another exported symbol, or null.
  void* find_symbol(const char* name) const noexcept;

 private:
  RuntimeLibrary() = default;
  std::filesystem::path path_;
  void* handle_ = nullptr;  // never closed
  AbiDescription abi_;
  TfEntry entry_ = nullptr;
};

// A tensor that a caller lends for one call.
struct LentTensor {
  const DLTensor* tensor = nullptr;
  bool read_only = false;
};

struct CallOptions {
  int threads = 0;  // 0: the module's own choice; 1: serial
};

// A callable program. Every argument is checked before the entry runs; what does not fit is a
// CallError that says what it got and what it wanted:
//   TF6201 count, TF6202 dtype, TF6203 rank, TF6204 extent, TF6205 a dimension with two extents,
//   TF6206 a dimension outside its range, TF6207 not contiguous, TF6208 not on the CPU, TF6209 a
//   read-only output, TF6210 an output that overlaps another tensor, TF6211 no data or misaligned,
//   TF6212 a dimension that no input determines, TF6220 the entry failed.
class RuntimeModule {
 public:
  // `source` is the path of the generated source, or empty; `threads` what a call uses that does
  // not say (0: ThreadPool::default_threads()).
  RuntimeModule(std::shared_ptr<const RuntimeLibrary> library, std::string name,
                std::filesystem::path source, int threads = 0);

  const std::string& name() const noexcept { return name_; }
  const std::string& entry() const noexcept { return library_->abi().entry; }
  const std::filesystem::path& source() const noexcept { return source_; }
  const RuntimeLibrary& library() const noexcept { return *library_; }
  const AbiDescription& abi() const noexcept { return library_->abi(); }

  // Allocates the outputs.
  std::vector<HostArray> operator()(std::span<const LentTensor> inputs,
                                    const CallOptions& options = {}) const;
  std::vector<HostArray> operator()(const std::vector<HostArray>& inputs,
                                    const CallOptions& options = {}) const;
  // Fills the caller's outputs.
  void operator()(std::span<const LentTensor> inputs, std::span<const LentTensor> outputs,
                  const CallOptions& options = {}) const;

  // The extents that these inputs give each dimension, checked as a call would.
  DimensionValues bind(std::span<const LentTensor> inputs) const;
  // Uninitialized outputs for given dimensions.
  std::vector<HostArray> make_outputs(const DimensionValues& values) const;
  // Inputs and outputs checked beforehand, for repeated calls on the same tensors: no checks.
  void call_unchecked(std::span<const DLTensor* const> inputs,
                      std::span<const DLTensor* const> outputs,
                      const CallOptions& options = {}) const;

 private:
  std::shared_ptr<const RuntimeLibrary> library_;
  std::string name_;
  std::filesystem::path source_;
  int threads_ = 0;
};

}  // namespace tilefoundry
