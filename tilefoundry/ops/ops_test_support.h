// What the tests of ops share: typed calls, host tensors, and a run of lowered code.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tilefoundry/evaluate/evaluator.h"
#include "tilefoundry/ir/tir/stmt.h"
#include "tilefoundry/registry/cost.h"
#include "tilefoundry/registry/typeinfer.h"

namespace tilefoundry {

TensorTypeRef tensor_type(Shape shape, DType dtype, StorageKind storage = StorageKind::gmem);
// A call on parameters a, b, c... of the given types, typed.
CallRef typed_call(const OpRef& op, const std::vector<TypeRef>& types);
// The same without a type.
CallRef untyped_call(const OpRef& op, const std::vector<TypeRef>& types);
// The type of such a call as a tensor type.
TensorTypeRef result_type(const OpRef& op, const std::vector<TypeRef>& types);
// "message | hint" of the refusal of typing; "" when it is accepted.
std::string refusal(const OpRef& op, const std::vector<TypeRef>& types);
AccessRelationResult relation_of(const OpRef& op, const std::vector<TypeRef>& types);
Cost cost_of(const OpRef& op, const std::vector<TypeRef>& types);

HostTensor float_tensor(DType dtype, std::vector<std::int64_t> shape, std::vector<double> values);
HostTensor int_tensor(DType dtype, std::vector<std::int64_t> shape,
                      std::vector<std::int64_t> values);
// Values that look random, the same for equal arguments: floats in (-4, 4), integers in [-9, 9].
HostTensor test_tensor(DType dtype, std::vector<std::int64_t> shape, unsigned seed);
std::vector<double> floats_of(const HostTensor& tensor);
std::vector<std::int64_t> ints_of(const HostTensor& tensor);

// The op on inputs, by the evaluator; types follow from the inputs.
HostTensor evaluated(const OpRef& op, const std::vector<HostTensor>& inputs);
// The same by its lowering, with tile ops expanded, on a small interpreter of scalar code.
// `params` gives the types of the parameters, which may be symbolic.
HostTensor lowered(const OpRef& op, const std::vector<HostTensor>& inputs,
                   std::vector<TypeRef> types = {});
// Runs statements that hold scalar code and tile ops; buffers by variable.
void run_statements(const StmtRef& stmt, std::map<const Var*, HostTensor>& buffers,
                    const std::map<std::string, std::int64_t>& dims);

}  // namespace tilefoundry
