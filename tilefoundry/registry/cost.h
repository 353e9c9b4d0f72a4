// Logical cost of calls: work and bytes that follow from an op's semantics and its operand types
// (visitor-registry seed 7). No hardware is named here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tilefoundry/registry/typeinfer.h"

namespace tilefoundry {

struct TrafficBytes {
  std::int64_t read = 0;
  std::int64_t write = 0;
  std::int64_t total_bytes() const { return read + write; }
  friend bool operator==(const TrafficBytes&, const TrafficBytes&) = default;
};

struct Cost {
  // By the dtype that the operands are multiplied or added in.
  std::map<DType, std::int64_t> flops;
  // One entry per argument of the call, then one for the whole result.
  std::vector<TrafficBytes> traffic;
  // Work that is no flop, by kind: "integer", "predicate", "select", "special".
  std::map<std::string, std::int64_t> service;

  // Both directions over all operands.
  std::int64_t bytes() const;
  friend bool operator==(const Cost&, const Cost&) = default;
};

class CostContext : public TypeInferContext {
 public:
  using TypeInferContext::TypeInferContext;

  // Candidate types by the identity of the expression; the inferred type stands where none is
  // given.
  std::map<const Expr*, TypeRef> selected_types;
  TypeRef selected_output_type;

  // The type that one leaf participant holds, every resolved ShardLayout applied once. Fails
  // through `error` for extents that are not concrete.
  TypeRef local_type_of(const ExprRef& expr);
  TypeRef local_output_type(const Call& call);
  // Element and byte counts of the local types; 0 for a zero extent.
  std::int64_t local_numel(const ExprRef& expr);
  std::int64_t local_bytes(const ExprRef& expr);
  std::int64_t local_output_numel(const Call& call);
  std::int64_t local_output_bytes(const Call& call);
};

using CostFn = Cost(const Call&, CostContext&);
AnalysisRegistry& cost_evaluator_registry();

template <class T, class Handler>
void register_cost_evaluator(Handler handler,
                             std::source_location place = std::source_location::current()) {
  cost_evaluator_registry().add<CostFn>(
      T::op_class(),
      [handler](const Call& call, CostContext& ctx) -> Cost {
        return handler(call, *call.op<T>(), ctx);
      },
      place);
}

// Cost of single calls; everything that is no call costs nothing.
class CostEvaluator : public ExprVisitor<Cost> {
 public:
  explicit CostEvaluator(CostContext& ctx,
                         const AnalysisRegistry& registry = cost_evaluator_registry())
      : ctx_(ctx), registry_(registry) {}

 protected:
  Cost visit_Call(const Call& call) override;

 private:
  CostContext& ctx_;
  const AnalysisRegistry& registry_;
};

// Reads every argument once and writes the result once; flops `per_element` per result element.
Cost pointwise_cost(const Call& call, CostContext& ctx, std::int64_t per_element, DType dtype);
// Moves nothing: views and the reading of shapes.
Cost view_cost(const Call& call);

}  // namespace tilefoundry
