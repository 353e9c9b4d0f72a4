// The callables that the language knows and evaluates while a file is read: constructors of
// dimensions, layouts, machines and targets, a few functions of Python, decorators, type names.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tilefoundry/frontend/sema.h"
#include "tilefoundry/frontend/value.h"

namespace tilefoundry {

struct CallArg {
  Value value;
  Span span;
};

struct KeywordArg {
  std::string_view name;
  Span name_span;
  CallArg arg;
};

struct CallArgs {
  Span span;  // the whole call
  std::vector<CallArg> positional;
  std::vector<KeywordArg> keywords;
};

struct BuiltinContext {
  // The hierarchy in which a level may be named by a string; null outside of a Module.
  const Topologies* topologies = nullptr;
};

enum class BuiltinKind {
  function,
  // decorators
  func,
  prim_func,
  module,
  intrinsic,
  // `Name[...]` is a type
  tensor_type,
  const_tensor_type,
  tuple_type,
  // classes whose attributes are values
  dtype_class,
  storage_class,
  // meaningful only in one construct
  tile,
  where,
  // forms of `@prim_func` that are no ops: loops of a mode, `abort`, `call`, `symbol`
  tir_form,
};

struct Builtin {
  std::string name;
  BuiltinKind kind = BuiltinKind::function;
  // "name, lo, hi": what a call takes; a name with '=' may be left out.
  std::vector<std::string> parameters;
  // Gets one argument per parameter, null for one that was left out.
  Value (*call)(const std::vector<const CallArg*>& args, const CallArgs& all,
                const BuiltinContext& ctx) = nullptr;
};

// Null when there is none. Python's own functions are found under "builtins".
const Builtin* find_builtin(std::string_view name);
// A form of TIR that the namespace T shows beside its ops; null when there is none.
const Builtin* find_tir_form(std::string_view name);
// What a name is without any import: `range`, `float`, `len`.
const Builtin* find_python_builtin(std::string_view name);
std::vector<std::string> python_builtin_names();

// Binds arguments to parameters by position and by name, and calls. Throws ParseError (TF2041) for
// arguments that do not fit.
Value call_builtin(const Builtin& builtin, const CallArgs& args, const BuiltinContext& ctx);

// "DimVar(name, lo, hi)"
std::string builtin_signature(const Builtin& builtin);

// A function that stands for a name when every argument is a compile-time number or dimension.
const Builtin* compile_time_twin(std::string_view op_name);

// Rows of the table, by topic.
void add_python_builtins(std::vector<Builtin>& table);
void add_layout_builtins(std::vector<Builtin>& table);
void add_type_builtins(std::vector<Builtin>& table);
void add_target_builtins(std::vector<Builtin>& table);

// Conversions of arguments. Each throws ParseError (TF2042) that names the wanted kind.
[[noreturn]] void refuse_argument(const CallArg& arg, std::string_view wanted);
Dim dim_argument(const CallArg& arg);
std::int64_t int_argument(const CallArg& arg);
const std::string& string_argument(const CallArg& arg);
const std::vector<Value>& sequence_argument(const CallArg& arg);
LayoutRef layout_argument(const CallArg& arg);
// Topology values; a string names a level of `ctx`.
Topologies topologies_argument(const CallArg& arg, const BuiltinContext& ctx);

}  // namespace tilefoundry
