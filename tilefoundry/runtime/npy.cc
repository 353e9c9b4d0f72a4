#include "tilefoundry/runtime/npy.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "tilefoundry/runtime/element.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/files.h"
#include "tilefoundry/support/text.h"

namespace tilefoundry {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxRank = 64;

// The header's dictionary, {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
struct Header {
  std::optional<std::string> descr;
  bool structured = false;
  std::optional<bool> fortran;
  std::optional<std::vector<std::int64_t>> shape;
};

class Reader {
 public:
  Reader(std::string_view content, const std::string& name) : content_(content), name_(name) {}

  HostArray read() {
    const std::string_view text = header_text();
    const Header header = parse_header(text);
    return parse_data(header);
  }

 private:
  [[noreturn]] void fail(std::string code, const std::string& what, std::string hint) const {
    Diagnostic diagnostic;
    diagnostic.code = std::move(code);
    diagnostic.message = fmt::format("{} {}", python_string_literal(name_), what);
    diagnostic.hint = std::move(hint);
    throw FileError(std::move(diagnostic));
  }
  [[noreturn]] void damaged(const std::string& what) const {
    fail("TF7302", "has a damaged .npy header: " + what, "write the file again with numpy.save");
  }

  // Leaves `offset_` at the data.
  std::string_view header_text() {
    if (content_.size() < kMagic.size() || content_.substr(0, kMagic.size()) != kMagic) {
      const bool zip = content_.substr(0, 2) == "PK";
      fail("TF7301",
           content_.empty() ? "is empty, an .npy file is wanted"
                            : "is not an .npy file: it does "
                              "not begin with \\x93NUMPY",
           zip ? "this looks like an .npz archive: save each array with numpy.save"
               : "write the file with numpy.save");
    }
    if (content_.size() < 10) truncated_header();
    const int major = static_cast<unsigned char>(content_[6]);
    const int minor = static_cast<unsigned char>(content_[7]);
    if (major < 1 || major > 3 || minor != 0) {
      fail("TF7302",
           fmt::format("is of .npy version {}.{}; 1.0, 2.0 and 3.0 are known", major, minor),
           "write the file with numpy.save");
    }
    const std::size_t width = major == 1 ? 2 : 4;
    if (content_.size() < 8 + width) truncated_header();
    std::size_t length = 0;
    for (std::size_t i = 0; i < width; ++i) {
      length |= std::size_t{static_cast<unsigned char>(content_[8 + i])} << (8 * i);
    }
    if (content_.size() - 8 - width < length) truncated_header();
    offset_ = 8 + width + length;
    return content_.substr(8 + width, length);
  }
  [[noreturn]] void truncated_header() const {
    fail("TF7303",
         fmt::format("is truncated: it ends inside the .npy header, after {}",
                     counted(content_.size(), "byte")),
         "copy or write the file again");
  }

  // A scanner of the few forms of Python literals that numpy writes.
  struct Scanner {
    std::string_view text;
    std::size_t at = 0;
    void skip() {
      while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t')) ++at;
    }
    bool take(char c) {
      skip();
      if (at >= text.size() || text[at] != c) return false;
      ++at;
      return true;
    }
    bool take_word(std::string_view word) {
      skip();
      if (text.substr(at, word.size()) != word) return false;
      at += word.size();
      return true;
    }
    std::optional<std::string> string() {
      skip();
      if (at >= text.size() || (text[at] != '\'' && text[at] != '"')) return std::nullopt;
      const std::size_t end = text.find(text[at], at + 1);
      if (end == std::string_view::npos) return std::nullopt;
      std::string value(text.substr(at + 1, end - at - 1));
      at = end + 1;
      return value;
    }
  };

  Header parse_header(std::string_view text) const {
    Header header;
    Scanner scanner{text};
    if (!scanner.take('{')) damaged("it is no dictionary");
    while (!scanner.take('}')) {
      const std::optional<std::string> key = scanner.string();
      if (!key || !scanner.take(':')) damaged("a key is missing");
      if (*key == "descr") {
        scanner.skip();
        if (scanner.at < text.size() && text[scanner.at] == '[') {
          header.structured = true;
          return header;
        }
        header.descr = scanner.string();
        if (!header.descr) damaged("'descr' is no text");
      } else if (*key == "fortran_order") {
        if (scanner.take_word("True")) {
          header.fortran = true;
        } else if (scanner.take_word("False")) {
          header.fortran = false;
        } else {
          damaged("'fortran_order' is neither True nor False");
        }
      } else if (*key == "shape") {
        header.shape = parse_shape(scanner);
      } else {
        damaged("the key " + python_string_literal(*key) + " is unknown");
      }
      if (!scanner.take(',')) {
        if (scanner.take('}')) break;
        damaged("',' or '}' is missing");
      }
    }
    scanner.skip();
    if (scanner.at != text.size()) damaged("text follows the dictionary");
    if (!header.descr) damaged("'descr' is missing");
    if (!header.fortran) damaged("'fortran_order' is missing");
    if (!header.shape) damaged("'shape' is missing");
    return header;
  }

  std::vector<std::int64_t> parse_shape(Scanner& scanner) const {
    std::vector<std::int64_t> shape;
    if (!scanner.take('(')) damaged("'shape' is no tuple");
    while (!scanner.take(')')) {
      scanner.skip();
      std::int64_t extent = 0;
      const char* begin = scanner.text.data() + scanner.at;
      const char* end = scanner.text.data() + scanner.text.size();
      const auto [stop, error] = std::from_chars(begin, end, extent);
      if (error == std::errc::result_out_of_range) {
        fail("TF7306", "has an extent over 2^63-1", "use smaller extents");
      }
      if (error != std::errc()) damaged("an extent of 'shape' is no integer");
      if (extent < 0) damaged("an extent of 'shape' is negative");
      scanner.at += static_cast<std::size_t>(stop - begin);
      scanner.take_word("L");
      shape.push_back(extent);
      if (shape.size() > kMaxRank) damaged("the rank is over 64");
      if (!scanner.take(',')) {
        if (scanner.take(')')) break;
        damaged("',' or ')' is missing in 'shape'");
      }
    }
    return shape;
  }

  // The language's name of a descriptor.
  std::string dtype_of(const Header& header) const {
    constexpr std::string_view kWanted =
        "f4, f2, i4, i8, i1, u1, b1 and V2 (bf16), little endian, are read";
    if (header.structured) {
      fail("TF7305", fmt::format("holds a structured array; {}", kWanted),
           "save one field at a time, contiguous: numpy.save(path, "
           "numpy.ascontiguousarray(a['x']))");
    }
    const std::string& descr = *header.descr;
    const std::string kind = descr.size() > 1 ? descr.substr(1) : "";
    if (descr == "O" || kind == "O") {
      fail("TF7305", "holds Python objects, not numbers",
           "convert it first: a.astype(numpy.float32)");
    }
    static constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
        {"f4", "f32"}, {"f2", "f16"},  {"V2", "bf16"}, {"i4", "i32"},
        {"i8", "i64"}, {"b1", "bool"}, {"i1", "i8"},   {"u1", "u8"}};
    for (const auto& [known, dtype] : kKinds) {
      if (kind != known) continue;
      if (descr[0] == '<' || descr[0] == '|' || descr[0] == '=') return std::string(dtype);
      if (descr[0] == '>' && known[1] == '1') return std::string(dtype);
      if (descr[0] == '>') {
        fail("TF7305", fmt::format("is big endian (dtype '{}')", descr),
             fmt::format("convert it first: a.astype('<{}')", known));
      }
    }
    fail("TF7305", fmt::format("has the dtype {}; {}", python_string_literal(descr), kWanted),
         kind == "f8" ? "convert it first: a.astype(numpy.float32)"
                      : "convert it first: a.astype(...)");
  }

  HostArray parse_data(const Header& header) const {
    const std::string dtype = dtype_of(header);
    std::int64_t bytes = 0;
    try {
      bytes = contiguous_bytes(element_format(dtype), *header.shape);
    } catch (const ValueError&) {
      fail("TF7306", fmt::format("has the shape {}, which is too large", shape_text(*header.shape)),
           "use smaller extents");
    }
    // Without elements, or with at most one extent over 1, both orders are the same.
    const auto wide = std::count_if(header.shape->begin(), header.shape->end(),
                                    [](std::int64_t extent) { return extent != 1; });
    if (*header.fortran && wide > 1 && bytes > 0) {
      fail("TF7304", "is in Fortran order (not C contiguous)", "save numpy.ascontiguousarray(a)");
    }
    // Before memory is taken: a short file with a huge shape must not ask for it.
    const std::size_t present = content_.size() - offset_;
    if (present < static_cast<std::size_t>(bytes)) {
      fail("TF7303",
           fmt::format("is truncated: {} {} needs {} of data, {} are there", dtype,
                       shape_text(*header.shape), counted(static_cast<std::size_t>(bytes), "byte"),
                       present),
           "copy or write the file again");
    }
    if (present > static_cast<std::size_t>(bytes)) {
      fail("TF7303",
           fmt::format("has {} after the data of {} {}",
                       counted(present - static_cast<std::size_t>(bytes), "byte"), dtype,
                       shape_text(*header.shape)),
           "an .npy file holds one array: write the file again");
    }
    HostArray array = HostArray::make(dtype, *header.shape);
    std::memcpy(array.buffer.data(), content_.data() + offset_, array.buffer.size());
    return array;
  }

  std::string_view content_;
  const std::string& name_;
  std::size_t offset_ = 0;
};

}  // namespace

HostArray parse_npy(std::string_view content, const std::string& name) {
  return Reader(content, name).read();
}

HostArray read_npy(const std::filesystem::path& path) {
  const std::string content = read_file(path);
  return parse_npy(content, path.string());
}

std::string npy_header(const HostArray& array) {
  const ElementFormat& format = element_format(array.dtype);
  if (format.npy.empty()) {
    Diagnostic diagnostic;
    diagnostic.code = "TF7305";
    diagnostic.message = fmt::format(".npy files have no dtype {}", array.dtype);
    diagnostic.hint = "cast it to f32 in the program before saving";
    throw FileError(std::move(diagnostic));
  }
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                 format.npy, shape_text(array.shape));
  // Padding makes the data begin at a multiple of 64.
  const std::size_t prefix = kMagic.size() + 4;
  text.append(63 - (prefix + text.size()) % 64, ' ');
  text += '\n';
  std::string header(kMagic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

void write_npy(const std::filesystem::path& path, const HostArray& array) {
  const std::string header = npy_header(array);
  write_file_atomic(path, [&](const FileSink& sink) {
    sink(header.data(), header.size());
    sink(array.buffer.data(), array.buffer.size());
  });
}

}  // namespace tilefoundry
