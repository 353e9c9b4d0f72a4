#include "tilefoundry/ops/register.h"

#include <mutex>

#include "tilefoundry/ir/tir/ops.h"
#include "tilefoundry/ops/arange.h"
#include "tilefoundry/ops/arg_max.h"
#include "tilefoundry/ops/binary.h"
#include "tilefoundry/ops/cache_update.h"
#include "tilefoundry/ops/cast.h"
#include "tilefoundry/ops/clamp.h"
#include "tilefoundry/ops/concat.h"
#include "tilefoundry/ops/full_like.h"
#include "tilefoundry/ops/function_call.h"
#include "tilefoundry/ops/gelu.h"
#include "tilefoundry/ops/index_select.h"
#include "tilefoundry/ops/insert_slice.h"
#include "tilefoundry/ops/layer_norm.h"
#include "tilefoundry/ops/matmul.h"
#include "tilefoundry/ops/mma.h"
#include "tilefoundry/ops/rank.h"
#include "tilefoundry/ops/reduce.h"
#include "tilefoundry/ops/relu.h"
#include "tilefoundry/ops/repeat_interleave.h"
#include "tilefoundry/ops/require.h"
#include "tilefoundry/ops/reshape.h"
#include "tilefoundry/ops/rms_norm.h"
#include "tilefoundry/ops/rope.h"
#include "tilefoundry/ops/shape_of.h"
#include "tilefoundry/ops/sigmoid.h"
#include "tilefoundry/ops/silu.h"
#include "tilefoundry/ops/slice.h"
#include "tilefoundry/ops/soft_max.h"
#include "tilefoundry/ops/softplus.h"
#include "tilefoundry/ops/split.h"
#include "tilefoundry/ops/stack.h"
#include "tilefoundry/ops/tanh.h"
#include "tilefoundry/ops/tir_memory.h"
#include "tilefoundry/ops/tir_rules.h"
#include "tilefoundry/ops/tir_scalar.h"
#include "tilefoundry/ops/top_k.h"
#include "tilefoundry/ops/transpose.h"
#include "tilefoundry/ops/tuple_get_item.h"
#include "tilefoundry/ops/unary.h"
#include "tilefoundry/ops/where.h"
#include "tilefoundry/ops/zeros.h"

namespace tilefoundry {
namespace {

// The order is that of overload resolution.
void register_each() {
  register_framework_ops();
  register_tir_rules();
  register_tir_dispatch_rules();
  register_tir_memory();
  register_tir_scalar();
  register_require();
  register_binary();
  register_unary();
  register_cast();
  register_clamp();
  register_silu();
  register_sigmoid();
  register_tanh();
  register_softplus();
  register_gelu();
  register_where();
  register_zeros();
  register_arange();
  register_full_like();
  register_matmul();
  register_reduce();
  register_arg_max();
  register_top_k();
  register_rms_norm();
  register_layer_norm();
  register_soft_max();
  register_rope();
  register_relu();
  register_mma();
  register_reshape();
  register_transpose();
  register_slice();
  register_insert_slice();
  register_cache_update();
  register_concat();
  register_stack();
  register_index_select();
  register_repeat_interleave();
  register_shape_of();
  register_rank();
  register_split();
  register_tuple_get_item();
  register_function_call();
}

[[maybe_unused]] const bool kRegistered = [] {
  register_all_ops();
  return true;
}();

}  // namespace

void register_all_ops() {
  static std::once_flag once;
  std::call_once(once, register_each);
}

}  // namespace tilefoundry
