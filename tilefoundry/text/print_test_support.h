// Ops and shorthands for the tests of the printer.
#pragma once

#include <string>
#include <vector>

#include "tilefoundry/ir/module.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/text/printer.h"

namespace tilefoundry::print_test {

// plus/times: Pointwise(lhs, rhs, kind); spark(x); fold(x, axes, keepdim, scale, to); window(x,
// starts, sizes); choose(condition, a, b); gather(*parts, axis).
struct Ops {
  const OpClass* pointwise;
  const OpClass* spark;
  const OpClass* fold;
  const OpClass* window;
  const OpClass* choose;
  const OpClass* merge;
};

inline const Ops& ops() {
  static const Ops all = [] {
    const auto tensor = [](const char* name) { return OpInput{name, InputPattern::tensor}; };
    Ops made{};
    made.pointwise = &DynamicOpClassBuilder("Pointwise", Dialect::tf, "print_test")
                          .input(tensor("lhs"))
                          .input(tensor("rhs"))
                          .attr({"kind", AttrKind::choice, true, false, {}, {"plus", "times"}})
                          .alias({"plus", {{"kind", std::string("plus")}}})
                          .alias({"times", {{"kind", std::string("times")}}})
                          .build();
    made.spark =
        &DynamicOpClassBuilder("Spark", Dialect::tf, "print_test").input(tensor("x")).build();
    made.fold = &DynamicOpClassBuilder("Fold", Dialect::tf, "print_test")
                     .input(tensor("x"))
                     .attr({"axes", AttrKind::ints, true, false, {}, {}})
                     .attr({"keepdim", AttrKind::boolean, false, false, true, {}})
                     .attr({"scale", AttrKind::number, false, false, 1.0, {}})
                     .attr({"to", AttrKind::dtype, false, true, {}, {}})
                     .build();
    made.window = &DynamicOpClassBuilder("Window", Dialect::tf, "print_test")
                       .input(tensor("x"))
                       .input({"starts", InputPattern::tuple})
                       .attr({"sizes", AttrKind::shape, true, false, {}, {}})
                       .build();
    made.choose = &DynamicOpClassBuilder("Choose", Dialect::tf, "print_test")
                       .input(tensor("condition"))
                       .input(tensor("a"))
                       .input(tensor("b"))
                       .build();
    made.merge = &DynamicOpClassBuilder("Merge", Dialect::tf, "print_test")
                      .input({"parts", InputPattern::tensor, false, true})
                      .attr({"axis", AttrKind::integer, true, false, {}, {}})
                      .build();
    for (const OpClass* cls :
         {made.pointwise, made.spark, made.fold, made.window, made.choose, made.merge}) {
      register_op_class(*cls);
    }
    return made;
  }();
  return all;
}

inline TensorTypeRef f32(Shape shape) { return TensorType::make(std::move(shape), DType::f32); }
inline VarRef var(const std::string& name, TypeRef type, bool is_const = false) {
  return Var::make(name, std::move(type), is_const);
}

inline ExprRef call(const OpClass& cls, std::vector<AttrValue> attrs, std::vector<ExprRef> args,
                    const std::string& name = "", TypeRef type = nullptr) {
  if (!type) type = args.front()->type();
  return Call::make(cls.make(std::move(attrs)), std::move(args), std::move(type),
                    Metadata{name, {}});
}
inline ExprRef plus(ExprRef a, ExprRef b, const std::string& name = "") {
  return call(*ops().pointwise, {std::string("plus")}, {std::move(a), std::move(b)}, name);
}
inline ExprRef times(ExprRef a, ExprRef b, const std::string& name = "") {
  return call(*ops().pointwise, {std::string("times")}, {std::move(a), std::move(b)}, name);
}
inline ExprRef spark(ExprRef x, const std::string& name = "") {
  return call(*ops().spark, {}, {std::move(x)}, name);
}

// The text behind the header and declarations.
inline std::string definitions(const std::string& text) {
  const std::size_t at = text.find("\n\n\n");
  return at == std::string::npos ? text : text.substr(at + 3);
}
// The body's lines of a one-function text, without indentation.
inline std::string body_of(const std::string& text) {
  std::string out;
  std::string rest = definitions(text);
  rest = rest.substr(rest.find(":\n    ") + 2);
  for (std::size_t at = 0; at < rest.size();) {
    const std::size_t end = rest.find('\n', at);
    out += rest.substr(at + 4, end - at - 3);
    at = end + 1;
  }
  return out;
}

}  // namespace tilefoundry::print_test
