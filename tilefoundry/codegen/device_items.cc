#include "tilefoundry/codegen/device_items.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "tilefoundry/codegen/device_text.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

struct DeviceItem {
  std::string name;
  std::vector<std::string> needs;
  std::string text;
};

constexpr std::string_view kMarker = "// tf:function ";

std::string replace_placeholders(std::string_view text, const DevicePlaceholders& values) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find('@', at);
    if (open == std::string_view::npos) break;
    out += text.substr(at, open - at);
    const std::size_t close = text.find('@', open + 1);
    const auto value = close == std::string_view::npos
                           ? values.end()
                           : values.find(std::string(text.substr(open + 1, close - open - 1)));
    if (value == values.end()) {
      out += '@';
      at = open + 1;
    } else {
      out += value->second;
      at = close + 1;
    }
  }
  return out += text.substr(std::min(at, text.size()));
}

std::vector<DeviceItem> parse_items(const std::string& text) {
  std::vector<DeviceItem> items;
  std::size_t at = text.find(kMarker);
  // A marker inside a comment of the file's header is not at the start of a line.
  const auto at_line_start = [&text](std::size_t place) {
    return place == 0 || text[place - 1] == '\n';
  };
  while (at != std::string::npos && !at_line_start(at)) at = text.find(kMarker, at + 1);
  while (at != std::string::npos) {
    std::size_t next = text.find(kMarker, at + 1);
    while (next != std::string::npos && !at_line_start(next)) next = text.find(kMarker, next + 1);
    const std::size_t line_end = text.find('\n', at);
    std::istringstream head(text.substr(at + kMarker.size(), line_end - at - kMarker.size()));
    DeviceItem item;
    std::string word;
    head >> item.name >> word;
    while (head >> word) item.needs.push_back(word);
    item.text = text.substr(line_end + 1,
                            next == std::string::npos ? std::string::npos : next - line_end - 1);
    while (!item.text.empty() && item.text.back() == '\n') item.text.pop_back();
    items.push_back(std::move(item));
    at = next;
  }
  return items;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::string device_items_text(const std::vector<DeviceFile>& files,
                              const std::set<std::string>& wanted) {
  std::vector<DeviceItem> items;
  std::unordered_map<std::string, std::size_t> index;
  for (const DeviceFile& file : files) {
    const std::string text = replace_placeholders(device_text(file.name), file.placeholders);
    for (DeviceItem& item : parse_items(text)) {
      if (index.emplace(item.name, items.size()).second) items.push_back(std::move(item));
    }
  }
  std::vector<bool> used(items.size(), false);
  std::vector<std::string> pending(wanted.begin(), wanted.end());
  while (!pending.empty()) {
    const std::string name = std::move(pending.back());
    pending.pop_back();
    const auto it = index.find(name);
    TF_CHECK(it != index.end(), "no device item is named " + name);
    if (used[it->second]) continue;
    used[it->second] = true;
    const DeviceItem& item = items[it->second];
    pending.insert(pending.end(), item.needs.begin(), item.needs.end());
  }
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (used[i]) out += items[i].text + "\n\n";
  }
  return out;
}

bool is_device_identifier(std::string_view identifier) {
  static const auto* words = [] {
    auto* found = new std::unordered_set<std::string>();
    for (const char* file :
         {"cpu/math.inc", "cpu/scalar.inc", "cpu/gemm.inc", "cpu/call.inc",
          "cpu/vector_portable.inc", "cpu/vector_avx2.inc", "cpu/vector_avx512.inc",
          "cpu/vector.inc", "cpu/transpose.inc", "cpu/gemm_portable.inc", "cpu/gemm_avx2.inc",
          "cpu/gemm_avx512.inc", "cpu/gemm_pairs.inc"}) {
      const std::string text = replace_placeholders(device_text(file), {{"S", "f32"}});
      std::size_t at = 0;
      while (at < text.size()) {
        const std::size_t begin = at;
        while (at < text.size() && is_word(text[at])) ++at;
        if (at > begin) found->insert(text.substr(begin, at - begin));
        ++at;
      }
    }
    return found;
  }();
  return words->count(std::string(identifier)) != 0;
}

}  // namespace tilefoundry
