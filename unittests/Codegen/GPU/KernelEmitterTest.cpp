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

  /// The body of a function of one f32 argument, as an epilogue region.
  mlir::Region *parseEpilogue(const std::string &body) {
    source = mlir::parseSourceString<mlir::ModuleOp>("func.func @e(%acc: f32) -> f32 {" + body + "}", &context);
    return source ? &(*source->getOps<mlir::func::FuncOp>().begin()).getBody() : nullptr;
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
  mlir::Region *epilogue = parseEpilogue(relu);
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
  mlir::Region *epilogue = parseEpilogue("%t = vector.broadcast %acc : f32 to vector<4xf32>\n"
                                         "%r = vector.reduction <add>, %t : vector<4xf32> into f32\n return %r : f32");
  ASSERT_NE(epilogue, nullptr);
  Expected<KernelInfo> info = emitKernel(*module, "kernel", tables, plan, epilogue);
  ASSERT_FALSE(info.ok());
  EXPECT_EQ(info.status().code(), StatusCode::Unsupported);
  EXPECT_THAT(info.status().message(), testing::HasSubstr("not elementwise"));
}

TEST_F(GpuKernelEmitter, CountsWhatRuns) {
  ASSERT_TRUE(setTile(tables, plan).ok());
  Expected<KernelInfo> info = emitKernel(*module, "kernel", tables, plan, nullptr);
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->flopsExecuted, 2 * 162 * 64 * 9 * 64);
  EXPECT_EQ(info->flopsTile, 2 * (256 - 162) * 64 * 9 * 64);
  EXPECT_EQ(info->launch.tiles, 2);
  EXPECT_EQ(info->launch.sharedBytes, plan.sharedBytes());
}

} // namespace
} // namespace orzo::gpu
