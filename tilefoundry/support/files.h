// Whole-file reading and atomic writing. Failures are FileError: TF7101 no such file, TF7102 a
// folder where a file is wanted, TF7103 cannot be read, TF7104 cannot be written (disk,
// permission).
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace tilefoundry {

std::string read_file(const std::filesystem::path& path);

// Writes next to `path` and renames: readers see the old content or the new, never a part, and a
// failure leaves nothing behind. Does not make folders.
void write_file_atomic(const std::filesystem::path& path, std::string_view content);

// Receives a file's content piece by piece.
using FileSink = std::function<void(const void* data, std::size_t size)>;
void write_file_atomic(const std::filesystem::path& path,
                       const std::function<void(const FileSink&)>& writer);

// A new folder that its destructor removes with all it holds; in the process that made it, so that
// a forked child leaves it alone.
class TemporaryFolder {
 public:
  // In the system's folder for temporary files.
  TemporaryFolder();
  // Inside `parent`, which is made when missing.
  explicit TemporaryFolder(const std::filesystem::path& parent);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  // Keeps the folder; the caller owns it from here.
  std::filesystem::path release() noexcept;

 private:
  std::filesystem::path path_;
  int owner_;  // process id
};

// Puts the finished folder `staged` at `destination` by one rename (the same file system). An
// existing destination must be empty or hold a file named `marker`, the sign of an earlier
// publication, and is exchanged for the new folder and removed; anything else there is TF7105.
void publish_folder(const std::filesystem::path& staged, const std::filesystem::path& destination,
                    std::string_view marker);

// "No space left on device" and friends for an errno value.
std::string system_error_text(int error);

}  // namespace tilefoundry
