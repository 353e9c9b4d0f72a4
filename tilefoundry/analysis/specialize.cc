#include "tilefoundry/analysis/specialize.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "tilefoundry/ir/hir/dispatch.h"
#include "tilefoundry/ir/module.h"
#include "tilefoundry/registry/call_dims.h"
#include "tilefoundry/registry/loop_typing.h"
#include "tilefoundry/registry/typeinfer.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"
#include "tilefoundry/text/program_scan.h"

namespace tilefoundry {
namespace {

[[noreturn]] void refuse(const char* code, std::string message, const Span& span,
                         std::string hint) {
  throw ValueError(Diagnostic{
      .code = code, .message = std::move(message), .span = span, .hint = std::move(hint)});
}

// Visits `root` and the functions that it calls, variants included, each once.
template <class Visit>
void for_each_function(const Function& root, Visit visit) {
  std::unordered_set<const Function*> seen{&root};
  std::vector<FunctionRef> pending{FunctionRef(&root)};
  while (!pending.empty()) {
    const FunctionRef function = pending.back();
    pending.pop_back();
    visit(*function);
    const std::vector<FunctionRef> callees = called_functions(*function);
    for (auto it = callees.rbegin(); it != callees.rend(); ++it) {
      if (seen.insert(it->get()).second) pending.push_back(*it);
    }
  }
}

class Specializer {
 public:
  FunctionRef run(const FunctionRef& root, const DimExtents& dims) {
    FunctionRef result = find(root, dims);
    while (!stack_.empty()) {
      if (advance()) result = finish();
    }
    return result;
  }

 private:
  using Key = std::pair<const Function*, DimExtents>;
  struct Frame {
    Key key;
    FunctionRef function;
    std::vector<VarRef> params;
    std::unordered_map<const Expr*, ExprRef> done;
    std::vector<ExprRef> order;
    std::size_t next = 0;
  };

  // The specialization, or null after it was put on the work list.
  FunctionRef find(const FunctionRef& function, const DimExtents& dims) {
    if (dims.empty()) return function;
    const FunctionRef chosen = variant_for(function, dims);
    Key key(chosen.get(), dims);
    const auto it = known_.find(key);
    if (it != known_.end()) return it->second;
    Frame frame{std::move(key), chosen, {}, {}, post_order({chosen->body()}), 0};
    for (const VarRef& param : chosen->params()) {
      frame.params.push_back(Var::make(param->name(),
                                       substitute_dims(param->type(), replacement(frame)),
                                       param->is_const(), param->span()));
      frame.done.emplace(param.get(), frame.params.back());
    }
    bind_loop_variables(frame);
    stack_.push_back(std::move(frame));
    return nullptr;
  }

  // The variables of all loops are made anew before anything reads them.
  static void bind_loop_variables(Frame& frame) {
    const auto bind = [&frame](const VarRef& var) {
      frame.done.emplace(
          var.get(), Var::make(var->name(), substitute_dims(var->type(), replacement(frame)), false,
                               var->span()));
    };
    for (const ExprRef& expr : frame.order) {
      const auto* loop = expr_cast<GridRegionExpr>(expr);
      if (loop == nullptr) continue;
      bind(loop->induction_var());
      for (const VarRef& var : loop->carried_args()) bind(var);
    }
  }

  // Rewrites nodes until the frame is done (true) or a callee must be made first.
  bool advance() {
    const std::size_t depth = stack_.size();
    while (stack_.back().next < stack_.back().order.size()) {
      const ExprRef expr = stack_.back().order[stack_.back().next];
      ExprRef result = rewrite(expr);
      if (stack_.size() != depth) return false;
      Frame& frame = stack_.back();
      frame.done.emplace(expr.get(), std::move(result));
      ++frame.next;
    }
    return true;
  }

  FunctionRef finish() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    ExprRef body = frame.done.at(frame.function->body().get());
    FunctionRef result = Function::make_specialized(frame.function, std::move(frame.params),
                                                    std::move(body), frame.key.second);
    kept_.push_back(frame.function);
    known_.emplace(std::move(frame.key), result);
    return result;
  }

  // Bound dimensions by their extents, parameters in dimensions by the new ones.
  static DimSubstitution replacement(const Frame& frame) {
    return [&frame](const Ref<const DimNode>& node) -> Dim {
      if (const DimVar* var = node->as_var()) {
        const auto it = frame.key.second.find(var->name);
        return it != frame.key.second.end() ? Dim(it->second) : Dim(node);
      }
      const auto* atom = dynamic_cast<const Var*>(node->as_atom());
      const auto it = atom != nullptr ? frame.done.find(atom) : frame.done.end();
      return it != frame.done.end() ? static_cast<const Var&>(*it->second).dim() : Dim(node);
    };
  }

  Dim restated(const Dim& dim) const { return substitute(dim, replacement(stack_.back())); }

  MeshRef restated(const MeshRef& mesh) const {
    return mesh ? mesh->with_dims([this](const Dim& dim) { return restated(dim); }) : mesh;
  }

  LayoutRef restated(const LayoutRef& layout) const {
    return layout ? layout->with_dims([this](const Dim& dim) { return restated(dim); }) : layout;
  }

  TypeRef restated(const TypeRef& type) const {
    return substitute_dims(type, replacement(stack_.back()));
  }

  AttrValue restated(const AttrValue& value) const {
    if (const auto* dim = std::get_if<Dim>(&value)) return restated(*dim);
    if (const auto* shape = std::get_if<Shape>(&value)) {
      Shape out;
      for (const Dim& dim : *shape) out.push_back(restated(dim));
      return out;
    }
    if (const auto* type = std::get_if<TypeRef>(&value)) return restated(*type);
    if (const auto* layout = std::get_if<LayoutRef>(&value)) return restated(*layout);
    if (const auto* mesh = std::get_if<MeshRef>(&value)) return restated(*mesh);
    return value;
  }

  CallableRef restated(const Op& op) const {
    const OpClass& cls = op.op_class();
    std::vector<AttrValue> values;
    bool changed = false;
    for (std::size_t i = 0; i < cls.attrs().size(); ++i) {
      const AttrValue value = op.attr(i);
      values.push_back(restated(value));
      changed = changed || !attr_equal(value, values.back());
    }
    return changed ? CallableRef(cls.make(std::move(values))) : CallableRef(&op);
  }

  ScopeRef restated(const ScopeRef& scope) const {
    if (!scope) return scope;
    std::vector<MeshRef> meshes;
    for (const MeshRef& mesh : scope->meshes()) meshes.push_back(restated(mesh));
    return ExecutionScope::make(std::move(meshes));
  }

  ExprRef rewrite(const ExprRef& expr) {
    const auto known = stack_.back().done.find(expr.get());
    if (known != stack_.back().done.end()) return known->second;
    if (const auto* call = expr_cast<Call>(expr)) return rewrite_call(*call);
    if (const auto* tuple = expr_cast<Tuple>(expr)) {
      return Tuple::make(done(tuple->elements()), nullptr, tuple->meta());
    }
    if (const auto* value = expr_cast<DimValue>(expr)) {
      return DimValue::make(restated(value->dim()), value->meta());
    }
    if (const auto* loop = expr_cast<GridRegionExpr>(expr)) return rewrite_loop(*loop);
    return expr;
  }

  ExprRef rewrite_loop(const GridRegionExpr& loop) {
    GridRegionParts parts = loop.parts();
    const auto variable = [&](VarRef& var) {
      var = static_ref_cast<Var>(stack_.back().done.at(var.get()));
    };
    variable(parts.induction_var);
    for (VarRef& var : parts.carried_args) variable(var);
    parts.init_args = done(parts.init_args);
    parts.yield_values = done(parts.yield_values);
    for (Dim* bound : {&parts.start, &parts.extent, &parts.step}) *bound = restated(*bound);
    return make_loop(ctx_, std::move(parts), loop.meta());
  }

  ExprRef rewrite_call(const Call& call) {
    std::vector<ExprRef> args = done(call.args());
    CallableRef target = call.target();
    if (const Function* callee = as_function(*target)) {
      target = callee_at(*callee, args);
      if (!target) return nullptr;
    } else if (target->node_class().node_kind() == NodeClassKind::op) {
      target = restated(static_cast<const Op&>(*target));
    }
    return make_call(ctx_, std::move(target), std::move(args), call.meta(), restated(call.scope()));
  }

  // The callee at the extents that its arguments have now; null when it must be made first.
  CallableRef callee_at(const Function& callee, const std::vector<ExprRef>& args) {
    const bool all = args.size() == callee.params().size();
    CallDims bound;
    std::size_t next = 0;
    for (const VarRef& param : callee.params()) {
      if (all || !param->is_const()) bound.bind(param->type(), args[next++]->type());
    }
    DimExtents dims;
    for (const DimVar& dim : residual_dims(callee)) {
      // What no argument tells (a weight of the tree) is as in the caller.
      const Dim* given = bound.find(dim.name);
      const Dim extent = restated(given != nullptr ? *given : dim_var(dim.name, dim.lo, dim.hi));
      if (extent.is_static()) dims.emplace(dim.name, extent.value());
    }
    const FunctionRef function(&callee);
    if (callee.is_prototype()) {
      const bool picks = !callee.variants().empty() &&
                         variant_range(*callee.variants()[0]) != nullptr &&
                         dims.contains(dispatch_axis(callee).dim.name);
      if (!picks) return function;
    }
    return find(function, dims);
  }

  std::vector<ExprRef> done(const std::vector<ExprRef>& exprs) const {
    std::vector<ExprRef> out;
    for (const ExprRef& expr : exprs) out.push_back(stack_.back().done.at(expr.get()));
    return out;
  }

  TypeInferContext ctx_;
  std::map<Key, FunctionRef> known_;
  std::vector<FunctionRef> kept_;  // the keys' functions
  std::vector<Frame> stack_;
};

}  // namespace

FunctionRef variant_for(const FunctionRef& function, const DimExtents& dims) {
  if (!function->is_prototype()) return function;
  check_partition(*function, function->meta().span);
  for (const FunctionRef& variant : function->variants()) {
    if (variant_range(*variant) != nullptr) continue;
    refuse("TF3430",
           fmt::format("nothing says which extents the pattern {} of {} holds",
                       variant->specializations()[0]->repr(), function->name()),
           variant->meta().span, "variants are picked by DimVarRangePat(name, lo, hi)");
  }
  const DimVar dim = dispatch_axis(*function).dim;
  const auto it = dims.find(dim.name);
  if (it == dims.end()) {
    refuse("TF3430",
           fmt::format("{} has a variant for every {}, and {} has no extent", function->name(),
                       dim.name, dim.name),
           function->meta().span, fmt::format("bind {}", dim.name));
  }
  if (FunctionRef variant = variant_for(*function, it->second)) return variant;
  refuse("TF3431",
         fmt::format("no variant of {} takes the extent {} of {}", function->name(), it->second,
                     dim.name),
         function->meta().span, "the variants' ranges are " + ranges_text(*function));
}

FunctionRef specialize_function(const FunctionRef& function, const DimExtents& dims) {
  DimExtents bound;
  for (const DimVar& dim : residual_dims(*function)) {
    const auto it = dims.find(dim.name);
    if (it == dims.end()) continue;
    if (it->second < dim.lo || it->second >= dim.hi) {
      refuse("TF3432",
             fmt::format("the extent {} of {} is outside its range [{}, {})", it->second, dim.name,
                         dim.lo, dim.hi),
             function->meta().span, fmt::format("use an extent from {} to {}", dim.lo, dim.hi - 1));
    }
    bound.emplace(dim.name, it->second);
  }
  return Specializer().run(function, bound);
}

FunctionRef specialize_concretely(const FunctionRef& function, const DimExtents& dims) {
  FunctionRef result = specialize_function(function, dims);
  std::vector<std::string> open;
  for (const DimVar& dim : residual_dims(*result)) open.push_back(dim.name);
  if (!open.empty() || result->is_prototype()) {
    refuse("TF3433",
           fmt::format("{} is not concrete: {} has no extent", function->name(), join(open, ", ")),
           function->meta().span, "bind every dimension");
  }
  return result;
}

std::vector<DimVar> residual_dims(const Function& function) {
  std::vector<DimVar> dims;
  for_each_function(function, [&](const Function& at) {
    ProgramScan scan;
    scan.add(at);
    for (const auto& node : scan.dim_vars()) {
      const DimVar& var = *node->as_var();
      if (std::find(dims.begin(), dims.end(), var) == dims.end()) dims.push_back(var);
    }
  });
  return dims;
}

DimExtents static_extents(const Function& function, const DimSubstitution& extents) {
  DimExtents dims;
  for (const DimVar& dim : residual_dims(function)) {
    const Dim extent = substitute(dim_var(dim.name, dim.lo, dim.hi), extents);
    if (extent.is_static()) dims.emplace(dim.name, extent.value());
  }
  return dims;
}

bool is_dispatched(const Function& function) {
  bool dispatched = false;
  for_each_function(function, [&](const Function& at) { dispatched |= at.is_prototype(); });
  return dispatched;
}

bool is_concrete(const Function& function) {
  return !is_dispatched(function) && residual_dims(function).empty();
}

}  // namespace tilefoundry
