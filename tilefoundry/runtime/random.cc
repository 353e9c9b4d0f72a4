#include "tilefoundry/runtime/random.h"

#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "tilefoundry/runtime/element.h"
#include "tilefoundry/runtime/thread_pool.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/types/element.h"

namespace tilefoundry {
namespace {

[[noreturn]] void refuse(std::string code, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  throw ValueError(std::move(diagnostic));
}

// 53 random bits as a double in (0, 1): the middle of one of 2^53 cells, so that log() is finite.
double unit_double(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 11;
  return (static_cast<double>(bits) + 0.5) * 0x1p-53;
}

// The block of a counter: two normal values, or two 64-bit words.
class Stream {
 public:
  Stream(std::uint64_t seed, std::uint32_t input)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        input_(input) {}

  std::array<std::uint32_t, 4> block(std::uint64_t counter) const {
    return philox4x32(
        {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), input_, 0},
        key_);
  }
  // Elements 2 * pair and 2 * pair + 1.
  std::array<double, 2> normals(std::uint64_t pair) const {
    const auto words = block(pair);
    const double radius = std::sqrt(-2.0 * std::log(unit_double(words[0], words[1])));
    const double angle = 2.0 * std::numbers::pi * unit_double(words[2], words[3]);
    return {radius * std::cos(angle), radius * std::sin(angle)};
  }
  std::array<std::uint64_t, 2> words(std::uint64_t pair) const {
    const auto words = block(pair);
    return {std::uint64_t{words[0]} << 32 | words[1], std::uint64_t{words[2]} << 32 | words[3]};
  }

 private:
  std::array<std::uint32_t, 2> key_;
  std::uint32_t input_;
};

// `pair(k)` gives elements 2k and 2k + 1, so pieces may run anywhere.
template <class T, class Pair, class Convert>
void fill(HostArray& array, const Pair& pair, const Convert& convert) {
  T* values = array.values<T>();
  ThreadPool::instance().parallel_for(array.size(), 4096,
                                      [&](std::int64_t begin, std::int64_t end, std::int32_t) {
                                        for (std::int64_t i = begin; i < end; i += 2) {
                                          const auto two = pair(static_cast<std::uint64_t>(i) / 2);
                                          values[i] = static_cast<T>(convert(two[0]));
                                          if (i + 1 < end)
                                            values[i + 1] = static_cast<T>(convert(two[1]));
                                        }
                                      });
}

template <class T, class Convert>
void fill_normals(HostArray& array, const Stream& stream, const Convert& convert) {
  fill<T>(array, [&](std::uint64_t pair) { return stream.normals(pair); }, convert);
}

template <class T, class Convert>
void fill_words(HostArray& array, const Stream& stream, const Convert& convert) {
  fill<T>(array, [&](std::uint64_t pair) { return stream.words(pair); }, convert);
}

template <class T>
void fill_integers(HostArray& array, const Stream& stream, IntegerRange range) {
  if (range.lo >= range.hi) {
    refuse("TF6004", fmt::format("the range {}:{} is empty", range.lo, range.hi),
           "write LO:HI with LO below HI; HI itself is not drawn");
  }
  if (range.lo < std::numeric_limits<T>::min() || range.hi - 1 > std::numeric_limits<T>::max()) {
    refuse("TF6004",
           fmt::format("the range {}:{} leaves the values of {}", range.lo, range.hi, array.dtype),
           fmt::format("stay within {}:{}", std::numeric_limits<T>::min(),
                       std::numeric_limits<T>::max()));
  }
  const auto width = static_cast<std::uint64_t>(range.hi) - static_cast<std::uint64_t>(range.lo);
  fill_words<T>(array, stream, [&](std::uint64_t word) {
    // The high half of a 128-bit product: uniform up to a bias of width / 2^64.
    const auto scaled =
        static_cast<std::uint64_t>((static_cast<unsigned __int128>(word) * width) >> 64);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(range.lo) + scaled);
  });
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

HostArray random_array(const std::string& dtype, std::vector<std::int64_t> shape,
                       std::uint64_t seed, std::uint32_t input, IntegerRange range) {
  HostArray array = HostArray::make(dtype, std::move(shape));
  const Stream stream(seed, input);
  if (dtype == "f32") {
    fill_normals<float>(array, stream, [](double x) { return x; });
  } else if (dtype == "f16") {
    fill_normals<std::uint16_t>(array, stream,
                                [](double x) { return f16_from_float(round_to(DType::f16, x)); });
  } else if (dtype == "bf16") {
    fill_normals<std::uint16_t>(array, stream,
                                [](double x) { return bf16_from_float(round_to(DType::bf16, x)); });
  } else if (dtype == "bool") {
    fill_words<std::uint8_t>(array, stream, [](std::uint64_t word) { return word >> 63; });
  } else if (dtype == "i32") {
    fill_integers<std::int32_t>(array, stream, range);
  } else if (dtype == "i64") {
    fill_integers<std::int64_t>(array, stream, range);
  } else if (dtype == "i8") {
    fill_integers<std::int8_t>(array, stream, range);
  } else if (dtype == "u8") {
    fill_integers<std::uint8_t>(array, stream, range);
  } else {
    refuse("TF6005", fmt::format("there are no random inputs of dtype {}", dtype),
           "pass the input as an .npy file or through the library");
  }
  return array;
}

}  // namespace tilefoundry
