// The modules of the public Python package, as far as a program names them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilefoundry/frontend/sema.h"
#include "tilefoundry/frontend/value.h"

namespace tilefoundry {

// Whether `path` ("tilefoundry.dsl") is a public module.
bool is_public_module(std::string_view path);
std::vector<std::string> public_modules();
// What `path.name` is; nothing when the module has no such name. Names that only Python can use
// are host objects.
std::optional<Value> public_name(Sema& sema, std::string_view path, std::string_view name);
// What a star import binds.
std::vector<std::string> public_names(std::string_view path);
// The dialect whose ops a module shows, if it is a namespace of ops.
std::optional<Dialect> op_namespace(std::string_view path);

}  // namespace tilefoundry
