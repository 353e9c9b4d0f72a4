#include "tilefoundry/runtime/build_cache.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <nlohmann/json.hpp>

#include "tilefoundry/runtime/digest.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/environment.h"
#include "tilefoundry/support/files.h"
#include "tilefoundry/support/text.h"
#include "tilefoundry/support/warning.h"

namespace tilefoundry {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kSourceStem = "source";
// Staging folders older than this belong to processes that died.
constexpr std::time_t kStaleSeconds = 24 * 3600;

// Builds that no cache can hold, for the lifetime of the process.
const fs::path& process_folder() {
  static const TemporaryFolder folder;
  return folder.path();
}

std::int64_t modified_seconds(const fs::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? static_cast<std::int64_t>(status.st_mtime) : 0;
}

// The manifest's time is the last use.
void touch(const fs::path& folder) {
  std::error_code ignored;
  fs::last_write_time(folder / kManifestFile, fs::file_time_type::clock::now(), ignored);
}

std::optional<Json> read_manifest(const fs::path& folder) {
  try {
    Json json = Json::parse(read_file(folder / kManifestFile), nullptr, false);
    if (json.is_object() && json.value("schema", Json()) == "tilefoundry.build") return json;
  } catch (const FileError&) {
    // Missing or unreadable: no manifest.
  }
  return std::nullopt;
}

CachedBuild describe(const fs::path& folder, bool hit) {
  CachedBuild build{folder, folder / kLibraryFile, {}, hit};
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().stem() == kSourceStem) build.source = entry.path();
  }
  return build;
}

std::uint64_t folder_bytes(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
    std::error_code ignored;
    if (entry.is_regular_file(ignored)) bytes += entry.file_size(ignored);
  }
  return bytes;
}

// Takes a folder out of sight with one rename before removing it, so that nobody sees a part of it.
void remove_entry(const fs::path& folder, const fs::path& staging) {
  std::error_code ignored;
  try {
    const TemporaryFolder aside(staging);
    if (::rename(folder.c_str(), (aside.path() / "entry").c_str()) == 0) return;
  } catch (const FileError&) {
    // Removed in place below.
  }
  fs::remove_all(folder, ignored);
}

void remove_stale(const fs::path& staging, std::time_t older_than) {
  std::error_code error;
  const std::time_t now = std::time(nullptr);
  for (const fs::directory_entry& entry : fs::directory_iterator(staging, error)) {
    std::error_code ignored;
    if (now - modified_seconds(entry.path()) >= older_than) fs::remove_all(entry.path(), ignored);
  }
}

void warn_once(const Error& error) {
  static std::atomic<bool> warned{false};
  if (warned.exchange(true)) return;
  Diagnostic diagnostic;
  diagnostic.code = "TF6501";
  diagnostic.message =
      "the build cache cannot be used, builds of this process are kept in a temporary folder: " +
      error.diagnostic().message;
  diagnostic.hint = "set TILEFOUNDRY_CACHE_DIR to a folder that you can write to, or to off";
  warn(std::move(diagnostic));
}

[[noreturn]] void fail_to_write(const fs::path& path, int error) {
  Diagnostic diagnostic;
  diagnostic.code = "TF7104";
  diagnostic.message = fmt::format("{} cannot be written: {}", python_string_literal(path.string()),
                                   system_error_text(error));
  throw FileError(std::move(diagnostic));
}

void make_folders(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail_to_write(path, error.value());
}

// Moves a finished folder to its place; false when somebody else's is already there.
bool publish(TemporaryFolder& staged, const fs::path& place) {
  ::chmod(staged.path().c_str(), 0755);
  if (::rename(staged.path().c_str(), place.c_str()) == 0) {
    staged.release();
    return true;
  }
  if (errno == ENOTEMPTY || errno == EEXIST) return false;
  fail_to_write(place, errno);
}

void check_key(const std::string& key) {
  const bool hex =
      key.size() >= 16 && key.find_first_not_of("0123456789abcdef") == std::string::npos;
  TF_CHECK(hex, "a cache key is a digest in lower-case hexadecimal");
}

}  // namespace

void write_manifest(const fs::path& folder, std::string_view key, std::string_view label) {
  Json files = Json::object();
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name == kManifestFile) continue;
    const std::string content = read_file(entry.path());
    files[name] = {{"bytes", content.size()}, {"sha256", sha256_hex(content)}};
  }
  const Json manifest = {{"schema", "tilefoundry.build"},
                         {"schema_version", 1},
                         {"key", key},
                         {"label", label},
                         {"files", files}};
  write_file_atomic(folder / kManifestFile, manifest.dump(2) + "\n");
}

bool verify_manifest(const fs::path& folder, std::string_view key) {
  const std::optional<Json> manifest = read_manifest(folder);
  if (!manifest || manifest->value("key", Json()) != key) return false;
  const Json files = manifest->value("files", Json());
  if (!files.is_object() || !files.contains(std::string(kLibraryFile))) return false;
  for (const auto& [name, facts] : files.items()) {
    if (name.empty() || name.find('/') != std::string::npos || !facts.is_object()) return false;
    try {
      const std::string content = read_file(folder / name);
      if (facts.value("bytes", Json()) != content.size()) return false;
      if (facts.value("sha256", Json()) != sha256_hex(content)) return false;
    } catch (const FileError&) {
      return false;
    }
  }
  return true;
}

BuildCache::BuildCache(fs::path root) : root_(std::move(root)) {}

BuildCache BuildCache::user() {
  if (const auto folder = environment_text("TILEFOUNDRY_CACHE_DIR")) {
    if (*folder == "0" || *folder == "off" || *folder == "none") {
      return BuildCache(process_folder() / "cache");
    }
    return BuildCache(fs::absolute(*folder));
  }
  if (const auto folder = environment_text("XDG_CACHE_HOME")) {
    // The XDG specification has relative paths ignored.
    if (fs::path(*folder).is_absolute()) return BuildCache(fs::path(*folder) / "tilefoundry");
  }
  if (const auto home = environment_text("HOME")) {
    return BuildCache(fs::path(*home) / ".cache" / "tilefoundry");
  }
  return BuildCache(process_folder() / "cache");
}

fs::path BuildCache::failed_folder() const { return root_ / "failed"; }

std::optional<CachedBuild> BuildCache::find(const std::string& key) const {
  check_key(key);
  const fs::path folder = root_ / "builds" / key;
  if (!verify_manifest(folder, key)) return std::nullopt;
  touch(folder);
  return describe(folder, true);
}

CachedBuild BuildCache::get_or_build(const std::string& key, std::string_view label,
                                     const Builder& builder) const {
  if (std::optional<CachedBuild> found = find(key)) return *found;
  const auto build_in = [&](const fs::path& parent) {
    auto staged = std::make_unique<TemporaryFolder>(parent);
    builder(staged->path());
    write_manifest(staged->path(), key, label);
    return staged;
  };
  try {
    std::unique_ptr<TemporaryFolder> staged = build_in(root_ / "staging");
    const fs::path place = root_ / "builds" / key;
    make_folders(place.parent_path());
    // Another process may publish meanwhile: its entry serves as well, unless it is damaged.
    for (int attempt = 0; attempt < 3; ++attempt) {
      if (publish(*staged, place)) {
        remove_stale(root_ / "staging", kStaleSeconds);
        return describe(place, false);
      }
      if (verify_manifest(place, key)) return describe(place, false);
      remove_entry(place, root_ / "staging");
    }
  } catch (const FileError& error) {
    if (error.diagnostic().code != "TF7104") throw;
    warn_once(error);
  }
  return describe(build_in(process_folder())->release(), false);
}

std::vector<CacheItem> BuildCache::list() const {
  std::vector<CacheItem> items;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(root_ / "builds", error)) {
    CacheItem item;
    item.folder = entry.path();
    item.key = entry.path().filename().string();
    item.bytes = folder_bytes(entry.path());
    item.used = modified_seconds(entry.path() / kManifestFile);
    if (const std::optional<Json> manifest = read_manifest(entry.path())) {
      const Json label = manifest->value("label", Json());
      if (label.is_string()) item.label = label.get<std::string>();
    }
    items.push_back(std::move(item));
  }
  std::sort(items.begin(), items.end(), [](const CacheItem& a, const CacheItem& b) {
    return a.used != b.used ? a.used > b.used : a.key < b.key;
  });
  return items;
}

std::uint64_t BuildCache::total_bytes() const {
  std::uint64_t bytes = 0;
  for (const CacheItem& item : list()) bytes += item.bytes;
  return bytes;
}

std::size_t BuildCache::clear() const {
  const std::size_t removed = trim(0);
  std::error_code ignored;
  fs::remove_all(failed_folder(), ignored);
  remove_stale(root_ / "staging", kStaleSeconds);
  return removed;
}

std::size_t BuildCache::trim(std::uint64_t bytes) const {
  std::uint64_t kept = 0;
  std::size_t removed = 0;
  for (const CacheItem& item : list()) {
    kept += item.bytes;
    if (kept <= bytes && bytes > 0) continue;
    remove_entry(item.folder, root_ / "staging");
    ++removed;
  }
  return removed;
}

}  // namespace tilefoundry
