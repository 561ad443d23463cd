#include "FakeCuda.h"
#include "Runtime/CUDA/KernelImage.h"
#include "orzo/Runtime/PreparedCall.h"

#include <functional>
#include <gmock/gmock.h>
#include <random>

using namespace orzo;
using namespace orzo::test;
using testing::HasSubstr;
using testing::Not;

namespace {

class CudaCall : public WithFakeDriver {
protected:
  /// An artifact with memory for it.
  struct Bound {
    Module module;
    std::vector<DeviceMemory> memory;
    std::vector<BufferView> views;
    Expected<PreparedCall> call;
  };

  Expected<Module> load(const Artifact &artifact) { return Module::load(serialise(artifact)); }

  Bound bind(const Artifact &artifact) {
    Module module = load(artifact).take();
    Device device = *module.device();
    std::vector<DeviceMemory> memory;
    std::vector<BufferView> views;
    for (const TensorBinding &binding : module.bindings()) {
      memory.push_back(DeviceMemory::allocate(device, binding.bytes).take());
      views.push_back(binding.view(memory.back().buffer()));
    }
    memory.push_back(DeviceMemory::allocate(device, module.workspaceBytes(0)).take());
    Expected<PreparedCall> call = PreparedCall::bind(module, views, memory.back().buffer());
    return {module, std::move(memory), views, std::move(call)};
  }
};

TEST_F(CudaCall, Multiplies) {
  Bound bound = bind(fakeMatmul());
  ASSERT_TRUE(bound.call.ok()) << bound.call.status().message();
  EXPECT_EQ(bound.module.deviceKind(), DeviceKind::CUDA);
  EXPECT_EQ(bound.module.isa(), "sm_90a");
  EXPECT_EQ(bound.module.device()->architecture(), "sm_90");
  const Device &device = *bound.module.device();
  // Row r of x holds r in channel 0, column k of w holds k in channel 0.
  std::vector<uint16_t> x(matmulRows * matmulDepth, 0), w(matmulColumns * matmulDepth, 0);
  for (int64_t i = 0; i < matmulRows; ++i)
    x[i * matmulDepth] = toBF16(float(i));
  for (int64_t i = 0; i < matmulColumns; ++i)
    w[i * matmulDepth] = toBF16(float(i));
  ASSERT_TRUE(device.upload(bound.views[0].buffer.data, x.data(), bound.views[0].buffer.bytes).ok());
  ASSERT_TRUE(device.upload(bound.views[1].buffer.data, w.data(), bound.views[1].buffer.bytes).ok());
  OwnedStream stream = OwnedStream::create(device).take();
  ASSERT_TRUE(bound.call->run(stream.stream()).ok());
  ASSERT_TRUE(stream.synchronize().ok());
  std::vector<uint16_t> y(matmulRows * matmulColumns);
  ASSERT_TRUE(device.download(y.data(), bound.views[2].buffer.data, bound.views[2].buffer.bytes).ok());
  for (int64_t i = 0; i < matmulRows; ++i)
    for (int64_t j = 0; j < matmulColumns; ++j)
      EXPECT_EQ(fromBF16(y[i * matmulColumns + j]), float(i * j));
}

// A persistent kernel is launched with as many blocks as there are multiprocessors, or tiles where these are fewer.
TEST_F(CudaCall, LaunchesAsTheArtifactSays) {
  ASSERT_TRUE(bind(fakeMatmul()).call->run(Stream()).ok());
  EXPECT_THAT(log(), HasSubstr("cuLaunchKernel fake_matmul grid 132 block 384 shared 98304 on the default stream\n"));
  EXPECT_THAT(log(), HasSubstr("cuFuncSetAttribute 8 = 98304\n"));
  EXPECT_THAT(log(), HasSubstr("cuTensorMapEncodeTiled type 9 sizes 16,5 strides 32 box 16,4 every 1,1 swizzle 3\n"));
  for (auto [tiles, persistent, perMultiprocessor, grid] :
       {std::tuple(7, true, 1, "grid 7 "), {500, true, 2, "grid 264 "}, {1000, false, 1, "grid 1000 "}}) {
    Artifact artifact = fakeMatmul();
    CudaLaunch &launch = *artifact.images[0].steps[0].cuda;
    launch.tiles = tiles, launch.persistent = persistent, launch.blocksPerMultiprocessor = perMultiprocessor;
    fakeControl<FakeReset>("fakeReset")();
    ASSERT_TRUE(bind(artifact).call->run(Stream()).ok());
    EXPECT_THAT(log(), HasSubstr(grid));
  }
}

// Between binding and results nothing but launches: what a stream capture allows.
TEST_F(CudaCall, RunningOnlyLaunches) {
  Bound bound = bind(fakeMatmul());
  fakeControl<FakeReset>("fakeReset")();
  ASSERT_TRUE(bound.call->run(Stream()).ok());
  ASSERT_TRUE(bound.call->run(Stream()).ok());
  std::string line = "cuLaunchKernel fake_matmul grid 132 block 384 shared 98304 on the default stream\n";
  EXPECT_EQ(log(), line + line);
}

TEST_F(CudaCall, EncodesIm2colMaps) {
  Artifact artifact = fakeMatmul();
  TensorMapRecipe &map = artifact.images[0].steps[0].cuda->tensorMaps[0];
  map = {.mode = TensorMapRecipe::Mode::Im2col,
         .swizzle = TensorMapRecipe::Swizzle::Bytes32,
         .sizes = {16, 1, 5, 1},
         .byteStrides = {32, 32, 160},
         .elementStrides = {1, 2, 3, 1},
         .box = {},
         .lowerCorner = {-1, -2},
         .upperCorner = {3, 4},
         .channelsPerPixel = 16,
         .pixelsPerColumn = 128};
  ASSERT_TRUE(bind(artifact).call.ok());
  EXPECT_THAT(log(), HasSubstr("cuTensorMapEncodeIm2col type 9 sizes 16,1,5,1 strides 32,32,160 corners -1,-2 to 3,4 "
                               "channels 16 pixels 128 every 1,2,3,1 swizzle 1\n"));
}

TEST_F(CudaCall, FillsAndCopiesRun) {
  Artifact artifact = fakeMatmul();
  ArtifactImage &image = artifact.images[0];
  image.slots.push_back({-1, 0, 80});
  image.workspaceBytes = 128;
  ArtifactStep fill{.kind = ArtifactStep::Kind::Fill,
                    .name = "fill",
                    .slots = {3},
                    .symbol = "",
                    .unitRanges = {},
                    .fillByte = 5,
                    .copyDims = {}};
  ArtifactStep copy{.kind = ArtifactStep::Kind::Copy,
                    .name = "copy",
                    .slots = {3, 2},
                    .symbol = "",
                    .unitRanges = {},
                    .elementBytes = 2,
                    .copyDims = {{5, 8, 8}, {8, 1, 1}}};
  image.steps = {fill, copy};
  Bound bound = bind(artifact);
  ASSERT_TRUE(bound.call.ok()) << bound.call.status().message();
  ASSERT_TRUE(bound.call->run(Stream()).ok());
  std::vector<uint8_t> y(80);
  ASSERT_TRUE(bound.module.device()->download(y.data(), bound.views[2].buffer.data, 80).ok());
  EXPECT_EQ(y, std::vector<uint8_t>(80, 5));
  EXPECT_THAT(log(), HasSubstr("cuMemsetD8Async 5 x 80\ncuMemcpyDtoDAsync 80\n"));

  image.steps[1].copyDims = {{8, 1, 5}, {5, 8, 1}};
  Bound strided = bind(artifact);
  EXPECT_EQ(strided.call.status().code(), StatusCode::Unsupported);
  EXPECT_THAT(strided.call.status().message(), HasSubstr("step 'copy': a strided copy"));
}

TEST_F(CudaCall, EmptyProblemsLaunchNothing) {
  Artifact artifact = fakeMatmul();
  CudaLaunch &launch = *artifact.images[0].steps[0].cuda;
  launch.tiles = 0;
  launch.tensorMaps[0].sizes[1] = 0;
  ASSERT_TRUE(bind(artifact).call->run(Stream()).ok());
  EXPECT_THAT(log(), Not(HasSubstr("cuLaunchKernel")));
  EXPECT_THAT(log(), Not(HasSubstr("cuTensorMapEncode")));
}

TEST_F(CudaCall, ScratchFollowsTheSlots) {
  Artifact artifact = fakeMatmul();
  artifact.images[0].workspaceBytes = 300;
  EXPECT_EQ(load(artifact)->workspaceBytes(0), 300);
  artifact.images[0].steps[0].cuda->scratchBytes = 1000;
  EXPECT_EQ(load(artifact)->workspaceBytes(0), 512 + 1000);
  EXPECT_EQ(load(artifact)->workspaceBytes(7), 512 + 1000);
}

TEST_F(CudaCall, ErrorsNameTheCall) {
  struct Case {
    const char *call;
    int result;
    StatusCode code;
    const char *message;
  };
  const Case cases[] = {
      {"cuDeviceGetCount", 100, StatusCode::Unavailable, "cuDeviceGetCount: CUDA_ERROR_FAKE, error 100"},
      {"cuDeviceGetCount", 100, StatusCode::Unavailable, "an NVIDIA device must be visible"},
      {"cuDevicePrimaryCtxRetain", 2, StatusCode::Unavailable, "cuDevicePrimaryCtxRetain: "},
      {"cuModuleLoadDataEx", 209, StatusCode::Unsupported, "image 'sm_90a': cuModuleLoadDataEx: "},
      {"cuModuleLoadDataEx", 1, StatusCode::Internal, "CUDA_ERROR_INVALID_VALUE, error 1 (as the test wants it)"},
      {"cuFuncSetAttribute", 1, StatusCode::Internal,
       "step 'contract_5x8x16_bf16', kernel fake_matmul: cuFuncSetAttribute"},
      {"cuTensorMapEncodeTiled", 1, StatusCode::Internal,
       "step 'contract_5x8x16_bf16': tensor map 0: cuTensorMapEncodeTiled: "},
  };
  for (const Case &each : cases) {
    fakeControl<FakeReset>("fakeReset")();
    fail(each.call, each.result);
    Expected<Module> module = load(fakeMatmul());
    Status status = module.ok() ? bind(fakeMatmul()).call.status() : module.status();
    EXPECT_EQ(status.code(), each.code) << each.call;
    EXPECT_THAT(status.message(), HasSubstr(each.message));
  }
}

TEST_F(CudaCall, TheAssemblersLogIsShown) {
  fail("cuModuleLoadDataEx", 218);
  Artifact artifact = fakeMatmul();
  artifact.images[0].code = bytesOf(".entry broken");
  Status status = load(artifact).status();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("cuModuleLoadDataEx: CUDA_ERROR_FAKE, error 218"));
  EXPECT_THAT(status.message(), HasSubstr("the assembler says:\nptxas fatal: line 7"));
}

TEST_F(CudaCall, LaunchErrorsNameTheStep) {
  Bound bound = bind(fakeMatmul());
  fail("cuLaunchKernel", 1);
  Status status = bound.call->run(Stream());
  EXPECT_EQ(status.code(), StatusCode::Internal);
  EXPECT_THAT(status.message(), HasSubstr("step 'contract_5x8x16_bf16', 132 blocks of 384 threads, 98304 bytes of "
                                          "shared memory: cuLaunchKernel: CUDA_ERROR_INVALID_VALUE"));
}

TEST_F(CudaCall, RefusesWhatDoesNotFit) {
  Artifact artifact = fakeMatmul();
  artifact.images[0].isa = "sm_80a";
  Status status = load(artifact).status();
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_THAT(status.message(), HasSubstr("images for sm_80a; device 0 is Imaginary H200 (sm_90)"));

  artifact = fakeMatmul();
  artifact.images[0].steps[0].symbol = "absent";
  status = load(artifact).status();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("kernel absent: cuModuleGetFunction: "));

  artifact = fakeMatmul();
  artifact.images[0].steps[0].cuda->parameters.pop_back();
  EXPECT_THAT(load(artifact).status().message(), HasSubstr("the kernel takes 6 parameters, the launch gives 5"));

  artifact = fakeMatmul();
  artifact.images[0].steps[0].cuda->parameters[3].kind = CudaParameter::Kind::Pointer;
  artifact.images[0].steps[0].cuda->parameters[3].value = 0;
  EXPECT_THAT(load(artifact).status().message(),
              HasSubstr("parameter 3 of the kernel has 4 bytes, the launch gives 8"));

  fakeControl<FakeDevices>("fakeDevices")(0);
  EXPECT_EQ(load(fakeMatmul()).status().code(), StatusCode::Unavailable);
  EXPECT_THAT(load(fakeMatmul()).status().message(), HasSubstr("no CUDA device 0; this machine shows 0"));
}

TEST_F(CudaCall, RefusesWrongMemory) {
  Bound bound = bind(fakeMatmul());
  Buffer none;
  auto bindError = [&](const std::function<void(std::vector<BufferView> &)> &damage) {
    std::vector<BufferView> views = bound.views;
    damage(views);
    Expected<PreparedCall> call = PreparedCall::bind(bound.module, views, none);
    EXPECT_EQ(call.status().code(), StatusCode::InvalidArgument);
    return call.status().message();
  };
  EXPECT_THAT(bindError([](auto &views) { views[1].buffer.data = static_cast<char *>(views[1].buffer.data) + 8; }),
              HasSubstr("binding 'w': its address is not a multiple of 16"));
  EXPECT_THAT(bindError([](auto &views) { views[0].buffer.bytes = 8; }), HasSubstr("binding 'x': got a buffer of 8"));
  EXPECT_THAT(bindError([](auto &views) { views[2].buffer.data = views[0].buffer.data; }),
              HasSubstr("binding 'y': a result must not overlap binding 'x'"));

  Expected<ThreadPool> pool = ThreadPool::create(1);
  EXPECT_THAT(PreparedCall::bind(bound.module, bound.views, none, *pool).status().message(),
              HasSubstr("bound without a thread pool"));
  EXPECT_THAT(bound.call->run().message(), HasSubstr("run(stream)"));
}

TEST_F(CudaCall, TimersReadTheDevice) {
  Device device = Device::open(0).take();
  StreamTimer timer = StreamTimer::create(device).take();
  ASSERT_TRUE(timer.start(Stream()).ok());
  ASSERT_TRUE(timer.stop(Stream()).ok());
  EXPECT_EQ(*timer.nanoseconds(), 250000);
  EXPECT_EQ(Device::open(1).status().code(), StatusCode::Unavailable);
  EXPECT_EQ(*device.freeMemory(), int64_t(1) << 30);
  EXPECT_EQ(DeviceMemory::allocate(device, -1).status().code(), StatusCode::InvalidArgument);
  fail("cuMemAlloc", 2);
  EXPECT_THAT(DeviceMemory::allocate(device, 4096).status().message(), HasSubstr("4096 bytes on Imaginary H200: "));
}

TEST(RunsOn, FeatureSetsNeedTheirDevice) {
  EXPECT_TRUE(cuda::runsOn("sm_90a", 9, 0));
  EXPECT_FALSE(cuda::runsOn("sm_90a", 10, 0));
  EXPECT_TRUE(cuda::runsOn("sm_90", 10, 0));
  EXPECT_TRUE(cuda::runsOn("sm_80", 9, 0));
  EXPECT_FALSE(cuda::runsOn("sm_90", 8, 9));
  EXPECT_FALSE(cuda::runsOn("avx2", 9, 0));
}

} // namespace
