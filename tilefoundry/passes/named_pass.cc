#include "tilefoundry/passes/named_pass.h"

namespace tilefoundry {
namespace {

class BodyPass final : public PrimFuncPass {
 public:
  BodyPass(std::string name, BodyRewrite rewrite)
      : name_(std::move(name)), rewrite_(std::move(rewrite)) {}

  const std::string& name() const override { return name_; }
  const std::vector<std::string>& requires_passes() const override {
    static const std::vector<std::string> names = {"hir_to_tir"};
    return names;
  }
  PrimFunctionRef run_prim_func(const PrimFunctionRef& function, const ModuleRef&) override {
    StmtRef body = rewrite_(*function);
    return body == function->body() ? function : function->with_body(std::move(body));
  }

 private:
  std::string name_;
  BodyRewrite rewrite_;
};

}  // namespace

std::shared_ptr<Pass> make_body_pass(std::string name, BodyRewrite rewrite) {
  return std::make_shared<BodyPass>(std::move(name), std::move(rewrite));
}

}  // namespace tilefoundry
