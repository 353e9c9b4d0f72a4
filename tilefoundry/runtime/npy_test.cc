#include "tilefoundry/runtime/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/files.h"

namespace tilefoundry {
namespace {

// What numpy.save writes: magic, version, length, the dictionary padded to a multiple of 64, data.
std::string file(const std::string& dictionary, const std::string& data, int version = 1) {
  const std::size_t prefix = version == 1 ? 10 : 12;
  std::string text = dictionary;
  text.append(63 - (prefix + text.size()) % 64, ' ');
  text += '\n';
  std::string content = "\x93NUMPY";
  content += static_cast<char>(version);
  content += '\0';
  content += static_cast<char>(text.size() & 0xff);
  content += static_cast<char>(text.size() >> 8);
  if (version > 1) content += std::string(2, '\0');
  return content + text + data;
}

std::string dictionary(const std::string& descr, const std::string& shape,
                       const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

std::string code_of(const std::string& content) {
  try {
    parse_npy(content, "x.npy");
  } catch (const FileError& error) {
    EXPECT_NE(error.diagnostic().message.find("x.npy"), std::string::npos);
    EXPECT_FALSE(error.diagnostic().hint.empty());
    return error.diagnostic().code;
  }
  return "";
}

// The bytes of numpy.save(f, numpy.array([[1.5, -2], [0, nan]], '<f4')[:, :1]), byte for byte.
const char kNumpyBytes[] =
    "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }"
    "                                                          \n"
    "\x00\x00\xc0\x3f\x00\x00\x00\x00";

TEST(ReadNpy, bytes_that_numpy_wrote) {
  const std::string content(kNumpyBytes, sizeof(kNumpyBytes) - 1);
  ASSERT_EQ(content.size(), 128U + 8);
  const HostArray array = parse_npy(content, "x.npy");
  EXPECT_EQ(array.dtype, "f32");
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(array.values<float>()[0], 1.5F);
  EXPECT_EQ(array.values<float>()[1], 0.0F);
  // And ours are the same bytes.
  const TemporaryFolder folder;
  write_npy(folder.path() / "x.npy", array);
  EXPECT_EQ(read_file(folder.path() / "x.npy"), content);
}

TEST(ReadNpy, every_dtype_and_version) {
  const std::pair<const char*, const char*> pairs[] = {
      {"<f4", "f32"}, {"<f2", "f16"},  {"<V2", "bf16"}, {"|V2", "bf16"}, {"<i4", "i32"},
      {"<i8", "i64"}, {"|b1", "bool"}, {"|i1", "i8"},   {"|u1", "u8"}};
  for (const auto& [descr, dtype] : pairs) {
    const auto size = static_cast<std::size_t>(descr[2] - '0');
    for (int version = 1; version <= 3; ++version) {
      const HostArray array =
          parse_npy(file(dictionary(descr, "(3,)"), std::string(3 * size, '\1'), version), "x.npy");
      EXPECT_EQ(array.dtype, dtype);
      EXPECT_EQ(array.buffer.size(), 3 * size);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.buffer.data()) % 64, 0U);
    }
  }
}

TEST(ReadNpy, scalars_and_empty_arrays) {
  EXPECT_TRUE(parse_npy(file(dictionary("<f4", "()"), "abcd"), "x.npy").shape.empty());
  EXPECT_EQ(parse_npy(file(dictionary("<f4", "(0, 3)", "True"), ""), "x.npy").size(), 0);
  // In one dimension both orders are the same.
  EXPECT_EQ(parse_npy(file(dictionary("<f4", "(1, 2)", "True"), "abcdefgh"), "x.npy").size(), 2);
}

TEST(ReadNpy, refusals_are_told_apart) {
  const std::string good = file(dictionary("<f4", "(2,)"), "abcdefgh");
  EXPECT_EQ(code_of(good), "");
  EXPECT_EQ(code_of(""), "TF7301");
  EXPECT_EQ(code_of("PK\3\4 zip"), "TF7301");
  EXPECT_EQ(code_of("text"), "TF7301");
  for (std::size_t size = 6; size < good.size(); ++size) {
    ASSERT_EQ(code_of(good.substr(0, size)), "TF7303") << size;
  }
  EXPECT_EQ(code_of(good + "x"), "TF7303");
  EXPECT_EQ(code_of(file(dictionary("<f4", "(2, 2)", "True"), std::string(16, 'x'))), "TF7304");
  EXPECT_EQ(code_of(file(dictionary(">f4", "(2,)"), "abcdefgh")), "TF7305");
  EXPECT_EQ(code_of(file(dictionary("|O", "(2,)"), "abcdefgh")), "TF7305");
  EXPECT_EQ(code_of(file(dictionary("<f8", "(1,)"), "abcdefgh")), "TF7305");
  EXPECT_EQ(code_of(file(dictionary("", "(1,)"), "abcdefgh")), "TF7305");
  EXPECT_EQ(code_of(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", "")),
            "TF7305");
  EXPECT_EQ(code_of(file(dictionary("<f4", "(4611686018427387904, 4)"), "x")), "TF7306");
  EXPECT_EQ(code_of(file(dictionary("<f4", "(99999999999999999999,)"), "x")), "TF7306");
  // Absurd, but it fits into int64: refused before memory is taken.
  EXPECT_EQ(code_of(file(dictionary("<f4", "(1099511627776,)"), "x")), "TF7303");
}

TEST(ReadNpy, damaged_headers) {
  for (const char* text :
       {"", "{", "[]", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}"}) {
    EXPECT_EQ(code_of(file(text, "abcd")), "TF7302") << text;
  }
  std::string other = file(dictionary("<f4", "(1,)"), "abcd");
  other[6] = 4;
  EXPECT_EQ(code_of(other), "TF7302");
}

TEST(ReadNpy, files_that_cannot_be_read) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_npy(folder.path()), FileError);
  EXPECT_THROW(read_npy(folder.path() / "none.npy"), FileError);
}

TEST(WriteNpy, round_trips_every_dtype) {
  const TemporaryFolder folder;
  for (const char* dtype : {"f32", "f16", "bf16", "i32", "i64", "bool", "i8", "u8"}) {
    HostArray array = HostArray::make(dtype, {2, 3});
    for (std::size_t i = 0; i < array.buffer.size(); ++i) {
      array.buffer.data()[i] = static_cast<std::byte>(i * 37);
    }
    write_npy(folder.path() / "x.npy", array);
    const HostArray back = read_npy(folder.path() / "x.npy");
    EXPECT_EQ(back.dtype, dtype);
    EXPECT_EQ(back.shape, array.shape);
    EXPECT_EQ(std::memcmp(back.buffer.data(), array.buffer.data(), array.buffer.size()), 0);
    EXPECT_EQ(read_file(folder.path() / "x.npy").size() % 64, array.buffer.size() % 64);
  }
}

TEST(WriteNpy, bf16_travels_as_V2) {
  EXPECT_NE(npy_header(HostArray::make("bf16", {1})).find("'<V2'"), std::string::npos);
}

TEST(WriteNpy, refuses_what_npy_lacks_and_folders_that_are_not_there) {
  EXPECT_THROW(npy_header(HostArray::make("i4", {2})), FileError);
  const TemporaryFolder folder;
  EXPECT_THROW(write_npy(folder.path() / "none" / "x.npy", HostArray::make("f32", {1})), FileError);
}

}  // namespace
}  // namespace tilefoundry
