// What is no convolution stays linalg, compiles and runs.
#include "Compiler/Compiler.h"
#include "orzo/Runtime/PreparedCall.h"
#include "orzo/Runtime/Workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace orzo {
namespace {

using testing::HasSubstr;
using Numbers = std::vector<double>;

CompileRequest requestOf(const std::string &source) {
  CompileRequest request;
  request.kind = CompileRequest::Input::Mlir;
  request.input = source;
  request.inputName = "source.mlir";
  return request;
}

/// The results of the compiled `source` on `arguments`, into memory of NaN.
std::vector<Numbers> run(const std::string &source, const std::vector<Numbers> &arguments) {
  Expected<CompileOutput> output = compile(requestOf(source));
  if (!output) {
    ADD_FAILURE() << output.status().message();
    return {};
  }
  Module module = Module::load(output->bytes).take();
  ThreadPool pool = ThreadPool::create(2).take();
  Workspace workspace = Workspace::allocate(module.workspaceBytes(2)).take();
  std::vector<std::vector<uint8_t>> memory;
  std::vector<BufferView> views;
  size_t argument = 0;
  for (const TensorBinding &binding : module.bindings()) {
    memory.emplace_back(binding.bytes, 0xff);
    if (!binding.isResult) {
      for (size_t i = 0; i < arguments[argument].size(); ++i)
        storeElement(memory.back().data(), int64_t(i), binding.type, arguments[argument][i]);
      ++argument;
    }
    views.push_back(binding.view({memory.back().data(), binding.bytes}));
  }
  Expected<PreparedCall> call = PreparedCall::bind(module, views, workspace.buffer(), pool);
  EXPECT_TRUE(call.ok()) << call.status().message();
  EXPECT_TRUE(call->run().ok());
  std::vector<Numbers> results;
  for (size_t i = 0; i < memory.size(); ++i) {
    const TensorBinding &binding = module.bindings()[i];
    Numbers numbers;
    for (int64_t element = 0; element < binding.bytes / int64_t(byteSize(binding.type)); ++element)
      numbers.push_back(loadElement(memory[i].data(), element, binding.type));
    if (binding.isResult)
      results.push_back(numbers);
    else
      EXPECT_EQ(numbers, arguments[i]) << "an argument was written to";
  }
  return results;
}

constexpr const char *biasAndRowSums = R"mlir(
func.func @f(%x: tensor<2x3xf32>, %b: tensor<3xbf16>) -> (tensor<2x3xbf16>, tensor<2xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x3xbf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
       ins(%x, %b : tensor<2x3xf32>, tensor<3xbf16>) outs(%0 : tensor<2x3xbf16>) {
  ^bb0(%p: f32, %q: bf16, %o: bf16):
    %2 = arith.truncf %p : f32 to bf16
    %3 = arith.addf %2, %q : bf16
    linalg.yield %3 : bf16
  } -> tensor<2x3xbf16>
  %4 = tensor.empty() : tensor<2xf32>
  %5 = linalg.fill ins(%zero : f32) outs(%4 : tensor<2xf32>) -> tensor<2xf32>
  %6 = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x3xf32> to tensor<2x5xf32>
  %7 = tensor.extract_slice %6[0, 1] [2, 2] [1, 2] : tensor<2x5xf32> to tensor<2x2xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
       ins(%7 : tensor<2x2xf32>) outs(%5 : tensor<2xf32>) {
  ^bb0(%p: f32, %o: f32):
    %9 = arith.addf %p, %o : f32
    linalg.yield %9 : f32
  } -> tensor<2xf32>
  return %1, %8 : tensor<2x3xbf16>, tensor<2xf32>
})mlir";

TEST(Linalg, ThatIsNotRaisedRuns) {
  // Row sums of the first and third column; 260 + 1.5 = 261.5 is a tie in bf16, whose steps are 2 there.
  EXPECT_EQ(run(biasAndRowSums, {{1, 2, 3, 4, 5, 260}, {0.5, -2, 1.5}}),
            (std::vector<Numbers>{{1.5, 0, 4.5, 4.5, 3, 262}, {4, 264}}));
}

TEST(Linalg, AConvolutionWithAnEpilogueRuns) {
  constexpr const char *source = R"mlir(
func.func @f(%x: tensor<1x4x2xf32>, %w: tensor<3x2x1xf32>) -> tensor<1x2x1xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<1x2x1xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
  %2 = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<1x4x2xf32>, tensor<3x2x1xf32>) outs(%1 : tensor<1x2x1xf32>)
       -> tensor<1x2x1xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(n, p, k) -> (n, p, k)>, affine_map<(n, p, k) -> (n, p, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
       ins(%2 : tensor<1x2x1xf32>) outs(%0 : tensor<1x2x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %4 = arith.maximumf %a, %zero : f32
    linalg.yield %4 : f32
  } -> tensor<1x2x1xf32>
  return %3 : tensor<1x2x1xf32>
})mlir";
  // Window 0: 1 - 2 + 3 - 4 + 5 - 6 = -3, cut to 0; window 1: 3 - 4 + 5 - 6 + 7 - 0 = 5.
  EXPECT_EQ(run(source, {{1, 2, 3, 4, 5, 6, 7, 0}, {1, -1, 1, -1, 1, -1}}), (std::vector<Numbers>{{0, 5}}));
}

TEST(Linalg, ConstantsAndLoopsOfTheSourceRun) {
  constexpr const char *source = R"mlir(
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %table = arith.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %table) -> tensor<3xf32> {
    %1 = tensor.extract %x[%i] : tensor<3xf32>
    %2 = tensor.extract %sum[%i] : tensor<3xf32>
    %3 = arith.addf %1, %2 : f32
    %4 = tensor.insert %3 into %sum[%i] : tensor<3xf32>
    scf.yield %4 : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
})mlir";
  EXPECT_EQ(run(source, {{1, 2, 3}}), (std::vector<Numbers>{{11, 22, 33}}));
}

TEST(Linalg, SaysWhyItIsOneLaunchOfLoops) {
  CompileRequest request = requestOf(biasAndRowSums);
  request.stopAfter = "dispatch";
  Expected<CompileOutput> output = compile(request);
  ASSERT_TRUE(output.ok()) << output.status().message();
  EXPECT_THAT(output->notes, HasSubstr("stays linalg: "));
  std::string program(output->bytes.begin(), output->bytes.end());
  EXPECT_THAT(program, HasSubstr(R"(lowering "linalg" because "it is not one convolution: )"));
}

TEST(Linalg, RefusesWhatItCannotCompile) {
  auto error = [](const std::string &source, auto change) {
    CompileRequest request = requestOf(source);
    change(request);
    Expected<CompileOutput> output = compile(request);
    EXPECT_FALSE(output.ok());
    EXPECT_EQ(output.status().code(), StatusCode::Unsupported) << output.status().message();
    return output.status().message();
  };
  EXPECT_THAT(error(biasAndRowSums, [](CompileRequest &request) { request.target = "cuda:sm_90a"; }),
              HasSubstr("compiled for a CPU only"));
  EXPECT_THAT(error(biasAndRowSums, [](CompileRequest &request) { request.forceLowering = "contract"; }),
              HasSubstr("no lowering or plan to choose"));
  EXPECT_THAT(error("func.func @f(%x: tensor<4xi4>) -> tensor<4xi4> {\n  %0 = tensor.empty() : tensor<4xi4>\n"
                    "  %1 = linalg.copy ins(%x : tensor<4xi4>) outs(%0 : tensor<4xi4>) -> tensor<4xi4>\n"
                    "  return %1 : tensor<4xi4>\n}",
                    [](CompileRequest &) {}),
              HasSubstr("'tensor<4xi4>': what stays linalg is compiled for"));
  std::string remainder = biasAndRowSums;
  remainder.replace(remainder.find("arith.addf %p, %o"), 10, "arith.remf");
  EXPECT_THAT(error(remainder, [](CompileRequest &) {}), HasSubstr("'fmodf', a function of a library"));
}

} // namespace
} // namespace orzo
