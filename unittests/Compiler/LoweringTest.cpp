// Every lowering computes the right numbers: random problems, compiled, run, and compared with Reference bit for bit.
#include "Conversion/ConvToGemm/Lowering.h"
#include "Compiler/Compiler.h"
#include "Reference/Evaluate.h"
#include "Runtime/Core/Artifact.h"
#include "orzo/Runtime/PreparedCall.h"
#include "orzo/Runtime/Workspace.h"
#include "orzo/Spec/Canonical.h"

#include "../Reference/RandomSpec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace orzo {
namespace {

using Bytes = std::vector<uint8_t>;

/// The three tensors of `spec`: integers in the operands, NaN in the result.
std::array<Bytes, 3> makeTensors(const ConvSpec &spec, std::mt19937 &random) {
  std::array<Bytes, 3> tensors;
  for (Role role : {Role::X, Role::W, Role::Y}) {
    Bytes &bytes = tensors[int(role)];
    bytes.assign(spec.byteCount(role), 0xff); // NaN in each of the three types.
    if (role != resultRole(spec.direction))
      for (int64_t i = 0; i < spec.elementCount(role); ++i)
        storeElement(bytes.data(), i, spec.type(role), double(pick(random, -3, 3)));
  }
  return tensors;
}

Bytes expectedResult(const ConvSpec &spec, const std::array<Bytes, 3> &tensors) {
  std::vector<double> values(spec.elementCount(resultRole(spec.direction)));
  reference::evaluate(spec, {tensors[0].data(), tensors[1].data(), tensors[2].data()}, values.data());
  Bytes bytes(spec.byteCount(resultRole(spec.direction)));
  for (size_t i = 0; i < values.size(); ++i)
    storeElement(bytes.data(), int64_t(i), spec.type(resultRole(spec.direction)), values[i]);
  return bytes;
}

/// Runs once. When `counters` is not null, the module was compiled to count and the two counters are put there.
Status runOn(const Module &module, std::array<Bytes, 3> &tensors, int threads, int64_t *counters = nullptr) {
  Expected<ThreadPool> pool = ThreadPool::create(threads);
  if (!pool)
    return pool.status();
  Expected<Workspace> workspace = Workspace::allocate(module.workspaceBytes(threads));
  if (!workspace)
    return workspace.status();
  // Whatever the workspace held, nothing of it may show.
  if (workspace->buffer().bytes > 0)
    std::memset(workspace->buffer().data, 0xff, workspace->buffer().bytes);
  std::vector<BufferView> views;
  for (const TensorBinding &binding : module.bindings()) {
    Bytes &bytes = tensors[int(*binding.role)];
    views.push_back(binding.view({bytes.data(), int64_t(bytes.size())}));
  }
  Expected<PreparedCall> call = PreparedCall::bind(module, views, workspace->buffer(), *pool);
  if (!call)
    return call.status();
  Status status = call->run();
  if (counters) {
    const ArtifactImage &image = module.image();
    const ArtifactSlot &slot = image.slots[image.steps.back().slots.back()];
    std::memcpy(counters, static_cast<const char *>(workspace->buffer().data) + slot.workspaceOffset,
                2 * sizeof(int64_t));
  }
  return status;
}

/// The first element whose numbers differ (a NaN differs from everything), or -1.
int64_t firstDifference(const ConvSpec &spec, const Bytes &got, const Bytes &expected) {
  Role role = resultRole(spec.direction);
  for (int64_t i = 0; i < spec.elementCount(role); ++i)
    if (!(loadElement(got.data(), i, spec.type(role)) == loadElement(expected.data(), i, spec.type(role))))
      return i;
  return -1;
}

struct Outcome {
  std::string lowering;
  ArtifactImage image;
};

/// Compiles `spec` with a lowering, runs it on 1 and 3 threads and compares; nullopt where the lowering does not apply.
std::optional<Outcome> check(const ConvSpec &spec, const std::string &lowering, std::mt19937 &random) {
  CompileRequest request;
  request.input = text(spec);
  request.forceLowering = lowering;
  Expected<CompileOutput> output = compile(request);
  if (!output) {
    EXPECT_EQ(output.status().code(), StatusCode::InvalidArgument) << output.status().message();
    EXPECT_FALSE(lowering.empty()) << request.input << ": " << output.status().message();
    return std::nullopt;
  }
  Expected<Module> module = Module::load(output->bytes);
  EXPECT_TRUE(module.ok()) << request.input << ": " << module.status().message();
  if (!module)
    return std::nullopt;
  ConvSpec canonical = parseConvSpec(module->problem()).take();
  EXPECT_EQ(canonical, canonicalise(spec).spec);
  std::array<Bytes, 3> tensors = makeTensors(canonical, random);
  Bytes expected = expectedResult(canonical, tensors);
  std::array<Bytes, 3> more = tensors;
  Bytes &result = tensors[int(resultRole(canonical.direction))];
  Status status = runOn(*module, tensors, 1);
  EXPECT_TRUE(status.ok()) << status.message();
  int64_t difference = firstDifference(canonical, result, expected);
  EXPECT_EQ(difference, -1) << module->problem() << " by " << module->artifact().lowering;
  EXPECT_TRUE(runOn(*module, more, 3).ok());
  EXPECT_EQ(more[int(resultRole(canonical.direction))], result) << "bits differ on 3 threads: " << module->problem();
  return Outcome{module->artifact().lowering, module->image()};
}

int64_t flopsExecuted(const ArtifactImage &image) {
  int64_t flops = 0;
  for (const ArtifactStep &step : image.steps)
    flops += step.flopsExecuted;
  return flops;
}

TEST(Lowering, RandomProblemsAreRightByEveryLowering) {
  std::mt19937 random(3);
  std::map<std::string, int> used;
  for (int i = 0; i < 60; ++i) {
    ConvSpec spec = randomSpec(random, static_cast<Direction>(i % 3));
    spec.types.fill(static_cast<DataType>(pick(random, 0, 2)));
    spec.type(resultRole(spec.direction)) = static_cast<DataType>(pick(random, 0, 2));
    if (!validate(spec).ok())
      continue;
    ConvSpec canonical = canonicalise(spec).spec;
    for (const char *lowering : {"", "contract", "implicit", "wgrad", "zero-insert"})
      if (std::optional<Outcome> outcome = check(spec, lowering, random)) {
        ++used[outcome->lowering];
        if (outcome->lowering == "zero-insert")
          continue;
        // Nothing but one launch, and no work besides what is useful or falls in padding.
        EXPECT_EQ(outcome->image.steps.size(), 1u);
        EXPECT_EQ(outcome->image.workspaceBytes, 0);
        EXPECT_EQ(flopsExecuted(outcome->image), canonical.flopsUseful() + canonical.flopsPadding()) << text(canonical);
      }
  }
  for (const char *lowering : {"contract", "implicit", "wgrad", "zero-insert"})
    EXPECT_GT(used[lowering], 10) << lowering;
}

TEST(Lowering, ZeroInsertShowsWhatItCosts) {
  std::mt19937 random(5);
  // The seed, with fewer channels and images.
  ConvSpec spec = channelsLast(Direction::DGrad, 2, 64, 48, 1, {{64, 2, 32, 2, 1, 0, false}}, DataType::BF16);
  std::optional<Outcome> chosen = check(spec, "", random);
  std::optional<Outcome> baseline = check(spec, "zero-insert", random);
  ASSERT_TRUE(chosen && baseline);
  EXPECT_EQ(chosen->lowering, "contract");
  ASSERT_EQ(chosen->image.steps.size(), 1u);
  EXPECT_EQ(flopsExecuted(chosen->image), spec.flopsUseful());
  std::vector<std::string> names;
  for (const ArtifactStep &step : baseline->image.steps)
    names.push_back(step.name);
  EXPECT_THAT(names,
              testing::ElementsAre("fill_y_zero", "copy_y_spread", "copy_w_flip", "fprop_n2_c48_k64_in65_f2_s1_bf16"));
  EXPECT_EQ(flopsExecuted(baseline->image), 2 * spec.flopsUseful());
  EXPECT_GT(baseline->image.workspaceBytes, 0);
}

// The kernels themselves count what they multiply: the reported FLOPs are those that run.
TEST(Lowering, CountedMultiplyAddsAreTheReportedOnes) {
  std::mt19937 random(11);
  for (int i = 0; i < 24; ++i) {
    ConvSpec spec = randomSpec(random, static_cast<Direction>(i % 3));
    CompileRequest request;
    request.input = text(spec);
    request.countMultiplyAdds = true;
    request.forceLowering = i % 4 == 3 ? "zero-insert" : "";
    Expected<CompileOutput> output = compile(request);
    if (!output)
      continue; // Nothing to insert.
    Expected<Module> module = Module::load(output->bytes);
    ASSERT_TRUE(module.ok()) << module.status().message();
    ConvSpec canonical = parseConvSpec(module->problem()).take();
    std::array<Bytes, 3> tensors = makeTensors(canonical, random);
    Bytes expected = expectedResult(canonical, tensors);
    int64_t counters[2] = {-1, -1};
    ASSERT_TRUE(runOn(*module, tensors, 2, counters).ok());
    EXPECT_EQ(firstDifference(canonical, tensors[int(resultRole(canonical.direction))], expected), -1);
    EXPECT_EQ(2 * counters[0], flopsExecuted(module->image())) << module->problem();
    EXPECT_EQ(2 * counters[1], module->image().steps.back().flopsTile) << module->problem();
  }
}

TEST(Lowering, EmptyBatch) {
  std::mt19937 random(7);
  for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad}) {
    ConvSpec spec = channelsLast(direction, 0, 4, 5, 1, {{7, 3, 5, 1, 1, 0, false}}, DataType::F32);
    EXPECT_TRUE(check(spec, "", random)) << name(direction);
    EXPECT_TRUE(check(channelsLast(direction, 0, 4, 5, 1, {}, DataType::F32), "", random)) << name(direction);
  }
}

} // namespace
} // namespace orzo
