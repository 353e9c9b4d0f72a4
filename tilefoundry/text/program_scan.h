// What a file's text needs before its first line can be written: the dimensions and meshes that
// it declares, the names that parameters hold, the functions it defines.
#pragma once

#include <functional>
#include <unordered_set>
#include <vector>

#include "tilefoundry/ir/module.h"
#include "tilefoundry/text/names.h"

namespace tilefoundry {

class ProgramScan {
 public:
  void add(const Function& function);
  void add(const PrimFunction& function);
  void add(const Topologies& topologies);

  // In order of first appearance, each once.
  const std::vector<Ref<const DimNode>>& dim_vars() const noexcept { return dim_vars_; }
  const std::vector<MeshRef>& meshes() const noexcept { return meshes_; }
  const NameSet& params() const noexcept { return params_; }

 private:
  void add_params(const std::vector<VarRef>& params);
  void add_type(const TypeRef& type);
  void add_layout(const LayoutRef& layout);
  void add_mesh(const MeshRef& mesh);
  void add_dim(const Dim& dim);
  void add_attr(const AttrValue& value);
  void add_op(const Op& op);
  void add_exprs(const std::vector<ExprRef>& roots);
  void add_stmt(const Stmt& stmt);

  std::vector<Ref<const DimNode>> dim_vars_;
  std::vector<MeshRef> meshes_;
  NameSet params_;
  std::unordered_set<const void*> seen_;
};

// The functions that a body calls, in order of first call, each once.
std::vector<FunctionRef> called_functions(const Function& function);
// The end of the chain of origins: the function as it was written.
FunctionRef written_function(const FunctionRef& function);

}  // namespace tilefoundry
