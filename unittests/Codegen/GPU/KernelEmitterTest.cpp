// The emitter where no whole compilation reaches it: epilogues, kernels of one module, what is rejected. That the index
// logic is right is SimulationTest's subject.
#include "Codegen/GPU/KernelEmitter.h"

#include "Pipeline/KernelLowering.h"
#include "Target/CUDA/Ptx.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orzo::gpu {
namespace {

class GpuKernelEmitter : public ::testing::Test {
protected:
  GpuKernelEmitter() {
    registerKernelDialects(registry);
    context.appendDialectRegistry(registry);
    context.disableMultithreading();
    context.loadAllAvailableDialects();
    module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
    SpatialDim dim = {9, 3, 9, 1, 1, 1, false};
    ConvSpec spec = channelsLast(Direction::FProp, 2, 64, 64, 1, {dim, dim}, DataType::F16);
    tables = tablesOf(spec).take();
    plan.tileColumns = 64, plan.storeBuffers = 1;
  }

  /// The body of a function of f32 arguments, as an epilogue's; without extras.
  Epilogue parseEpilogue(const std::string &body, const std::string &arguments = "%acc: f32") {
    source = mlir::parseSourceString<mlir::ModuleOp>("func.func @e(" + arguments + ") -> f32 {" + body + "}", &context);
    EXPECT_TRUE(source);
    Epilogue epilogue;
    epilogue.body = source ? &(*source->getOps<mlir::func::FuncOp>().begin()).getBody() : nullptr;
    return epilogue;
  }

  /// relu(sum + bias + residual) over the 162 x 64 elements of the result.
  Epilogue biasAndResidual() {
    Epilogue epilogue = parseEpilogue("%zero = arith.constant 0.0 : f32\n %s = arith.addf %acc, %b : f32\n"
                                      "%t = arith.addf %s, %r : f32\n %u = arith.maximumf %t, %zero : f32\n"
                                      "return %u : f32",
                                      "%acc: f32, %b: f32, %r: f32");
    epilogue.extras = {{ElementType::Half, {{{162, 0}, {64, 1}}, 0}}, {ElementType::Half, {{{162 * 64, 1}}, 0}}};
    return epilogue;
  }

  std::string ptx() {
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
    mlir::PassManager passes(&context);
    addCudaKernelLowering(passes);
    EXPECT_TRUE(mlir::succeeded(passes.run(*module)));
    Expected<std::string> text = cuda::buildPtx(*module);
    EXPECT_TRUE(text.ok()) << text.status().message();
    return text ? text.take() : "";
  }

  static int64_t count(const std::string &text, const std::string &part) {
    int64_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  }

  mlir::DialectRegistry registry;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module, source;
  Tables tables;
  Plan plan;
};

const char *relu = "%zero = arith.constant 0.0 : f32\n %r = arith.maximumf %acc, %zero : f32\n return %r : f32";

TEST_F(GpuKernelEmitter, EpilogueRunsOnEveryAccumulator) {
  ASSERT_TRUE(setTile(tables, plan).ok());
  Expected<KernelInfo> info = emitKernel(*module, "kernel", tables, plan, parseEpilogue(relu));
  ASSERT_TRUE(info.ok()) << info.status().message();
  std::string text = ptx();
  EXPECT_EQ(count(text, "max.NaN.f32"), 32); // 64 x 64 sums of a warpgroup: 32 a thread.
  EXPECT_GT(count(text, "cvt.rn.f16x2.f32"), 0);
}

TEST_F(GpuKernelEmitter, WithSplitsTheEpilogueIsTheOrderedSums) {
  plan.splits = 3;
  ASSERT_TRUE(setTile(tables, plan).ok());
  Epilogue epilogue = parseEpilogue(relu);
  Expected<KernelInfo> main = emitKernel(*module, "main", tables, plan, epilogue);
  Expected<KernelInfo> sum = emitOrderedSum(*module, "sum", tables, plan, epilogue);
  ASSERT_TRUE(main.ok() && sum.ok());
  EXPECT_EQ(partialBytes(tables, plan), 3 * 162 * 64 * 4);
  EXPECT_EQ(sum->launch.tiles, (162 * 64 / 2 + 255) / 256);
  std::string text = ptx();
  EXPECT_EQ(count(text, "max.NaN.f32"), 2);
  EXPECT_EQ(count(text, ".visible .entry"), 2);
  EXPECT_EQ(count(text, ".extern .shared"), 1);
  EXPECT_EQ(count(text, "add.rn.f32"), 6); // Three splits, two neighbours, in order.
}

TEST_F(GpuKernelEmitter, RejectsEpiloguesThatAreNotElementwise) {
  ASSERT_TRUE(setTile(tables, plan).ok());
  Epilogue epilogue = parseEpilogue("%t = vector.broadcast %acc : f32 to vector<4xf32>\n"
                                    "%r = vector.reduction <add>, %t : vector<4xf32> into f32\n return %r : f32");
  Expected<KernelInfo> info = emitKernel(*module, "kernel", tables, plan, epilogue);
  ASSERT_FALSE(info.ok());
  EXPECT_EQ(info.status().code(), StatusCode::Unsupported);
  EXPECT_THAT(info.status().message(), testing::HasSubstr("not elementwise"));
}

TEST_F(GpuKernelEmitter, ResidualsComeThroughTheRing) {
  ASSERT_TRUE(setTile(tables, plan).ok());
  Expected<KernelInfo> info = emitKernel(*module, "kernel", tables, plan, biasAndResidual());
  ASSERT_TRUE(info.ok()) << info.status().message();
  ASSERT_EQ(info->launch.tensorMaps.size(), 4U);
  TensorMapRecipe residual = info->launch.tensorMaps[2];
  residual.slot = 4;
  EXPECT_EQ(info->launch.tensorMaps[3], residual); // The result's, of another tensor.
  std::vector<CudaParameter> parameters = info->launch.parameters;
  ASSERT_EQ(parameters.size(), 5U);
  EXPECT_EQ(parameters[3], (CudaParameter{CudaParameter::Kind::Pointer, 3, 0}));
  std::string text = ptx();
  EXPECT_EQ(count(text, "ldmatrix.sync.aligned.m8n8.x4.shared.b16"), 4); // 64 x 64 elements of a warpgroup.
  EXPECT_EQ(count(text, "ld.global.b32"), 8);                            // The bias of 16 columns, two at once.
  EXPECT_EQ(count(text, "max.NaN.f32"), 32);
}

TEST_F(GpuKernelEmitter, OtherTypesAndMapsGoByRows) {
  ASSERT_TRUE(setTile(tables, plan).ok());
  Epilogue epilogue = biasAndResidual();
  tables.result = ElementType::Float;
  Expected<KernelInfo> info = emitKernel(*module, "kernel", tables, plan, epilogue);
  ASSERT_TRUE(info.ok()) << info.status().message();
  EXPECT_EQ(info->launch.tensorMaps.size(), 2U);
  EXPECT_EQ(info->launch.parameters.size(), 5U);
  std::string text = ptx();
  EXPECT_GT(count(text, "st.global.v4"), 0);
  EXPECT_EQ(count(text, "ld.global.v"), 4); // Four halves at once, in the two loops of 32 columns.
  EXPECT_EQ(count(text, "ld.global"), 4);
  EXPECT_EQ(count(text, "cp.async.bulk.tensor.2d.global"), 0);
}

TEST_F(GpuKernelEmitter, RefusesTypesThatF32DoesNotHold) {
  ASSERT_TRUE(setTile(tables, plan).ok());
  Epilogue epilogue = biasAndResidual();
  epilogue.extras[1].type = ElementType::Double;
  Expected<KernelInfo> info = emitKernel(*module, "kernel", tables, plan, epilogue);
  ASSERT_FALSE(info.ok());
  EXPECT_EQ(info.status().code(), StatusCode::Unsupported);
  EXPECT_THAT(info.status().message(), testing::HasSubstr("f64"));
}

TEST_F(GpuKernelEmitter, CountsWhatRuns) {
  ASSERT_TRUE(setTile(tables, plan).ok());
  Expected<KernelInfo> info = emitKernel(*module, "kernel", tables, plan, {});
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->flopsExecuted, 2 * 162 * 64 * 9 * 64);
  EXPECT_EQ(info->flopsTile, 2 * (256 - 162) * 64 * 9 * 64);
  EXPECT_EQ(info->launch.tiles, 2);
  EXPECT_EQ(info->launch.sharedBytes, plan.sharedBytes());
}

} // namespace
} // namespace orzo::gpu
