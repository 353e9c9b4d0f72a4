#include "tilefoundry/runtime/host_array.h"

#include <gtest/gtest.h>

#include "tilefoundry/runtime/element.h"
#include "tilefoundry/support/diagnostic.h"

namespace tilefoundry {
namespace {

TEST(HostBuffer, is_aligned_and_reuses_large_blocks) {
  for (const std::size_t bytes : {0UL, 1UL, 63UL, 4096UL, 1UL << 20, 5UL << 20}) {
    const HostBuffer buffer(bytes);
    ASSERT_NE(buffer.data(), nullptr);
    EXPECT_EQ(buffer.size(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
  }
  HostBuffer::release_idle();
  const std::byte* block = nullptr;
  {
    HostBuffer buffer(std::size_t{8} << 20);
    block = buffer.data();
  }
  const HostBuffer again((std::size_t{8} << 20) - 100);
  EXPECT_EQ(again.data(), block);
  {
    const HostBuffer other(std::size_t{3} << 20);
  }
  EXPECT_GE(HostBuffer::release_idle(), std::size_t{3} << 20);
  EXPECT_EQ(HostBuffer::release_idle(), 0U);
}

TEST(HostBuffer, moves) {
  HostBuffer a(10);
  const std::byte* data = a.data();
  HostBuffer b(std::move(a));
  EXPECT_EQ(b.data(), data);
  HostBuffer c;
  c = std::move(b);
  EXPECT_EQ(c.data(), data);
  EXPECT_EQ(c.size(), 10U);
}

TEST(HostArray, sizes) {
  EXPECT_EQ(HostArray::make("f32", {}).buffer.size(), 4U);
  EXPECT_EQ(HostArray::make("f32", {3, 0}).buffer.size(), 0U);
  EXPECT_EQ(HostArray::make("i4", {3}).buffer.size(), 2U);
  EXPECT_THROW(HostArray::make("f32", {-1}), ValueError);
  EXPECT_THROW(HostArray::make("f32", {INT64_MAX, 2}), ValueError);
  EXPECT_THROW(HostArray::make("float", {1}), ValueError);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they end the process instead
  EXPECT_THROW(HostArray::make("f32", {INT64_MAX >> 8}), CallError);
#endif
  // A zero extent wins over a product that would overflow.
  EXPECT_EQ(HostArray::make("f32", {INT64_MAX, INT64_MAX, 0}).size(), 0);
}

TEST(HostArray, views_and_clones) {
  HostArray array = HostArray::make("bf16", {2, 3});
  array.values<std::uint16_t>()[5] = 7;
  const DLTensor view = array.view();
  EXPECT_EQ(view.data, array.buffer.data());
  EXPECT_EQ(view.ndim, 2);
  EXPECT_EQ(view.shape[1], 3);
  EXPECT_EQ(element_text(view.dtype), "bf16");
  const HostArray copy = array.clone();
  EXPECT_NE(copy.buffer.data(), array.buffer.data());
  EXPECT_EQ(copy.values<std::uint16_t>()[5], 7);
}

TEST(ElementFormat, every_name_has_its_own_dlpack_type) {
  for (const char* name : {"f32", "f16", "bf16", "fp8e4m3", "f8e8m0", "f4e2m1", "i32", "i64",
                           "bool", "i8", "u8", "i4", "u4"}) {
    const ElementFormat& format = element_format(name);
    const DLDataType dtype{format.code, static_cast<std::uint8_t>(format.bits), 1};
    EXPECT_EQ(find_element_format(dtype), &format);
  }
  EXPECT_EQ(find_element_format(DLDataType{TF_DL_FLOAT, 64, 1}), nullptr);
  EXPECT_EQ(find_element_format(DLDataType{TF_DL_FLOAT, 32, 4}), nullptr);
  EXPECT_EQ(element_text(DLDataType{TF_DL_FLOAT, 64, 1}), "float64");
  EXPECT_EQ(shape_text({4}), "(4,)");
  EXPECT_EQ(shape_text({}), "()");
}

}  // namespace
}  // namespace tilefoundry
