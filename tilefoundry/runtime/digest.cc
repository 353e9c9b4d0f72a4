#include "tilefoundry/runtime/digest.h"

#include <fmt/core.h>
#include <openssl/evp.h>

#include <array>

#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  const int ok =
      ::EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, ::EVP_sha256(), nullptr);
  TF_CHECK(ok == 1, "SHA-256 failed");
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

CacheKey& CacheKey::add(std::string_view name, std::string_view value) {
  framed_ += fmt::format("{}:{}={}:{}\n", name.size(), name, value.size(), value);
  return *this;
}

}  // namespace tilefoundry
