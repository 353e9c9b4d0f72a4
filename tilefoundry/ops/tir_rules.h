// Rules of TIR's generic statements, and of every statement of a prim function.
#pragma once

namespace tilefoundry {

void register_tir_rules();
void register_tir_dispatch_rules();

}  // namespace tilefoundry
