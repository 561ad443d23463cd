#include "Runtime/Core/CudaLaunchCheck.h"
#include "Runtime/Core/ArtifactCheck.h"
#include "SampleArtifact.h"

#include <functional>
#include <gmock/gmock.h>

using namespace orzo;
using namespace orzo::test;
using testing::HasSubstr;

namespace {

struct Case {
  std::string message;
  std::function<void(CudaLaunch &)> damage;
};

ArtifactStep &dispatch(Artifact &artifact) { return artifact.images[2].steps[2]; }

TEST(CudaLaunchCheck, KnowsCudaIsas) {
  EXPECT_TRUE(isCudaIsa("sm_90a"));
  EXPECT_TRUE(isCudaIsa("sm_80"));
  for (const char *other : {"", "avx2", "sm_", "sm_a", "asm_90"})
    EXPECT_FALSE(isCudaIsa(other)) << other;
}

TEST(CudaLaunchCheck, NamesWhatIsWrong) {
  constexpr int64_t big = int64_t(1) << 62;
  using Kind = CudaParameter::Kind;
  const std::vector<Case> cases = {
      {"number of tiles is -1", [](CudaLaunch &c) { c.tiles = -1; }},
      {"number of tiles is 2147483648", [](CudaLaunch &c) { c.tiles = int64_t(1) << 31; }},
      {"number of tiles", [](CudaLaunch &c) { c.persistent = true, c.tiles = big; }},
      {"blocks per multiprocessor is 0; valid are 1 to 32", [](CudaLaunch &c) { c.blocksPerMultiprocessor = 0; }},
      {"blocks of 0 threads", [](CudaLaunch &c) { c.threads = 0; }},
      {"blocks of 100 threads; valid are multiples of 32", [](CudaLaunch &c) { c.threads = 100; }},
      {"blocks of 1056 threads", [](CudaLaunch &c) { c.threads = 1056; }},
      {"shared memory is 232449; valid are 0 to 232448", [](CudaLaunch &c) { c.sharedBytes = 232449; }},
      {"shared memory is -1", [](CudaLaunch &c) { c.sharedBytes = -1; }},
      {"scratch is -1", [](CudaLaunch &c) { c.scratchBytes = -1; }},
      {"tensor map 0: element type 7", [](CudaLaunch &c) { c.tensorMaps[0].type = DataType(7); }},
      {"mode 2", [](CudaLaunch &c) { c.tensorMaps[0].mode = TensorMapRecipe::Mode(2); }},
      {"swizzle 4", [](CudaLaunch &c) { c.tensorMaps[0].swizzle = TensorMapRecipe::Swizzle(4); }},
      {"names slot 3 of the step's 3", [](CudaLaunch &c) { c.tensorMaps[0].slot = 3; }},
      {"names slot -1", [](CudaLaunch &c) { c.tensorMaps[0].slot = -1; }},
      {"offset of 8 bytes", [](CudaLaunch &c) { c.tensorMaps[1].byteOffset = 8; }},
      {"offset of -16 bytes", [](CudaLaunch &c) { c.tensorMaps[1].byteOffset = -16; }},
      {"number of dims is 0", [](CudaLaunch &c) { c.tensorMaps[0].sizes.clear(); }},
      {"number of dims is 6", [](CudaLaunch &c) { c.tensorMaps[0].sizes.resize(6, 1); }},
      {"0 strides, expected 1", [](CudaLaunch &c) { c.tensorMaps[0].byteStrides.clear(); }},
      {"3 element strides, expected 2", [](CudaLaunch &c) { c.tensorMaps[0].elementStrides.push_back(1); }},
      {"size 1 is 0", [](CudaLaunch &c) { c.tensorMaps[0].sizes[1] = 0; }},
      {"size 0 is", [](CudaLaunch &c) { c.tensorMaps[0].sizes[0] = big; }},
      {"stride of 24 bytes", [](CudaLaunch &c) { c.tensorMaps[0].byteStrides[0] = 24; }},
      {"stride of 0 bytes", [](CudaLaunch &c) { c.tensorMaps[0].byteStrides[0] = 0; }},
      {"above 0 and below 2^40", [](CudaLaunch &c) { c.tensorMaps[0].byteStrides[0] = int64_t(1) << 40; }},
      {"element stride 1 is 9; valid are 1 to 8", [](CudaLaunch &c) { c.tensorMaps[0].elementStrides[1] = 9; }},
      {"element stride 0 is 0", [](CudaLaunch &c) { c.tensorMaps[0].elementStrides[0] = 0; }},
      {"leave their slot of 32 bytes", [](CudaLaunch &c) { c.tensorMaps[0].sizes[1] = 3; }},
      {"leave their slot of 32 bytes", [](CudaLaunch &c) { c.tensorMaps[0].byteOffset = 16; }},
      {"1 box extents, expected 2", [](CudaLaunch &c) { c.tensorMaps[0].box.pop_back(); }},
      {"box extent 1 is 257; valid are 1 to 256", [](CudaLaunch &c) { c.tensorMaps[0].box[1] = 257; }},
      {"innermost 9 elements take 18 bytes", [](CudaLaunch &c) { c.tensorMaps[0].box[0] = 9; }},
      {"innermost 24 elements take 48 bytes", [](CudaLaunch &c) { c.tensorMaps[0].box[0] = 24; }},
      {"a tiled map has im2col", [](CudaLaunch &c) { c.tensorMaps[0].pixelsPerColumn = 1; }},
      {"tensor map 1: an im2col map has a box", [](CudaLaunch &c) { c.tensorMaps[1].box = {8, 1, 1, 1}; }},
      {"1 lower corners, expected 2", [](CudaLaunch &c) { c.tensorMaps[1].lowerCorner.pop_back(); }},
      {"3 upper corners, expected 2", [](CudaLaunch &c) { c.tensorMaps[1].upperCorner.push_back(0); }},
      {"lower corner 0 is -129; valid are -128 to 127", [](CudaLaunch &c) { c.tensorMaps[1].lowerCorner[0] = -129; }},
      {"upper corner 1 is 128", [](CudaLaunch &c) { c.tensorMaps[1].upperCorner[1] = 128; }},
      {"channels per pixel is 0", [](CudaLaunch &c) { c.tensorMaps[1].channelsPerPixel = 0; }},
      {"innermost 40 elements", [](CudaLaunch &c) { c.tensorMaps[1].channelsPerPixel = 40; }},
      {"pixels per column is 1025", [](CudaLaunch &c) { c.tensorMaps[1].pixelsPerColumn = 1025; }},
      {"an im2col map has 2 dims", [](CudaLaunch &c) { c.tensorMaps[0].mode = TensorMapRecipe::Mode::Im2col; }},
      {"parameter 0: its tensor map is 2; valid are 0 to 1", [](CudaLaunch &c) { c.parameters[0].index = 2; }},
      {"parameter 2: its slot is 3", [](CudaLaunch &c) { c.parameters[2].index = 3; }},
      {"parameter 2: its offset is 17; valid are 0 to 16", [](CudaLaunch &c) { c.parameters[2].value = 17; }},
      {"parameter 3: its value is 4294967296", [](CudaLaunch &c) { c.parameters[3].value = int64_t(1) << 32; }},
      {"parameter 4: its offset is 513", [](CudaLaunch &c) { c.parameters[4].value = 513; }},
      {"kind 4 is unknown", [](CudaLaunch &c) { c.parameters[4].kind = Kind(4); }},
      {"size of its parameters is", [](CudaLaunch &c) { c.parameters.resize(600, {Kind::Workspace, 0, 0}); }},
  };
  for (const Case &each : cases) {
    Artifact artifact = sampleArtifact();
    each.damage(*dispatch(artifact).cuda);
    Status status = checkArtifact(artifact);
    ASSERT_FALSE(status.ok()) << each.message;
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("image 'sm_90a': step 2 ('implicit_8x6_bf16')"));
    EXPECT_THAT(status.message(), HasSubstr(each.message));
  }
}

// Corners have fewer bits the more spatial dims there are.
TEST(CudaLaunchCheck, CornersOfOneAndThreeDims) {
  auto withSpatialDims = [](int dims, int32_t corner) {
    Artifact artifact = sampleArtifact();
    TensorMapRecipe &map = dispatch(artifact).cuda->tensorMaps[1];
    map.sizes.assign(dims + 2, 1);
    map.byteStrides.assign(dims + 1, 16);
    map.elementStrides.assign(dims + 2, 1);
    map.lowerCorner.assign(dims, corner);
    map.upperCorner.assign(dims, 0);
    return checkArtifact(artifact);
  };
  EXPECT_TRUE(withSpatialDims(1, -32768).ok());
  EXPECT_FALSE(withSpatialDims(1, -32769).ok());
  EXPECT_TRUE(withSpatialDims(3, 15).ok());
  EXPECT_FALSE(withSpatialDims(3, 16).ok());
}

TEST(CudaLaunchCheck, EmptyProblemsHaveEmptyMaps) {
  Artifact artifact = sampleArtifact();
  dispatch(artifact).cuda->tiles = 0;
  dispatch(artifact).cuda->tensorMaps[0].sizes[1] = 0;
  Status status = checkArtifact(artifact);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(CudaLaunchCheck, ImageAndLaunchBelongTogether) {
  Artifact artifact = sampleArtifact();
  dispatch(artifact).cuda.reset();
  EXPECT_THAT(checkArtifact(artifact).message(), HasSubstr("must say how it is launched"));
  artifact = sampleArtifact();
  artifact.images[0].steps[2].cuda = CudaLaunch();
  EXPECT_THAT(checkArtifact(artifact).message(), HasSubstr("a dispatch of a CPU image has a CUDA launch"));
  artifact = sampleArtifact();
  artifact.images[2].steps[0].cuda = CudaLaunch();
  EXPECT_THAT(checkArtifact(artifact).message(), HasSubstr("only a dispatch has a CUDA launch"));
  artifact = sampleArtifact();
  dispatch(artifact).scratchBytes = 64;
  EXPECT_THAT(checkArtifact(artifact).message(), HasSubstr("64 bytes of scratch per CPU thread"));
}

} // namespace
