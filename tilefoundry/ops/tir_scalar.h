// Typing and verification of TIR's scalar ops.
#pragma once

namespace tilefoundry {

void register_tir_scalar();

}  // namespace tilefoundry
