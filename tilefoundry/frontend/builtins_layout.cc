// Constructors of dimensions, machines and layouts.

#include <fmt/format.h>

#include "tilefoundry/frontend/builtins.h"

namespace tilefoundry {
namespace {

using Bound = std::vector<const CallArg*>;

bool given(const CallArg* arg) { return arg != nullptr && !arg->value.is<NoneValue>(); }

Value make_dim_var(const Bound& args, const CallArgs&, const BuiltinContext&) {
  return dim_var(string_argument(*args[0]), int_argument(*args[1]), int_argument(*args[2]));
}

Value make_ceildiv(const Bound& args, const CallArgs&, const BuiltinContext&) {
  const Dim divisor = dim_argument(*args[1]);
  if (divisor.is(0)) refuse("TF2031", args[1]->span, "'ceildiv' divides by zero");
  return Value::dim(ceildiv(dim_argument(*args[0]), divisor));
}

Value make_range_pattern(const Bound& args, const CallArgs&, const BuiltinContext&) {
  return PatternRef(DimVarRangePat::make(string_argument(*args[0]), int_argument(*args[1]),
                                         int_argument(*args[2])));
}

Value make_topology(const Bound& args, const CallArgs&, const BuiltinContext&) {
  return Topology::make(string_argument(*args[0]), dim_argument(*args[1]));
}

Value make_mesh(const Bound& args, const CallArgs&, const BuiltinContext& ctx) {
  std::vector<std::string> names;
  if (given(args[2])) {
    for (const Value& item : sequence_argument(*args[2])) {
      names.push_back(string_argument(CallArg{item, args[2]->span}));
    }
  }
  return Mesh::make(topologies_argument(*args[0], ctx), layout_argument(*args[1]),
                    std::move(names));
}

IntTuple int_tuple_argument(const CallArg& arg) {
  std::optional<IntTuple> tuple = as_int_tuple(arg.value);
  if (!tuple) refuse_argument(arg, "an int, a dimension or a nested tuple of them");
  return std::move(*tuple);
}

Value make_layout(const Bound& args, const CallArgs&, const BuiltinContext&) {
  std::optional<IntTuple> strides;
  if (given(args[1])) strides = int_tuple_argument(*args[1]);
  return LayoutRef(Layout::make(int_tuple_argument(*args[0]), std::move(strides)));
}

LayoutRef optional_layout(const CallArg* arg) {
  return given(arg) ? layout_argument(*arg) : nullptr;
}

Value make_composed(const Bound& args, const CallArgs&, const BuiltinContext&) {
  return LayoutRef(ComposedLayout::make(optional_layout(args[0]), dim_argument(*args[1]),
                                        optional_layout(args[2])));
}

Value make_shard_layout(const Bound& args, const CallArgs&, const BuiltinContext&) {
  std::vector<ShardAttr> attrs;
  for (const Value& item : sequence_argument(*args[1])) {
    const auto* attr = item.as<ShardAttr>();
    if (attr == nullptr) {
      refuse_argument(CallArg{item, args[1]->span}, "S(axis), B(), P(\"sum\") or Dynamic()");
    }
    attrs.push_back(*attr);
  }
  const auto* mesh = args[2]->value.as<MeshRef>();
  if (mesh == nullptr) refuse_argument(*args[2], "a Mesh");
  return LayoutRef(ShardLayout::make(layout_argument(*args[0]), std::move(attrs), *mesh));
}

Value make_split(const Bound& args, const CallArgs&, const BuiltinContext&) {
  const std::int64_t axis = int_argument(*args[0]);
  if (axis < 0 || axis > INT32_MAX) refuse_argument(*args[0], "a position from 0");
  return ShardAttr{ShardKind::split, static_cast<int>(axis), ""};
}

Value make_broadcast(const Bound&, const CallArgs&, const BuiltinContext&) {
  return ShardAttr{ShardKind::broadcast, 0, ""};
}

Value make_partial(const Bound& args, const CallArgs&, const BuiltinContext&) {
  return ShardAttr{ShardKind::partial, 0, given(args[0]) ? string_argument(*args[0]) : "sum"};
}

Value make_dynamic(const Bound&, const CallArgs&, const BuiltinContext&) {
  return ShardAttr{ShardKind::dynamic, 0, ""};
}

}  // namespace

void add_layout_builtins(std::vector<Builtin>& table) {
  constexpr auto kFunction = BuiltinKind::function;
  table.push_back({"DimVar", kFunction, {"name", "lo", "hi"}, make_dim_var});
  table.push_back({"ceildiv", kFunction, {"a", "b"}, make_ceildiv});
  table.push_back({"DimVarRangePat", kFunction, {"dim_var", "lo", "hi"}, make_range_pattern});
  table.push_back({"Topology", kFunction, {"name", "size"}, make_topology});
  table.push_back({"Mesh", kFunction, {"topologies", "layout", "names=()"}, make_mesh});
  table.push_back({"Layout", kFunction, {"shape", "strides=None"}, make_layout});
  table.push_back({"ComposedLayout", kFunction, {"inner", "offset", "outer"}, make_composed});
  table.push_back({"ShardLayout", kFunction, {"layout", "attrs", "mesh"}, make_shard_layout});
  for (const char* name : {"Split", "S"}) {
    table.push_back({name, kFunction, {"axis"}, make_split});
  }
  for (const char* name : {"Broadcast", "B"}) {
    table.push_back({name, kFunction, {}, make_broadcast});
  }
  for (const char* name : {"Partial", "P"}) {
    table.push_back({name, kFunction, {"reduction=\"sum\""}, make_partial});
  }
  table.push_back({"Dynamic", kFunction, {}, make_dynamic});
}

}  // namespace tilefoundry
