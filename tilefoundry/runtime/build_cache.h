// Built libraries by content, shared by all processes of a user.
//
// An entry is a folder `builds/<key>` with the library, its source, abi.json and manifest.json,
// which holds a SHA-256 of each; it appears by one rename. An entry whose files do not match its
// manifest is rebuilt, not trusted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilefoundry/runtime/digest.h"

namespace tilefoundry {

inline constexpr std::string_view kLibraryFile = "library.so";
inline constexpr std::string_view kAbiFile = "abi.json";
inline constexpr std::string_view kManifestFile = "manifest.json";

struct CachedBuild {
  std::filesystem::path folder;
  std::filesystem::path library;
  std::filesystem::path source;  // the file named source.* in the folder; empty without one
  bool hit = false;              // found, not built
};

struct CacheItem {
  std::string key;
  std::string label;  // what the builder called it
  std::uint64_t bytes = 0;
  std::int64_t used = 0;  // seconds since 1970, the last build or hit
  std::filesystem::path folder;
};

class BuildCache {
 public:
  explicit BuildCache(std::filesystem::path root);
  // $TILEFOUNDRY_CACHE_DIR, else $XDG_CACHE_HOME/tilefoundry, else ~/.cache/tilefoundry. The first
  // one may also be 0, off or none: builds then go to a folder of this process.
  static BuildCache user();

  const std::filesystem::path& root() const noexcept { return root_; }

  // Fills a folder with library.so, source.*, abi.json and whatever else belongs to the build.
  using Builder = std::function<void(const std::filesystem::path& folder)>;

  // The entry of `key`, built when it is missing or damaged. Builds of one key by several processes
  // at once are safe: all get an intact entry. A cache that cannot be written warns once and the
  // build goes to a folder of this process, removed at its end. Errors of the builder pass through
  // and leave nothing behind.
  CachedBuild get_or_build(const std::string& key, std::string_view label,
                           const Builder& builder) const;
  // The intact entry, without building.
  std::optional<CachedBuild> find(const std::string& key) const;

  // Least recently used last.
  std::vector<CacheItem> list() const;
  std::uint64_t total_bytes() const;
  // Removes every entry and what interrupted builds left; returns the number of entries removed.
  std::size_t clear() const;
  // Removes the least recently used entries until at most `bytes` are left.
  std::size_t trim(std::uint64_t bytes) const;
  // Where sources of failed builds are kept.
  std::filesystem::path failed_folder() const;

 private:
  std::filesystem::path root_;
};

// Writes manifest.json for the files of a folder; a published output folder carries one too.
void write_manifest(const std::filesystem::path& folder, std::string_view key,
                    std::string_view label);
// Whether every file of the manifest is there with its size and digest.
bool verify_manifest(const std::filesystem::path& folder, std::string_view key);

}  // namespace tilefoundry
