#include "tilefoundry/dump/dumper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/files.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

constexpr std::size_t kLongestPart = 200;

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

std::string safe_part(std::string_view part) {
  if (part == "." || part == "..") return part == "." ? "%2E" : "%2E%2E";
  std::string safe;
  for (const char c : part) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || c == '%' || c == '\\') {
      safe += fmt::format("%{:02X}", byte);
    } else {
      safe += c;
    }
  }
  if (safe.size() <= kLongestPart) return safe;
  std::size_t cut = kLongestPart - 17;
  // Not inside a code point.
  while (cut > 0 && (static_cast<unsigned char>(safe[cut]) & 0xc0) == 0x80) --cut;
  return safe.substr(0, cut) + fmt::format("~{:016x}", fnv1a(part));
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) parts.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

[[noreturn]] void refuse(const std::filesystem::path& path, int error) {
  Diagnostic diagnostic;
  diagnostic.code = "TF7104";
  diagnostic.message = fmt::format("the dump {} cannot be written: {}",
                                   python_string_literal(path.string()), system_error_text(error));
  diagnostic.hint = "choose another folder for dumps";
  throw FileError(std::move(diagnostic));
}

class FolderDescriptor {
 public:
  explicit FolderDescriptor(int value) : value_(value) {}
  ~FolderDescriptor() {
    if (value_ >= 0) ::close(value_);
  }
  FolderDescriptor(const FolderDescriptor&) = delete;
  FolderDescriptor& operator=(const FolderDescriptor&) = delete;
  int get() const { return value_; }
  void reset(int value) {
    if (value_ >= 0) ::close(value_);
    value_ = value;
  }

 private:
  int value_;
};

// Writes the file `pending` and renames it to `name`, both relative to an open folder.
void write_at(int folder, const std::string& name, const std::string& pending,
              std::string_view text, const std::filesystem::path& shown) {
  const int file = ::openat(folder, pending.c_str(),
                            O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) refuse(shown, errno);
  int error = 0;
  while (!text.empty() && error == 0) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && ::renameat(folder, pending.c_str(), folder, name.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlinkat(folder, pending.c_str(), 0);
    refuse(shown, error);
  }
}

}  // namespace

std::string safe_dump_path(std::string_view path) {
  std::string result;
  for (const std::string& part : split_path(path)) {
    if (!result.empty()) result += '/';
    result += safe_part(part);
  }
  return result.empty() ? "unnamed" : result;
}

FileDumper::FileDumper(std::filesystem::path root) : root_(std::move(root)) {}

void FileDumper::write(std::string_view path, std::string_view text) {
  std::vector<std::string> parts = split_path(safe_dump_path(path));
  std::error_code made;
  std::filesystem::create_directories(root_, made);
  const std::filesystem::path shown = root_ / safe_dump_path(path);
  if (made) refuse(shown, made.value());
  FolderDescriptor folder(::open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) refuse(shown, errno);
  const std::string name = parts.back();
  parts.pop_back();
  // Step by step and without following links, so that nothing below the root leads out of it.
  for (const std::string& part : parts) {
    if (::mkdirat(folder.get(), part.c_str(), 0777) != 0 && errno != EEXIST) refuse(shown, errno);
    const int next =
        ::openat(folder.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (next < 0) refuse(shown, errno);
    folder.reset(next);
  }
  // Two threads that write one name take turns, so that each content is whole.
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::string pending = fmt::format(".{}.{}.tmp", ::getpid(), fmt::ptr(this));
  write_at(folder.get(), name, pending, text, shown);
}

void MemoryDumper::write(std::string_view path, std::string_view text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  files_[safe_dump_path(path)] = std::string(text);
}

std::map<std::string, std::string> MemoryDumper::files() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return files_;
}

}  // namespace tilefoundry
