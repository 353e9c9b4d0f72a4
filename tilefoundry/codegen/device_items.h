// Items of the device text that a generated source uses.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilefoundry {

// Replaced in the text, "@NAME@" by its value.
using DevicePlaceholders = std::map<std::string, std::string>;

// A file of device text ("cpu/math.inc") with the placeholders of one instance. The same file may
// stand several times, with other values; an item name is emitted once.
struct DeviceFile {
  std::string name;
  DevicePlaceholders placeholders;
};

// The text of `wanted` and of everything they need, in file order. InternalError for a name that no
// file has.
std::string device_items_text(const std::vector<DeviceFile>& files,
                              const std::set<std::string>& wanted);

// Whether the device text of the CPU uses this identifier.
bool is_device_identifier(std::string_view identifier);

}  // namespace tilefoundry
