#include "tilefoundry/runtime/loader.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tilefoundry/runtime/toolchain.h"
#include "tilefoundry/support/diagnostic.h"
#include "tilefoundry/support/files.h"

namespace tilefoundry {
namespace {

namespace fs = std::filesystem;

// A library written by hand in C against abi.h: y[i] = 2 x[i] for x (2, S), and z = the sums of the
// rows, repeated; fails when x[0] is 13.
const char* const kSource = R"(
#include "tilefoundry/runtime/abi.h"
static const char kAbi[] =
    "{\"schema\": \"tilefoundry.abi\", \"schema_version\": 1, \"entry\": \"f\","
    " \"symbol\": \"tf_f\","
    " \"inputs\": [{\"name\": \"x\", \"dtype\": \"f32\", \"shape\": [2, \"S\"]},"
    "              {\"name\": \"w\", \"dtype\": \"i32\", \"shape\": [\"S\"], \"constant\": true}],"
    " \"outputs\": [{\"name\": \"y\", \"dtype\": \"f32\", \"shape\": [2, \"S\"]},"
    "               {\"name\": \"z\", \"dtype\": \"f32\","
    "                \"shape\": [{\"text\": \"S * 2\", \"expr\": [\"mul\", \"S\", 2]}]}],"
    " \"dims\": {\"S\": {\"lo\": 1, \"hi\": 5000}}}";
const char* tf_abi(void) { return kAbi; }

typedef struct {
  const float* x;
  float* y;
} Work;
static void body(void* context, int64_t begin, int64_t end, int32_t worker) {
  Work* work = (Work*)context;
  (void)worker;
  for (int64_t i = begin; i < end; ++i) work->y[i] = 2 * work->x[i];
}
int32_t tf_f(const TfCall* call) {
  const DLTensor* x = call->inputs[0];
  int64_t extent = x->shape[1];
  Work work = {(const float*)((const char*)x->data + x->byte_offset),
               (float*)call->outputs[0]->data};
  float* z = (float*)call->outputs[1]->data;
  if (call->struct_size < sizeof(TfCall)) return TF_BAD_CALL;
  if (work.x[0] == 13) {
    const char* text = "unlucky";
    for (uint64_t i = 0; i < 8 && i < call->error_size; ++i) call->error[i] = text[i];
    return TF_ABORTED;
  }
  if (call->parallel_for) {
    call->parallel_for(call->pool, body, &work, 2 * extent, 16);
  } else {
    body(&work, 0, 2 * extent, 0);
  }
  for (int64_t i = 0; i < 2 * extent; ++i) z[i] = work.x[i % extent];
  return TF_OK;
}
)";

class Loader : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder();
    const fs::path source = folder_->path() / "f.c";
    write_file_atomic(source, kSource);
    const fs::path library = folder_->path() / "f.so";
    // As C, whatever the compiler is called.
    Toolchain::host().compile_library({{source}, library, {"-xc", "-std=c99", "-I."}, {}});
    module_ = new RuntimeModule(RuntimeLibrary::open(library), "f", source);
  }
  static void TearDownTestSuite() {
    delete module_;
    delete folder_;
  }
  static HostArray array(const char* dtype, std::vector<std::int64_t> shape, float first = 0) {
    HostArray result = HostArray::make(dtype, std::move(shape));
    if (result.dtype == "f32") {
      for (std::int64_t i = 0; i < result.size(); ++i) {
        result.values<float>()[i] = static_cast<float>(i) + first;
      }
    }
    return result;
  }
  static std::string code_of(const std::vector<DLTensor>& inputs,
                             const std::vector<DLTensor>& outputs = {}, bool read_only = false) {
    std::vector<LentTensor> in;
    std::vector<LentTensor> out;
    for (const DLTensor& tensor : inputs) in.push_back({&tensor, true});
    for (const DLTensor& tensor : outputs) out.push_back({&tensor, read_only});
    try {
      if (outputs.empty()) {
        (*module_)(std::span<const LentTensor>(in));
      } else {
        (*module_)(in, out);
      }
    } catch (const CallError& error) {
      message_ = error.diagnostic().message;
      EXPECT_FALSE(error.diagnostic().hint.empty());
      return error.diagnostic().code;
    }
    return "";
  }

  static TemporaryFolder* folder_;
  static RuntimeModule* module_;
  static std::string message_;
};
TemporaryFolder* Loader::folder_ = nullptr;
RuntimeModule* Loader::module_ = nullptr;
std::string Loader::message_;

TEST_F(Loader, allocates_outputs_and_runs_with_and_without_threads) {
  for (const int threads : {0, 1, 2}) {
    for (const std::int64_t extent : {1, 3, 4999}) {
      std::vector<HostArray> inputs;
      inputs.push_back(array("f32", {2, extent}));
      inputs.push_back(array("i32", {extent}));
      const std::vector<HostArray> outputs = (*module_)(inputs, CallOptions{threads});
      ASSERT_EQ(outputs.size(), 2U);
      EXPECT_EQ(outputs[0].shape, (std::vector<std::int64_t>{2, extent}));
      EXPECT_EQ(outputs[1].shape, (std::vector<std::int64_t>{extent * 2}));
      for (std::int64_t i = 0; i < 2 * extent; ++i) {
        ASSERT_EQ(outputs[0].values<float>()[i], 2 * static_cast<float>(i));
        ASSERT_EQ(outputs[1].values<float>()[i], static_cast<float>(i % extent));
      }
    }
  }
}

TEST_F(Loader, fills_the_callers_outputs_and_honours_byte_offsets) {
  const HostArray x = array("f32", {3, 4});
  const HostArray w = array("i32", {4});
  HostArray y = array("f32", {2, 4});
  HostArray z = array("f32", {8});
  DLTensor view = x.view();
  std::int64_t shape[] = {2, 4};
  std::int64_t strides[] = {4, 1};
  view.shape = shape;
  view.strides = strides;
  view.byte_offset = 16;
  EXPECT_EQ(code_of({view, w.view()}, {y.view(), z.view()}), "");
  EXPECT_EQ(y.values<float>()[0], 8);
  EXPECT_EQ(y.values<float>()[7], 22);
}

TEST_F(Loader, facts) {
  EXPECT_EQ(module_->name(), "f");
  EXPECT_EQ(module_->entry(), "f");
  EXPECT_EQ(module_->source().filename(), "f.c");
  EXPECT_TRUE(module_->abi().inputs[1].constant);
  const HostArray x = array("f32", {2, 4});
  const HostArray w = array("i32", {4});
  const DLTensor views[] = {x.view(), w.view()};
  const LentTensor inputs[] = {{&views[0]}, {&views[1]}};
  EXPECT_EQ(module_->bind(inputs), (DimensionValues{{"S", 4}}));
}

TEST_F(Loader, refuses_unfit_inputs_before_the_call) {
  const HostArray x = array("f32", {2, 4});
  const HostArray w = array("i32", {4});
  EXPECT_EQ(code_of({x.view()}), "TF6201");
  EXPECT_EQ(code_of({x.view(), x.view()}), "TF6202");
  EXPECT_NE(message_.find("has dtype f32, wanted i32"), std::string::npos) << message_;
  EXPECT_EQ(code_of({x.view(), array("i32", {4, 1}).view()}), "TF6203");
  EXPECT_EQ(code_of({array("f32", {3, 4}).view(), w.view()}), "TF6204");
  EXPECT_NE(message_.find("axis 0 of input 0 (x: Tensor[(2, S), \"f32\"]) has extent 3, wanted 2"),
            std::string::npos)
      << message_;
  EXPECT_EQ(code_of({x.view(), array("i32", {5}).view()}), "TF6205");
  EXPECT_EQ(code_of({array("f32", {2, 0}).view(), array("i32", {0}).view()}), "TF6206");
  EXPECT_EQ(code_of({array("f32", {2, 5000}).view(), array("i32", {5000}).view()}), "TF6206");
  EXPECT_NE(message_.find("1 <= S < 5000"), std::string::npos) << message_;
  DLTensor view = x.view();
  std::int64_t strides[] = {1, 2};
  view.strides = strides;
  EXPECT_EQ(code_of({view, w.view()}), "TF6207");
  view = x.view();
  view.device = {static_cast<decltype(DLDevice::device_type)>(kDLCUDA), 0};
  EXPECT_EQ(code_of({view, w.view()}), "TF6208");
  view = x.view();
  view.data = nullptr;
  EXPECT_EQ(code_of({view, w.view()}), "TF6211");
  view = x.view();
  view.byte_offset = 2;
  EXPECT_EQ(code_of({view, w.view()}), "TF6211");
  view = x.view();
  std::int64_t negative[] = {2, -4};
  view.shape = negative;
  EXPECT_EQ(code_of({view, w.view()}), "TF6204");
  view = x.view();
  view.dtype = {TF_DL_FLOAT, 64, 1};
  EXPECT_EQ(code_of({view, w.view()}), "TF6202");
  EXPECT_NE(message_.find("float64"), std::string::npos) << message_;
}

TEST_F(Loader, refuses_unfit_outputs) {
  const HostArray x = array("f32", {2, 4});
  const HostArray w = array("i32", {4});
  const HostArray y = array("f32", {2, 4});
  const HostArray z = array("f32", {8});
  const std::vector<DLTensor> inputs = {x.view(), w.view()};
  EXPECT_EQ(code_of(inputs, {y.view()}), "TF6201");
  EXPECT_EQ(code_of(inputs, {y.view(), array("f32", {7}).view()}), "TF6204");
  EXPECT_NE(message_.find("wanted 8 (S * 2 is 8 here)"), std::string::npos) << message_;
  EXPECT_EQ(code_of(inputs, {array("f32", {2, 3}).view(), z.view()}), "TF6205");
  EXPECT_EQ(code_of(inputs, {y.view(), z.view()}, true), "TF6209");
  EXPECT_EQ(code_of(inputs, {x.view(), z.view()}), "TF6210");
  DLTensor shared = z.view();
  shared.data = y.buffer.data() == nullptr ? nullptr : const_cast<std::byte*>(y.buffer.data());
  EXPECT_EQ(code_of(inputs, {y.view(), shared}), "TF6210");
  EXPECT_EQ(code_of(inputs, {y.view(), z.view()}), "");
}

TEST_F(Loader, a_status_becomes_an_error_with_the_librarys_message) {
  const HostArray x = array("f32", {2, 4}, 13);
  const HostArray w = array("i32", {4});
  EXPECT_EQ(code_of({x.view(), w.view()}), "TF6220");
  EXPECT_NE(message_.find("aborted: unlucky"), std::string::npos) << message_;
}

TEST_F(Loader, libraries_that_cannot_be_used) {
  const auto open = [](const fs::path& path) {
    try {
      RuntimeLibrary::open(path);
    } catch (const CallError& error) {
      return error.diagnostic().code;
    }
    return std::string();
  };
  EXPECT_EQ(open(folder_->path() / "none.so"), "TF6101");
  EXPECT_EQ(open(folder_->path() / "f.c"), "TF6101");
  const auto build = [&](const std::string& name, const std::string& source) {
    const fs::path path = folder_->path() / (name + ".c");
    write_file_atomic(path, source);
    Toolchain::host().compile_library({{path}, folder_->path() / (name + ".so"), {"-xc"}, {}});
    return folder_->path() / (name + ".so");
  };
  EXPECT_EQ(open(build("plain", "int f(void) { return 1; }")), "TF6102");
  EXPECT_EQ(open(build("bad", "const char* tf_abi(void) { return \"{}\"; }")), "TF6103");
}

}  // namespace
}  // namespace tilefoundry
