// Typing and verification of TIR's memory ops.
#pragma once

namespace tilefoundry {

void register_tir_memory();

}  // namespace tilefoundry
