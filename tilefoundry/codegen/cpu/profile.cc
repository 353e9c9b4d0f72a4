// Timing hooks: a library built for a profile exports an array with the nanoseconds and the number
// of passes of every site.
#include <fmt/format.h>

#include "tilefoundry/codegen/cpu/handlers.h"
#include "tilefoundry/ir/tir/ops.h"

namespace tilefoundry {
namespace {

constexpr const char* kText = R"(struct TfTime {{
  tf_i64 seconds, nanoseconds;
}};
extern "C" {{
tf_i32 clock_gettime(tf_i32 clock, TfTime* time);
// Nanoseconds and passes of each site, added up over calls.
extern __attribute__((visibility("default"))) tf_i64 tf_profile[{0}];
tf_i64 tf_profile[{0}] = {{0}};
}}
static tf_i64 tf_profile_clock(void) {{
  TfTime now;
  clock_gettime(1, &now);
  return now.seconds * 1000000000 + now.nanoseconds;
}}
static void tf_profile_add(tf_i64 site, tf_i64 start) {{
  __atomic_fetch_add(&tf_profile[2 * site], tf_profile_clock() - start, __ATOMIC_RELAXED);
  __atomic_fetch_add(&tf_profile[2 * site + 1], 1, __ATOMIC_RELAXED);
}}
)";

void emit_profile_mark(const Evaluate&, const ProfileMark& op, CodegenContext& base) {
  CpuCodegenContext& ctx = cpu_context(base);
  ctx.add_helper("tf_profile", fmt::format(kText, 2 * op.sites));
  if (op.end) {
    ctx.line(fmt::format("tf_profile_add({0}, tf_start_{0});", op.site));
  } else {
    ctx.line(fmt::format("const tf_i64 tf_start_{} = tf_profile_clock();", op.site));
  }
}

}  // namespace

void register_cpu_profile(AnalysisRegistry& registry) {
  register_codegen<ProfileMark>(registry, emit_profile_mark);
}

}  // namespace tilefoundry
