#include "tilefoundry/passes/pass_manager.h"

#include <gtest/gtest.h>

#include "tilefoundry/dump/dump.h"
#include "tilefoundry/ir/tir/block.h"
#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ir/tir/stmt_visitor.h"
#include "tilefoundry/passes/bufferize.h"
#include "tilefoundry/passes/hir_to_tir.h"
#include "tilefoundry/passes/pipeline.h"
#include "tilefoundry/registry/typeinfer.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

static_assert(std::is_base_of_v<Pass, ModulePass> && std::is_base_of_v<Pass, FunctionPass> &&
              std::is_base_of_v<Pass, PrimFuncPass>);           // P1
static_assert(std::is_abstract_v<Pass>);                        // P3
static_assert(std::is_base_of_v<PrimFuncPass, BufferizePass>);  // P66
static_assert(std::is_base_of_v<ModulePass, HirToTirPass>);     // P34

TensorTypeRef f32(Shape shape) { return TensorType::make(std::move(shape), DType::f32); }

// An op whose result has the type of its argument; counts how often it is inferred.
int inferences = 0;
const OpClass& same_op() {
  static const OpClass& cls = []() -> const OpClass& {
    const OpClass& made = DynamicOpClassBuilder("PassTestSame", Dialect::tf, "test")
                              .input({"x", InputPattern::tensor, false, false})
                              .build();
    typeinfer_registry().add<TypeInferFn>(made, [](const Call& call, TypeInferContext& ctx) {
      ++inferences;
      return ctx.type_of(call.args()[0]);
    });
    return made;
  }();
  return cls;
}

FunctionRef same_function(const std::string& name, int length = 1) {
  const VarRef x = Var::make("x", f32({4}));
  ExprRef body = x;
  for (int i = 0; i < length; ++i) body = Call::make(same_op().make({}), {body}, f32({4}));
  return Function::make(name, {x}, body);
}

PrimFunctionRef copy_function(const std::string& name, Shape from = {4}, Shape to = {4}) {
  const VarRef src = Var::make("src", f32(std::move(from)));
  const VarRef dst = Var::make("dst", f32(std::move(to)));
  return PrimFunction::make(name, {src, dst}, copy(src, dst), 1);
}

ModuleRef module_of(std::vector<CallableRef> functions) {
  ModuleParts parts;
  parts.name = "M";
  parts.functions = std::move(functions);
  return Module::make(std::move(parts));
}

// A module pass made of a function.
class LambdaPass : public ModulePass {
 public:
  using Run = std::function<ModuleRef(const ModuleRef&)>;
  LambdaPass(std::string name, Run run, std::vector<std::string> wanted = {})
      : name_(std::move(name)), run_(std::move(run)), wanted_(std::move(wanted)) {}
  const std::string& name() const override { return name_; }
  const std::vector<std::string>& requires_passes() const override { return wanted_; }
  ModuleRef run(const ModuleRef& module) override { return run_(module); }

 private:
  std::string name_;
  Run run_;
  std::vector<std::string> wanted_;
};

std::shared_ptr<Pass> recorder(const std::string& name, std::vector<std::string>& order,
                               std::vector<std::string> wanted = {}) {
  return std::make_shared<LambdaPass>(
      name,
      [name, &order](const ModuleRef& module) {
        order.push_back(name);
        return module;
      },
      std::move(wanted));
}

TEST(Pass, P3_a_pass_requires_nothing_by_default_and_cannot_be_made_without_run) {
  class Minimal final : public ModulePass {
   public:
    const std::string& name() const override {
      static const std::string text;
      return text;
    }
    ModuleRef run(const ModuleRef& module) override { return module; }
  };
  EXPECT_TRUE(Minimal().requires_passes().empty());
  EXPECT_EQ(Minimal().name(), "");
  EXPECT_TRUE(std::is_abstract_v<ModulePass>);
}

TEST(PassManager, P2_P14_passes_run_in_the_order_of_adding_and_an_empty_manager_does_nothing) {
  std::vector<std::string> order;
  const auto a = recorder("a", order);
  const auto b = recorder("b", order);
  PassManager manager;
  EXPECT_EQ(&manager.add(b).add(a), &manager);
  EXPECT_EQ(manager.passes(), (std::vector<std::shared_ptr<Pass>>{b, a}));
  const ModuleRef module = module_of({same_function("f")});
  EXPECT_EQ(manager.run(module), module);
  EXPECT_EQ(order, (std::vector<std::string>{"b", "a"}));
  EXPECT_TRUE(PassManager().passes().empty());
  EXPECT_EQ(PassManager().run(module), module);
}

TEST(PassManager, P15_requires_is_checked_before_any_pass_runs) {
  std::vector<std::string> order;
  PassManager manager;
  manager.add(recorder("late", order, {"early"})).add(recorder("early", order));
  try {
    manager.run(module_of({same_function("f")}));
    FAIL() << "no error";
  } catch (const PassError& error) {
    EXPECT_NE(std::string(error.what()).find("late"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("early"), std::string::npos);
  }
  EXPECT_TRUE(order.empty());
  EXPECT_EQ(manager.pipeline_text(), "late,early");
}

TEST(PassManager, P7_a_failure_passes_through_and_no_later_pass_runs) {
  std::vector<std::string> order;
  PassManager manager;
  manager
      .add(std::make_shared<LambdaPass>("bad",
                                        [](const ModuleRef&) -> ModuleRef {
                                          throw CodegenError(
                                              Diagnostic{.code = "TF5999", .message = "mine"});
                                        }))
      .add(recorder("after", order));
  EXPECT_THROW(manager.run(module_of({same_function("f")})), CodegenError);
  EXPECT_TRUE(order.empty());
}

class RecordingFunctionPass final : public FunctionPass {
 public:
  const std::string& name() const override {
    static const std::string text = "record";
    return text;
  }
  FunctionRef run_function(const FunctionRef& function, const ModuleRef& module) override {
    seen.push_back(function->name() + " of " + module->name());
    return function;
  }
  std::vector<std::string> seen;
};

class RecordingPrimPass final : public PrimFuncPass {
 public:
  const std::string& name() const override {
    static const std::string text = "record";
    return text;
  }
  PrimFunctionRef run_prim_func(const PrimFunctionRef& function, const ModuleRef& module) override {
    seen.push_back(function->name() + " of " + module->name());
    return function;
  }
  std::vector<std::string> seen;
};

TEST(Passes, P9_P10_P11_granularities_visit_their_own_dialect_and_keep_all_else) {
  const ModuleRef child = attach_copy(*module_of({same_function("inner")}), "child");
  ModuleParts parts =
      module_of({same_function("f"), copy_function("k"), same_function("g")})->parts();
  parts.children = {child};
  const ModuleRef module = Module::make(std::move(parts));
  RecordingFunctionPass functions;
  EXPECT_EQ(functions.run(module), module);
  EXPECT_EQ(functions.seen, (std::vector<std::string>{"inner of child", "f of M", "g of M"}));
  RecordingPrimPass prims;
  EXPECT_EQ(prims.run(module), module);
  EXPECT_EQ(prims.seen, (std::vector<std::string>{"k of M"}));
}

TEST(Passes, P8_module_passes_add_remove_and_reorder_functions) {
  const FunctionRef f = same_function("f");
  const FunctionRef g = same_function("g");
  const ModuleRef module = module_of({f, g});
  PassManager manager;
  manager.add(std::make_shared<LambdaPass>("reorder", [](const ModuleRef& m) {
    return m->with_functions({m->functions()[1], m->functions()[0]});
  }));
  EXPECT_EQ(manager.run(module)->functions(), (std::vector<CallableRef>{g, f}));
  EXPECT_EQ(module->functions(), (std::vector<CallableRef>{f, g}));  // P5
}

TEST(PassManager, P29_P31_only_what_a_pass_changed_is_typed_again_and_stale_types_are_refreshed) {
  std::vector<CallableRef> functions;
  for (int i = 0; i < 10; ++i) functions.push_back(same_function("f" + std::to_string(i), 3));
  const ModuleRef module = module_of(functions);
  class Staler final : public FunctionPass {
   public:
    const std::string& name() const override {
      static const std::string text = "staler";
      return text;
    }
    FunctionRef run_function(const FunctionRef& function, const ModuleRef&) override {
      if (function->name() != "f4") return function;
      const ExprRef x = function->params()[0];
      return function->with_body(Call::make(same_op().make({}), {x}, f32({99})));
    }
  };
  PassManager manager;
  manager.add(std::make_shared<Staler>());
  inferences = 0;
  const ModuleRef result = manager.run(module);
  EXPECT_EQ(inferences, 1);
  const auto& changed = static_cast<const Function&>(*result->functions()[4]);
  EXPECT_EQ(changed.body()->type(), TypeRef(f32({4})));
  EXPECT_EQ(result->functions()[3], functions[3]);
}

TEST(PassManager, P30_a_changed_prim_function_is_verified_right_after_the_pass) {
  std::vector<std::string> order;
  PassManager manager;
  manager
      .add(std::make_shared<LambdaPass>(
          "breaker",
          [](const ModuleRef& m) { return m->with_functions({copy_function("k", {4}, {5})}); }))
      .add(recorder("after", order));
  EXPECT_THROW(manager.run(module_of({copy_function("k")})), VerifyError);
  EXPECT_TRUE(order.empty());
}

// A caller of `k` that passes what `k` takes today.
PrimFunctionRef caller_of(const PrimFunctionRef& callee) {
  const VarRef src = Var::make("src", f32({4}));
  const VarRef dst = Var::make("dst", f32({4}));
  const auto symbol = SymbolRef::make(callee->name(), callee->callable_type());
  return PrimFunction::make("main", {src, dst}, Evaluate::call(symbol, {src, dst}), 1);
}

TEST(PassManager, P32_callers_of_a_changed_signature_are_checked_with_and_without_a_report) {
  const PrimFunctionRef callee = copy_function("k");
  const PrimFunctionRef caller = caller_of(callee);
  const ModuleRef module = module_of({callee, caller});
  const auto change_callee = [](const ModuleRef& m) {
    return m->with_functions({copy_function("k", {5}, {5}), m->functions()[1]});
  };
  class Reporting final : public LambdaPass {
   public:
    using LambdaPass::LambdaPass;
    std::optional<std::set<std::string>> changed_functions() const override {
      return std::set<std::string>{"k"};
    }
  };
  PassManager silent;
  silent.add(std::make_shared<LambdaPass>("silent", change_callee));
  EXPECT_THROW(silent.run(module), VerifyError);
  PassManager reporting;
  reporting.add(std::make_shared<Reporting>("reporting", change_callee));
  EXPECT_THROW(reporting.run(module), VerifyError);
}

TEST(PassManager, P16_P17_dumps_go_to_numbered_folders_of_the_active_scope_only) {
  std::vector<std::string> order;
  PassManager manager;
  manager.add(recorder("first", order)).add(recorder("second", order));
  const ModuleRef module = module_of({copy_function("k")});
  const auto dumper = std::make_shared<MemoryDumper>();
  {
    const DumpScope scope("", DumpFlags::PASS_IR, dumper);
    manager.run(module);
  }
  std::set<std::string> names;
  for (const auto& [name, text] : dumper->files()) names.insert(name);
  EXPECT_EQ(names, (std::set<std::string>{"00_first/before.txt", "00_first/after.txt",
                                          "01_second/before.txt", "01_second/after.txt"}));
  const auto other = std::make_shared<MemoryDumper>();
  {
    const DumpScope scope("", DumpFlags::BUILD_LOG, other);
    manager.run(module);
  }
  manager.run(module);
  EXPECT_TRUE(other->files().empty());
}

TEST(Bufferize, P66_P67_P68_lifetimes_reach_the_scheduler_and_the_function_is_unchanged) {
  class Collector final : public LifetimeCollector {
   public:
    std::vector<BufferLifetime> collect(const PrimFunction& function) override {
      ++calls;
      return LifetimeCollector::collect(function);
    }
    int calls = 0;
  };
  class Scheduler final : public BufferScheduler {
   public:
    std::vector<BufferPlacement> schedule(const std::vector<BufferLifetime>& lifetimes) override {
      seen = lifetimes;
      std::vector<BufferPlacement> reuse;
      for (const BufferLifetime& lifetime : lifetimes) reuse.push_back({lifetime.buffer, 0});
      return reuse;
    }
    std::vector<BufferLifetime> seen;
  };
  const VarRef src = Var::make("src", f32({4}));
  const VarRef dst = Var::make("dst", f32({4}));
  const VarRef a = Var::make("a", f32({4}));
  const VarRef b = Var::make("b", f32({4}));
  const Block block = {BlockItem::let(a, alloc_tensor(f32({4}))), BlockItem::of(copy(src, a)),
                       BlockItem::let(b, alloc_tensor(f32({4}))), BlockItem::of(copy(a, b)),
                       BlockItem::of(copy(b, dst))};
  const PrimFunctionRef function = PrimFunction::make("k", {src, dst}, make_block(block), 1);
  const auto collector = std::make_shared<Collector>();
  const auto scheduler = std::make_shared<Scheduler>();
  BufferizePass pass(collector, scheduler);
  EXPECT_EQ(pass.run_prim_func(function, module_of({function})), function);
  EXPECT_EQ(collector->calls, 1);
  ASSERT_EQ(scheduler->seen.size(), 2U);
  EXPECT_EQ(scheduler->seen[0].buffer, a);
  EXPECT_LT(scheduler->seen[1].first, scheduler->seen[0].last);
  EXPECT_NE(BufferizePass().collector, nullptr);
  EXPECT_NE(BufferizePass().scheduler, nullptr);
  EXPECT_EQ(BufferizePass().name(), "bufferize");
  EXPECT_EQ(BufferizePass().requires_passes(), std::vector<std::string>{"hir_to_tir"});
}

TEST(Pipeline, P21_P33_the_default_begins_with_lowering_and_holds_no_typing_or_verify_pass) {
  const std::string text = default_pipeline().pipeline_text();
  EXPECT_EQ(text.rfind("hir_to_tir,bufferize,", 0), 0U) << text;
  for (const std::string& name : pass_names()) {
    EXPECT_EQ(name.find("infer"), std::string::npos);
    EXPECT_EQ(name.find("verify"), std::string::npos);
  }
  EXPECT_THROW(make_pass("fuse_lops"), PassError);
  EXPECT_THROW(default_pipeline({"hir_to_tir"}), PassError);
  EXPECT_THROW(parse_pipeline("hir_to_tir,,bufferize"), PassError);
}

}  // namespace
}  // namespace tilefoundry
