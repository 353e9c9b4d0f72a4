// The checks before a call of compiled code. Failures are the CallErrors that loader.h lists.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tilefoundry/runtime/abi_description.h"
#include "tilefoundry/runtime/loader.h"

namespace tilefoundry {

class CallChecker {
 public:
  // `abi` outlives the checker.
  explicit CallChecker(const AbiDescription& abi) : abi_(abi) {}

  // Checks everything about the inputs and returns the extents of the dimensions. Outputs, when
  // given, may bind dimensions that no input has.
  DimensionValues check_inputs(std::span<const LentTensor> inputs,
                               const std::span<const LentTensor>* outputs = nullptr) const;
  // Checks outputs against bound dimensions, and that they overlap no other tensor.
  void check_outputs(std::span<const LentTensor> inputs, std::span<const LentTensor> outputs,
                     const DimensionValues& values) const;
  // The shape of an output; CallError TF6212 for a dimension without a value.
  std::vector<std::int64_t> extents(const AbiTensor& tensor, const DimensionValues& values) const;

 private:
  enum class Role { input, output };
  std::string described(const AbiTensor& tensor, std::size_t index, Role role) const;
  void check_count(std::size_t got, const std::vector<AbiTensor>& wanted, Role role) const;
  void check_form(const DLTensor* tensor, const AbiTensor& wanted, std::size_t index,
                  Role role) const;
  void bind(const DLTensor& tensor, const AbiTensor& wanted, std::size_t index, Role role,
            DimensionValues* values) const;
  void check_extents(const DLTensor& tensor, const AbiTensor& wanted, std::size_t index, Role role,
                     const DimensionValues& values) const;
  [[noreturn]] void refuse_range(const std::string& dimension, std::int64_t extent,
                                 const std::string& where) const;

  const AbiDescription& abi_;
};

}  // namespace tilefoundry
