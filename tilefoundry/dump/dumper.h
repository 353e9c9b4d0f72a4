// Destinations of dumps.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace tilefoundry {

// Receives one text. `path` is relative, '/' between its parts; a later text of the same path
// replaces the earlier one. Called from several threads.
class IDumpper {
 public:
  virtual ~IDumpper() = default;
  // Throws FileError when the text cannot be kept.
  virtual void write(std::string_view path, std::string_view text) = 0;
};

// Writes below a folder, which it makes when needed, each file at once under its final name.
// Whatever the path says, nothing is written outside the root: see `safe_dump_path`; links inside
// the root are not followed.
class FileDumper : public IDumpper {
 public:
  explicit FileDumper(std::filesystem::path root);
  const std::filesystem::path& root() const noexcept { return root_; }
  void write(std::string_view path, std::string_view text) override;

 private:
  std::filesystem::path root_;
  std::mutex mutex_;
};

// Keeps texts in memory.
class MemoryDumper : public IDumpper {
 public:
  void write(std::string_view path, std::string_view text) override;
  std::map<std::string, std::string> files() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> files_;
};

// Drops everything.
class NullDumper : public IDumpper {
 public:
  void write(std::string_view, std::string_view) override {}
};

// A relative path with the same number of non-empty parts that names a file below any root: "." and
// "..", control characters, '\\' and '%' are escaped as %XX, so distinct paths stay distinct; a
// leading '/' and empty parts are dropped; a part over 200 bytes is cut and gets a hash. "unnamed"
// for a path without parts. All dumpers use it.
std::string safe_dump_path(std::string_view path);

}  // namespace tilefoundry
