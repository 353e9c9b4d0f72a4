// Products of generated code against sums in double.
#include <gtest/gtest.h>

#include <cmath>

#include "tilefoundry/codegen/codegen_test_support.h"
#include "tilefoundry/ops/matmul.h"
#include "tilefoundry/types/element.h"

namespace tilefoundry {
namespace {

StmtRef matmul(const ExprRef& a, const ExprRef& b, const ExprRef& c, bool accumulate = false) {
  return Evaluate::make(make_op(TileMatMul{.accumulate = accumulate}), {a, b, c});
}

double element(const HostArray& array, DType dtype, std::size_t at) {
  const std::byte* place = array.buffer.data() + at * element_size(dtype);
  return dtype.is_integer() ? static_cast<double>(load_int(dtype, place))
                            : load_float(dtype, place);
}

HostArray filled(DType dtype, std::vector<std::int64_t> shape, int seed) {
  HostArray array = HostArray::make(std::string(dtype.name()), std::move(shape));
  const std::vector<float> values = pattern(static_cast<std::size_t>(array.size()), seed);
  for (std::size_t i = 0; i < values.size(); ++i) {
    store_float(dtype, array.buffer.data() + i * element_size(dtype),
                dtype.is_integer() ? values[i] * 4 : values[i]);
  }
  return array;
}

struct Sizes {
  std::int64_t m, n, k;
};

// Checks c (m x n) at batch `at` of each operand; `turned` reads b as [n][k].
void check(const HostArray& a, const HostArray& b, const HostArray& c, DType dtype, DType result,
           Sizes s, std::size_t a0, std::size_t b0, std::size_t c0, bool turned) {
  const double unit = result == DType::bf16 ? 8e-3 : result == DType::f16 ? 1e-3 : 3e-6;
  for (std::int64_t i = 0; i < s.m; ++i) {
    for (std::int64_t j = 0; j < s.n; ++j) {
      double want = 0;
      double size = 1;
      for (std::int64_t p = 0; p < s.k; ++p) {
        const double product =
            element(a, dtype, a0 + static_cast<std::size_t>(i * s.k + p)) *
            element(b, dtype, b0 + static_cast<std::size_t>(turned ? j * s.k + p : p * s.n + j));
        want += product;
        size += std::fabs(product);
      }
      const double got = element(c, result, c0 + static_cast<std::size_t>(i * s.n + j));
      const double bound =
          dtype.is_integer()
              ? 0
              : unit * (result == DType::f32 ? size : 1 + std::fabs(want)) + 1e-6 * size;
      ASSERT_NEAR(got, want, bound)
          << s.m << "x" << s.n << "x" << s.k << " at " << i << "," << j << " " << dtype.name();
    }
  }
}

TEST(CpuMatMul, every_size_with_one_binary) {
  const Dim m = dim_var("M", 1, 1000);
  const Dim n = dim_var("N", 1, 1000);
  const Dim k = dim_var("K", 1, 1000);
  for (const DType dtype : {DType(DType::f32), DType(DType::bf16), DType(DType::f16),
                            DType(DType::i32), DType(DType::i64)}) {
    const VarRef a = param("a", {m, k}, dtype);
    const VarRef b = param("b", {k, n}, dtype);
    const VarRef c = param("c", {m, n}, dtype);
    const Compiled compiled = compile_module(module_of({a, b, c}, matmul(a, b, c)));
    for (const Sizes s : {Sizes{1, 1, 1}, Sizes{1, 200, 70}, Sizes{5, 33, 17}, Sizes{64, 64, 64},
                          Sizes{70, 130, 300}, Sizes{97, 65, 129}}) {
      const HostArray x = filled(dtype, {s.m, s.k}, 1);
      const HostArray y = filled(dtype, {s.k, s.n}, 2);
      for (const int threads : {1, 2}) {
        const auto out = compiled({x.clone(), y.clone()}, threads);
        check(x, y, out[0], dtype, dtype, s, 0, 0, 0, false);
      }
    }
  }
}

TEST(CpuMatMul, a_turned_operand_needs_no_copy) {
  const Sizes s{40, 70, 50};
  const VarRef a = param("a", {s.m, s.k});
  const VarRef b = param("b", {s.n, s.k});
  const VarRef c = param("c", {s.m, s.n});
  const LayoutRef layout = Layout::make(Shape{s.k, s.n}, Shape{1, s.k});
  const VarRef t = Var::make("t", tensor({s.k, s.n}, DType::f32, layout));
  const Compiled compiled = compile_module(
      module_of({a, b, c}, make_block({BlockItem::let(t, tensor_view(b, {}, {s.k, s.n}, layout)),
                                       BlockItem::of(matmul(a, t, c))})));
  const HostArray x = filled(DType::f32, {s.m, s.k}, 1);
  const HostArray y = filled(DType::f32, {s.n, s.k}, 2);
  check(x, y, compiled({x.clone(), y.clone()})[0], DType::f32, DType::f32, s, 0, 0, 0, true);
}

TEST(CpuMatMul, batches_broadcast) {
  const Sizes s{7, 19, 23};
  const VarRef a = param("a", {3, 2, s.m, s.k}, DType::bf16);
  const VarRef b = param("b", {1, s.k, s.n}, DType::bf16);
  const VarRef c = param("c", {3, 2, s.m, s.n}, DType::f32);
  const Compiled compiled = compile_module(module_of({a, b, c}, matmul(a, b, c)));
  const HostArray x = filled(DType::bf16, {3, 2, s.m, s.k}, 1);
  const HostArray y = filled(DType::bf16, {1, s.k, s.n}, 2);
  const auto out = compiled({x.clone(), y.clone()});
  for (std::size_t i = 0; i < 6; ++i) {
    check(x, y, out[0], DType::bf16, DType::f32, s, i * static_cast<std::size_t>(s.m * s.k), 0,
          i * static_cast<std::size_t>(s.m * s.n), false);
  }
}

TEST(CpuMatMul, accumulates_and_writes_strided_results) {
  // Two halves of k; the result is the transpose of `out`.
  const Sizes s{9, 12, 20};
  const VarRef a = param("a", {s.m, s.k});
  const VarRef b = param("b", {s.k, s.n});
  const VarRef out = param("out", {s.n, s.m});
  const LayoutRef layout = Layout::make(Shape{s.m, s.n}, Shape{1, s.m});
  const VarRef c = Var::make("c", tensor({s.m, s.n}, DType::f32, layout));
  const auto half = [&](const VarRef& of, Shape starts, Shape shape) {
    return tensor_view(of, starts, shape,
                       Layout::make(shape, c_order_strides(as_tensor(of->type())->shape())));
  };
  Block block{BlockItem::let(c, tensor_view(out, {}, {s.m, s.n}, layout))};
  for (int part = 0; part < 2; ++part) {
    ExprRef left = half(a, {0, part * 10}, {s.m, 10});
    ExprRef right = half(b, {part * 10, 0}, {10, s.n});
    const VarRef l = Var::make("l", left->type());
    const VarRef r = Var::make("r", right->type());
    block.push_back(BlockItem::let(l, left));
    block.push_back(BlockItem::let(r, right));
    block.push_back(BlockItem::of(matmul(l, r, c, part == 1)));
  }
  const Compiled compiled = compile_module(module_of({a, b, out}, make_block(block)));
  const HostArray x = filled(DType::f32, {s.m, s.k}, 1);
  const HostArray y = filled(DType::f32, {s.k, s.n}, 2);
  const auto result = compiled({x.clone(), y.clone()});
  HostArray turned = HostArray::make("f32", {s.m, s.n});
  for (std::int64_t i = 0; i < s.m; ++i) {
    for (std::int64_t j = 0; j < s.n; ++j) {
      turned.values<float>()[i * s.n + j] = result[0].values<float>()[j * s.m + i];
    }
  }
  check(x, y, turned, DType::f32, DType::f32, s, 0, 0, 0, false);
}

TEST(CpuMatMul, runs_inside_a_parallel_loop_over_blocks) {
  const Dim m = dim_var("M", 1, 1000);
  const VarRef a = param("a", {m, 64});
  const VarRef b = param("b", {64, 48});
  const VarRef c = param("c", {m, 48});
  const VarRef i = loop_var("i");
  const Dim rows = dim_min(Dim(16), m - i->dim());
  ExprRef left = tensor_view(a, {i->dim(), 0}, {rows, 64});
  ExprRef dst = tensor_view(c, {i->dim(), 0}, {rows, 48});
  const VarRef l = Var::make("l", left->type());
  const VarRef d = Var::make("d", dst->type());
  Block body{BlockItem::let(l, left), BlockItem::let(d, dst), BlockItem::of(matmul(l, b, d))};
  const Compiled compiled = compile_module(
      module_of({a, b, c}, For::make(i, 0, m, 16, make_block(body), ForMode::parallel)));
  for (const std::int64_t size : {1, 16, 100, 999}) {
    const HostArray x = filled(DType::f32, {size, 64}, 1);
    const HostArray y = filled(DType::f32, {64, 48}, 2);
    check(x, y, compiled({x.clone(), y.clone()}, 2)[0], DType::f32, DType::f32, {size, 48, 64}, 0,
          0, 0, false);
  }
}

}  // namespace
}  // namespace tilefoundry
