#include "tilefoundry/support/files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string code, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  throw FileError(std::move(diagnostic));
}

std::string quoted(const fs::path& path) { return python_string_literal(path.string()); }

[[noreturn]] void fail_to_read(const fs::path& path, int error) {
  if (error == ENOENT || error == ENOTDIR) {
    fail("TF7101", fmt::format("there is no file {}", quoted(path)), "check the path");
  }
  if (error == EISDIR) {
    fail("TF7102", fmt::format("{} is a folder, a file is wanted", quoted(path)),
         "name a file inside it");
  }
  fail("TF7103", fmt::format("{} cannot be read: {}", quoted(path), system_error_text(error)),
       "check the permissions of the file and its folders");
}

[[noreturn]] void fail_to_write(const fs::path& path, int error) {
  if (error == EISDIR) {
    fail("TF7102", fmt::format("{} is a folder, a file is wanted", quoted(path)),
         "name a file inside it");
  }
  std::string hint = "check that the folder exists and that you may write in it";
  if (error == ENOSPC || error == EDQUOT) hint = "free some space or choose another disk";
  fail("TF7104", fmt::format("{} cannot be written: {}", quoted(path), system_error_text(error)),
       hint);
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }
  int close() {
    const int result = ::close(value_);
    value_ = -1;
    return result;
  }

 private:
  int value_;
};

// A file that disappears unless it was put in place.
class PendingFile {
 public:
  explicit PendingFile(const fs::path& destination) : destination_(destination) {
    fs::path folder = destination.parent_path();
    if (folder.empty()) folder = ".";
    const std::string name = destination.filename().string().substr(0, 200);
    const auto stamp = std::chrono::steady_clock::now().time_since_epoch().count();
    for (int attempt = 0; attempt < 100 && descriptor_ < 0; ++attempt) {
      path_ = folder / fmt::format(".{}.{}.{:x}.tmp", name, ::getpid(), stamp + attempt);
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor_ < 0 && errno != EEXIST) break;
    }
    if (descriptor_ < 0) fail_to_write(destination, errno);
  }
  ~PendingFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  void write(const void* data, std::size_t size) {
    const char* bytes = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t written = ::write(descriptor_, bytes, size);
      if (written < 0) {
        if (errno == EINTR) continue;
        fail_to_write(destination_, errno);
      }
      bytes += written;
      size -= static_cast<std::size_t>(written);
    }
  }
  void commit() {
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail_to_write(destination_, errno);
    if (::rename(path_.c_str(), destination_.c_str()) != 0) fail_to_write(destination_, errno);
    path_.clear();
  }

 private:
  fs::path destination_;
  fs::path path_;
  int descriptor_ = -1;
};

fs::path make_folder(const fs::path& parent) {
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) fail_to_write(parent, error.value());
  std::string path = (parent / "tilefoundry-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr) fail_to_write(path, errno);
  return path;
}

fs::path system_temporary_folder() {
  std::error_code error;
  const fs::path path = fs::temp_directory_path(error);
  return error ? fs::path("/tmp") : path;
}

// A rename that also replaces a folder with content: the two change places.
int exchange(const fs::path& a, const fs::path& b) {
#ifdef RENAME_EXCHANGE
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
#else
  errno = ENOSYS;
  return -1;
#endif
}

}  // namespace

std::string system_error_text(int error) { return std::generic_category().message(error); }

std::string read_file(const fs::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail_to_read(path, errno);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) fail_to_read(path, errno);
  if (S_ISDIR(status.st_mode)) fail_to_read(path, EISDIR);
  std::string content;
  std::size_t used = 0;
  // One byte more than the file holds shows its end without growing the buffer.
  content.resize(static_cast<std::size_t>(status.st_size) + 1);
  while (true) {
    if (used == content.size()) content.resize(content.size() * 2);
    const ssize_t count = ::read(file.get(), content.data() + used, content.size() - used);
    if (count < 0) {
      if (errno == EINTR) continue;
      fail_to_read(path, errno);
    }
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
  }
  content.resize(used);
  return content;
}

void write_file_atomic(const fs::path& path, const std::function<void(const FileSink&)>& writer) {
  std::error_code error;
  if (fs::is_directory(path, error)) fail_to_write(path, EISDIR);
  PendingFile file(path);
  writer([&file](const void* data, std::size_t size) { file.write(data, size); });
  file.commit();
}

void write_file_atomic(const fs::path& path, std::string_view content) {
  write_file_atomic(path,
                    [content](const FileSink& sink) { sink(content.data(), content.size()); });
}

TemporaryFolder::TemporaryFolder()
    : path_(make_folder(system_temporary_folder())), owner_(::getpid()) {}

TemporaryFolder::TemporaryFolder(const fs::path& parent)
    : path_(make_folder(parent)), owner_(::getpid()) {}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty() || owner_ != ::getpid()) return;
  std::error_code error;
  fs::remove_all(path_, error);
}

fs::path TemporaryFolder::release() noexcept { return std::exchange(path_, fs::path()); }

void publish_folder(const fs::path& staged, const fs::path& destination, std::string_view marker) {
  ::chmod(staged.c_str(), 0755);
  if (::rename(staged.c_str(), destination.c_str()) == 0) return;
  const int error = errno;
  if (error == ENOTDIR) {
    fail("TF7105",
         fmt::format("{} is a file, a folder is to be written there", quoted(destination)),
         "choose another name or remove the file");
  }
  if (error != ENOTEMPTY && error != EEXIST) fail_to_write(destination, error);
  std::error_code ignored;
  if (!fs::exists(destination / marker, ignored)) {
    fail("TF7105",
         fmt::format("the folder {} holds other files and is not overwritten", quoted(destination)),
         "choose a new or empty folder");
  }
  if (exchange(staged, destination) == 0) {
    fs::remove_all(staged, ignored);
    return;
  }
  // File systems without exchange: the old folder steps aside first.
  const fs::path aside = staged.string() + ".old";
  if (::rename(destination.c_str(), aside.c_str()) != 0) fail_to_write(destination, errno);
  if (::rename(staged.c_str(), destination.c_str()) != 0) {
    const int second = errno;
    ::rename(aside.c_str(), destination.c_str());
    fail_to_write(destination, second);
  }
  fs::remove_all(aside, ignored);
}

}  // namespace tilefoundry
