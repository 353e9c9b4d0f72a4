#include "tilefoundry/driver/tuning.h"

#include <dlfcn.h>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tilefoundry/runtime/build_cache.h"
#include "tilefoundry/runtime/cpu_features.h"
#include "tilefoundry/runtime/cpu_topology.h"
#include "tilefoundry/runtime/digest.h"
#include "tilefoundry/runtime/toolchain.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/files.h"
#include "tilefoundry/support/text.h"
#include "tilefoundry/support/version.h"
#include "tilefoundry/target/cpu_target.h"
#include "tilefoundry/text/printer.h"

namespace tilefoundry {
namespace {

namespace fs = std::filesystem;

constexpr int kSchemaVersion = 1;

bool cache_is_kept() {
  const char* folder = std::getenv("TILEFOUNDRY_CACHE_DIR");
  const std::string text = folder != nullptr ? folder : "";
  return text != "0" && text != "off" && text != "none";
}

// The compiler itself: another one may name its block loops otherwise.
std::string library_stamp() {
  Dl_info info{};
  std::error_code error;
  if (::dladdr(reinterpret_cast<const void*>(&find_tuning), &info) == 0) return "";
  const fs::path path = info.dli_fname;
  const auto time = fs::last_write_time(path, error).time_since_epoch().count();
  return fmt::format("{} {}", fs::file_size(path, error), time);
}

std::string key_of(const ModuleRef& module, const CompilerOptions& options) {
  const TargetRef target = module->target() ? module->target()
                           : options.target ? options.target
                                            : default_target();
  CacheKey key;
  key.add("version", version())
      .add("library", library_stamp())
      .add("program", as_script(module->target() ? module : module->with_target(target)))
      .add("compiler", Toolchain::host().identity())
      .add("features", CpuFeatures::native().text())
      .add("cores", std::to_string(usable_cores(usable_cpus())));
  return key.hex();
}

fs::path path_of(const ModuleRef& module, const CompilerOptions& options) {
  return BuildCache::user().root() / "tuned" / (key_of(module, options) + ".json");
}

// Tuning is of the compiler's own choices only.
bool leaves_choice(const CompilerOptions& options) {
  return options.blocks.empty() && options.passes.empty() && options.disabled_passes.empty() &&
         cache_is_kept();
}

std::optional<Tuning> parse(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  try {
    if (!json.is_object() || json.at("schema_version") != kSchemaVersion) return std::nullopt;
    Tuning tuning;
    if (!json.at("blocks").is_object()) return std::nullopt;
    for (const auto& [name, size] : json.at("blocks").items()) {
      tuning.blocks[name] = size.get<std::int64_t>();
      if (tuning.blocks[name] < 1) return std::nullopt;
    }
    tuning.threads = json.at("threads").get<int>();
    tuning.median_ns = json.at("median_ns").get<double>();
    tuning.untuned_ns = json.at("untuned_ns").get<double>();
    return tuning.threads >= 0 ? std::optional(tuning) : std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string Tuning::text() const {
  std::vector<std::string> parts;
  for (const auto& [name, size] : blocks) parts.push_back(fmt::format("{} = {}", name, size));
  if (blocks.empty()) parts.emplace_back("the blocks of the model");
  if (threads > 0) parts.push_back(counted(static_cast<std::size_t>(threads), "thread"));
  return join(parts, ", ");
}

std::optional<Tuning> find_tuning(const ModuleRef& module, const CompilerOptions& options) {
  if (!cache_is_kept()) return std::nullopt;
  // Nothing was ever tuned: no need for the key, which asks the compiler who it is.
  std::error_code error;
  if (!fs::is_directory(BuildCache::user().root() / "tuned", error)) return std::nullopt;
  const fs::path path = path_of(module, options);
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  try {
    return parse(read_file(path));
  } catch (const FileError&) {
    return std::nullopt;
  }
}

void require_tuning_cache() {
  if (cache_is_kept()) return;
  throw FileError(Diagnostic{.code = "TF7490",
                             .message = "what was tuned cannot be kept: the build cache is off",
                             .hint = "unset TILEFOUNDRY_CACHE_DIR, or name a folder"});
}

void store_tuning(const ModuleRef& module, const CompilerOptions& options, const Tuning& tuning) {
  require_tuning_cache();
  const fs::path path = path_of(module, options);
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const nlohmann::ordered_json json = {
      {"schema", "tilefoundry.tuning"}, {"schema_version", kSchemaVersion},
      {"module", module->name()},       {"blocks", tuning.blocks},
      {"threads", tuning.threads},      {"median_ns", tuning.median_ns},
      {"untuned_ns", tuning.untuned_ns}};
  write_file_atomic(path, json.dump(2) + "\n");
}

bool forget_tuning(const ModuleRef& module, const CompilerOptions& options) {
  std::error_code error;
  return cache_is_kept() && fs::remove(path_of(module, options), error);
}

CompilerOptions tuned_options(const ModuleRef& module, const CompilerOptions& options,
                              std::optional<Tuning>* applied) {
  if (applied != nullptr) applied->reset();
  if (!leaves_choice(options)) return options;
  const std::optional<Tuning> tuning = find_tuning(module, options);
  if (!tuning) return options;
  CompilerOptions out = options;
  out.blocks = tuning->blocks;
  if (out.threads == 0) out.threads = tuning->threads;
  if (applied != nullptr) *applied = tuning;
  return out;
}

}  // namespace tilefoundry
