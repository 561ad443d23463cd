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
  std::function<void(Artifact &)> damage;
};

ArtifactStep &step(Artifact &artifact, int index) { return artifact.images[0].steps[index]; }

TEST(ArtifactCheck, AcceptsTheSample) {
  Status status = checkArtifact(sampleArtifact());
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(ArtifactCheck, NamesWhatIsWrong) {
  constexpr int64_t big = int64_t(1) << 62;
  const std::vector<Case> cases = {
      {"binding 0: it has no name", [](Artifact &a) { a.bindings[0].name = ""; }},
      {"binding 1: its name 'x' is taken", [](Artifact &a) { a.bindings[1].name = "x"; }},
      {"role 4 is unknown", [](Artifact &a) { a.bindings[0].role = Role(4); }},
      {"element type 0 is unknown", [](Artifact &a) { a.bindings[0].type = ElementType::NotSet; }},
      {"element type 11 is unknown", [](Artifact &a) { a.bindings[0].type = ElementType(11); }},
      {"layout 'nh' has 2 letters for 3", [](Artifact &a) { a.bindings[0].layout = "nh"; }},
      {"negative extent", [](Artifact &a) { a.bindings[0].shape[0] = -1; }},
      {"more than 2^48 bytes", [](Artifact &a) { a.bindings[0].shape = {big, big, 4}; }},
      {"more than 2^48 bytes", [](Artifact &a) { a.bindings[0].shape = {big, 0, big}; }},
      {"no kernel image", [](Artifact &a) { a.images.clear(); }},
      {"ISA 'avx2' is empty or that of another", [](Artifact &a) { a.images[1].isa = "avx2"; }},
      {"ISA '' is empty", [](Artifact &a) { a.images[1].isa = ""; }},
      {"a workspace of -1", [](Artifact &a) { a.images[0].workspaceBytes = -1; }},
      {"holds no code", [](Artifact &a) { a.images[0].code.clear(); }},
      {"slot 0: its extent is -4", [](Artifact &a) { a.images[0].slots[0].bytes = -4; }},
      {"slot 0: 33 bytes exceed binding 'x' of 32", [](Artifact &a) { a.images[0].slots[0].bytes = 33; }},
      {"names binding 3 of 3", [](Artifact &a) { a.images[0].slots[0].binding = 3; }},
      {"names binding -2 of 3", [](Artifact &a) { a.images[0].slots[0].binding = -2; }},
      {"and a workspace offset", [](Artifact &a) { a.images[0].slots[0].workspaceOffset = 64; }},
      {"offset 32 is not a multiple of 64", [](Artifact &a) { a.images[0].slots[3].workspaceOffset = 32; }},
      {"offset -64 is not", [](Artifact &a) { a.images[0].slots[3].workspaceOffset = -64; }},
      {"exceed the workspace of 192", [](Artifact &a) { a.images[0].slots[3].bytes = 129; }},
      {"exceed the workspace", [](Artifact &a) { a.images[0].slots[3].workspaceOffset = INT64_MAX / 64 * 64; }},
      {"names slot 4 of 4", [](Artifact &a) { step(a, 2).slots[0] = 4; }},
      {"names slot -1 of 4", [](Artifact &a) { step(a, 2).slots[0] = -1; }},
      {"kind 3 is unknown", [](Artifact &a) { step(a, 0).kind = ArtifactStep::Kind(3); }},
      {"step 2 ('contract_8x6_bf16'): a dispatch must name", [](Artifact &a) { step(a, 2).symbol = ""; }},
      {"unit range of -1", [](Artifact &a) { step(a, 2).unitRanges[1] = -1; }},
      {"unit range of", [](Artifact &a) { step(a, 2).unitRanges = {big, big, big}; }},
      {"stage of 2 unit ranges is negative or goes beyond the 2", [](Artifact &a) { step(a, 2).stageRanges[1] = 2; }},
      {"stage of -1 unit ranges", [](Artifact &a) { step(a, 2).stageRanges = {-1, 3}; }},
      {"its stages have 1 of 2 unit ranges", [](Artifact &a) { step(a, 2).stageRanges = {0, 1}; }},
      {"scratch of -1", [](Artifact &a) { step(a, 2).scratchBytes = -1; }},
      {"FLOP counts", [](Artifact &a) { step(a, 2).flopsTile = -1; }},
      {"it has 2 slots; a fill has 1", [](Artifact &a) { step(a, 0).slots = {3, 3}; }},
      {"would write binding 'x'", [](Artifact &a) { step(a, 0).slots = {0}; }},
      {"it has 1 slots; a copy has 2", [](Artifact &a) { step(a, 1).slots = {3}; }},
      {"would write binding 'w'", [](Artifact &a) { step(a, 1).slots = {3, 1}; }},
      {"source and target overlap", [](Artifact &a) { step(a, 1).slots = {3, 3}; }},
      {"elements of 8 bytes", [](Artifact &a) { step(a, 1).elementBytes = 8; }},
      {"17 copy dims", [](Artifact &a) { step(a, 1).copyDims.resize(17); }},
      {"target stride -1", [](Artifact &a) { step(a, 1).copyDims[2].targetStride = -1; }},
      {"extent -2", [](Artifact &a) { step(a, 1).copyDims[2].extent = -2; }},
      {"beyond 2^48", [](Artifact &a) { step(a, 1).copyDims[0].sourceStride = INT64_MIN; }},
      {"beyond 2^48", [](Artifact &a) { step(a, 1).targetOffset = big; }},
      {"target twice", [](Artifact &a) { step(a, 1).copyDims[0].targetStride = 5; }},
      {"target twice", [](Artifact &a) { step(a, 1).copyDims[0].targetStride = 0; }},
      {"leaves its source slot of 12", [](Artifact &a) { step(a, 1).sourceOffset = 3; }},
      {"leaves its source slot", [](Artifact &a) { step(a, 1).sourceOffset = 5; }},
      {"leaves its target slot of 64", [](Artifact &a) { step(a, 1).targetOffset = 53; }},
      {"leaves its target slot", [](Artifact &a) { step(a, 1).targetOffset = -1; }},
  };
  for (const Case &each : cases) {
    Artifact artifact = sampleArtifact();
    each.damage(artifact);
    Status status = checkArtifact(artifact);
    ASSERT_FALSE(status.ok()) << each.message;
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr(each.message));
  }
}

// The last offsets that still fit are fine.
TEST(ArtifactCheck, AcceptsCopiesUpToTheEdges) {
  Artifact artifact = sampleArtifact();
  step(artifact, 1).targetOffset = 52;
  EXPECT_TRUE(checkArtifact(artifact).ok());
  step(artifact, 1).copyDims.push_back({0, int64_t(1) << 40, int64_t(1) << 40});
  EXPECT_TRUE(checkArtifact(artifact).ok()) << "an empty copy touches nothing";
}

} // namespace
