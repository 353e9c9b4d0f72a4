// SHA-256 digests, for cache keys and checks of stored files.
#pragma once

#include <string>
#include <string_view>

namespace tilefoundry {

// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

// The key of a build: a digest of named parts, each framed by its length, so that different lists
// of parts never give one text.
class CacheKey {
 public:
  CacheKey& add(std::string_view name, std::string_view value);
  std::string hex() const { return sha256_hex(framed_); }

 private:
  std::string framed_;
};

}  // namespace tilefoundry
