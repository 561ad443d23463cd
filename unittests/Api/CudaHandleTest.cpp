// Handles for CUDA devices, on the fake driver: buffers, loading, execution on the caller's stream.
#include "FakeCuda.h"
#include "orzo/Api/Graph.h"

#include <gmock/gmock.h>

using namespace orzo::graph;
using testing::AllOf;
using testing::HasSubstr;
using DataType = orzo::graph::DataType;

namespace {

/// y = x w^T, what the fake kernel computes.
struct Product {
  Graph graph;
  TensorPtr x, w, y;
  Product() {
    graph.setName("product").setIODataType(DataType::BFloat16);
    x = graph.tensor(TensorAttr().setName("x").setDim({orzo::test::matmulRows, orzo::test::matmulDepth}));
    w = graph.tensor(TensorAttr().setName("w").setDim({orzo::test::matmulColumns, orzo::test::matmulDepth}));
    y = graph.convFProp(x, w, ConvFPropAttr().setName("conv"));
    y->setName("y").setOutput(true);
    EXPECT_TRUE(graph.validate().ok());
  }
};

class CudaHandle : public orzo::test::WithFakeDriver {
protected:
  void SetUp() override {
    WithFakeDriver::SetUp();
    Expected<Handle> made = Handle::create(Backend::CUDA);
    ASSERT_TRUE(made.ok()) << made.status().message();
    handle = std::make_unique<Handle>(made.take());
    orzo::Status loaded = product.graph.loadFromArtifact(*handle, orzo::serialise(orzo::test::fakeMatmul()));
    ASSERT_TRUE(loaded.ok()) << loaded.message();
    std::vector<BFloat16> ones(orzo::test::matmulRows * orzo::test::matmulDepth, BFloat16(1));
    std::vector<BFloat16> twos(orzo::test::matmulColumns * orzo::test::matmulDepth, BFloat16(2));
    pack[product.x] = std::make_shared<Buffer>(Buffer::allocate(*handle, {5, 16}, ones).take());
    pack[product.w] = std::make_shared<Buffer>(Buffer::allocate(*handle, {8, 16}, twos).take());
    pack[product.y] = allocateBufferOfType(*handle, product.y, DataType::BFloat16, NAN).take();
  }
  std::unique_ptr<Handle> handle;
  Product product;
  VariantPack pack;
};

TEST_F(CudaHandle, ExecutesOnTheCallersStream) {
  EXPECT_EQ(handle->backend(), Backend::CUDA);
  EXPECT_EQ(handle->threads(), 0);
  EXPECT_EQ(handle->options().target, "cuda:sm_90a");
  orzo::OwnedStream stream = orzo::OwnedStream::create(orzo::Device::current().take()).take();
  handle->setStream(stream.stream());
  ASSERT_TRUE(product.graph.execute(*handle, pack).ok());
  std::vector<BFloat16> values;
  ASSERT_TRUE(pack[product.y]->read(*handle, values).ok());
  EXPECT_EQ(values.size(), 40U);
  EXPECT_THAT(values, testing::Each(32.0F));
  EXPECT_THAT(log(), HasSubstr("cuLaunchKernel fake_matmul grid 132 block 384 shared 98304 on a stream"));
  // Reading waits for what is on the stream.
  fail("cuStreamSynchronize", 700);
  EXPECT_THAT(pack[product.y]->read(*handle, values).message(), HasSubstr("cuStreamSynchronize"));
}

TEST_F(CudaHandle, BindsOnce) {
  for (int call = 0; call < 3; ++call)
    ASSERT_TRUE(product.graph.execute(*handle, pack).ok());
  std::string lines = log();
  size_t launches = 0, maps = 0;
  for (size_t at = 0; (at = lines.find("cuLaunchKernel", at)) != std::string::npos; ++at)
    ++launches;
  for (size_t at = 0; (at = lines.find("cuTensorMapEncodeTiled", at)) != std::string::npos; ++at)
    ++maps;
  EXPECT_EQ(launches, 3U) << lines;
  EXPECT_EQ(maps, 1U) << lines;
}

TEST_F(CudaHandle, MemoryOfTheHostIsRefused) {
  Expected<Handle> cpu = Handle::create(Backend::CPU);
  ASSERT_TRUE(cpu.ok());
  VariantPack wrong = pack;
  wrong[product.x] = allocateBufferOfType(*cpu, product.x, DataType::BFloat16, 1).take();
  EXPECT_THAT(product.graph.execute(*handle, wrong).message(),
              HasSubstr("tensor 'x': its buffer is memory of the host, the handle is for a CUDA device"));
  std::vector<BFloat16> values;
  EXPECT_THAT(wrong[product.x]->read(*handle, values).message(), HasSubstr("memory of the host"));
  EXPECT_THAT(pack[product.x]->read(*cpu, values).message(), HasSubstr("memory of a CUDA device"));
  EXPECT_THAT(product.graph.execute(*cpu, pack).message(), HasSubstr("compiled with a handle of another backend"));
}

TEST_F(CudaHandle, ErrorsOfTheDriverNameTheCall) {
  fail("cuMemAlloc", 2);
  EXPECT_THAT(Buffer::allocateRaw(*handle, 1 << 20).status().message(),
              AllOf(HasSubstr("buffer"), HasSubstr("cuMemAlloc")));
  EXPECT_EQ(Buffer::allocateRaw(*handle, 1 << 20).status().code(), orzo::StatusCode::Unavailable);
}

TEST_F(CudaHandle, OneFileForBoth) {
  orzo::Artifact both = orzo::test::fakeMatmul();
  orzo::ArtifactImage cpu = both.images[0];
  cpu.isa = "avx2";
  cpu.code = {1};
  cpu.steps[0].cuda.reset();
  cpu.steps[0].symbol = "kernel";
  cpu.steps[0].unitRanges = {1};
  both.images.insert(both.images.begin(), cpu);
  EXPECT_TRUE(product.graph.loadFromArtifact(*handle, orzo::serialise(both)).ok());
  EXPECT_TRUE(product.graph.execute(*handle, pack).ok());
}

TEST_F(CudaHandle, OptionsAreChecked) {
  HandleOptions options;
  options.device = 7;
  EXPECT_EQ(Handle::create(Backend::CUDA, options).status().code(), orzo::StatusCode::Unavailable);
  options.device.reset();
  options.target = "cpu:avx2";
  EXPECT_THAT(Handle::create(Backend::CUDA, options).status().message(), HasSubstr("cuda:sm_90a"));
  options.target = "cpu:avx2+cuda:sm_90a";
  EXPECT_TRUE(Handle::create(Backend::CUDA, options).ok());
  EXPECT_TRUE(Handle::create(Backend::CPU, options).ok());
}

} // namespace
