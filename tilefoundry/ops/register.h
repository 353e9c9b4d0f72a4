// The built-in ops, in one listed order.
#pragma once

namespace tilefoundry {

// Fills the op table and every registry with the built-in ops; further calls do nothing. Runs by
// itself when the library loads.
void register_all_ops();

}  // namespace tilefoundry
