// Plans: listed, built by index, chosen by a limit of workspace; all of them right.
#include "VerifiedRun.h"

using namespace orzo::graph;
using namespace orzo::graph::test;
using testing::AllOf;
using testing::HasSubstr;

namespace {

/// A convolution with a bias, large enough for blocks.
void makeConv(Graph &graph) {
  graph.setName("planned").setIODataType(DataType::Float);
  auto x = graph.tensor(TensorAttr().setName("x").setDim({2, 64, 20, 20}).setStride({25600, 1, 1280, 64}));
  auto w = graph.tensor(TensorAttr().setName("w").setDim({96, 64, 3, 3}).setStride({576, 1, 192, 64}));
  auto b = graph.tensor(TensorAttr().setName("b").setDim({1, 96, 1, 1}));
  graph.convFProp(x, w, b, ConvFPropAttr().setName("conv"))->setName("y").setOutput(true);
  ASSERT_TRUE(graph.validate().ok());
}

TEST(Plans, EachIsRightAndNeedsWhatItSays) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  Graph graph;
  makeConv(graph);
  Expected<std::vector<PlanVariant>> plans = graph.plans(handle);
  ASSERT_TRUE(plans.ok()) << plans.status().message();
  ASSERT_GE(plans->size(), 3U);
  for (size_t index = 0; index < plans->size(); ++index) {
    SCOPED_TRACE((*plans)[index].text);
    EXPECT_FALSE((*plans)[index].reason.empty());
    orzo::Status status = graph.compile(handle, CompileOptions{.planIndex = index});
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(graph.getWorkspaceSize()->value_or(0), (*plans)[index].workspaceBytes);
    expectRight(graph, handle);
  }
  EXPECT_THAT(graph.compile(handle, CompileOptions{.planIndex = plans->size()}).message(),
              HasSubstr("there are " + std::to_string(plans->size())));
}

TEST(Plans, AWorkspaceLimitChoosesOrSaysWhatIsNeeded) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  Graph graph;
  makeConv(graph);
  std::vector<PlanVariant> plans = graph.plans(handle).take();
  auto bySize = [](const PlanVariant &a, const PlanVariant &b) { return a.workspaceBytes < b.workspaceBytes; };
  const PlanVariant &least = *std::min_element(plans.begin(), plans.end(), bySize);
  ASSERT_LT(least.workspaceBytes, plans[0].workspaceBytes);
  ASSERT_TRUE(graph.compile(handle, CompileOptions{.workspaceLimit = plans[0].workspaceBytes}).ok());
  EXPECT_EQ(graph.getWorkspaceSize()->value_or(0), plans[0].workspaceBytes);
  ASSERT_TRUE(graph.compile(handle, CompileOptions{.workspaceLimit = plans[0].workspaceBytes - 1}).ok());
  EXPECT_LT(graph.getWorkspaceSize()->value_or(0), plans[0].workspaceBytes);
  expectRight(graph, handle);
  ASSERT_TRUE(graph.compile(handle, CompileOptions{.workspaceLimit = least.workspaceBytes}).ok());
  EXPECT_LE(graph.getWorkspaceSize()->value_or(0), least.workspaceBytes);
  orzo::Status none = graph.compile(handle, CompileOptions{.workspaceLimit = least.workspaceBytes - 1});
  EXPECT_EQ(none.code(), orzo::StatusCode::Unsupported);
  EXPECT_THAT(none.message(),
              AllOf(HasSubstr(std::to_string(plans[0].workspaceBytes) + " bytes is needed"),
                    HasSubstr("the least is " + std::to_string(least.workspaceBytes)), HasSubstr(least.text)));
  orzo::Status given = graph.compile(handle, CompileOptions{.workspaceLimit = least.workspaceBytes, .planIndex = 0});
  EXPECT_THAT(given.message(),
              AllOf(HasSubstr(std::to_string(plans[0].workspaceBytes) + " bytes is needed"), HasSubstr("the plan '")));
}

TEST(Plans, NeedOneTarget) {
  CacheFolder folder;
  HandleOptions options;
  options.target = "cpu:avx2+cuda:sm_90a";
  options.cacheDirectory = folder.text();
  Handle handle = Handle::create(Backend::CPU, options).take();
  Graph graph;
  makeConv(graph);
  EXPECT_THAT(graph.plans(handle).status().message(), HasSubstr("one instruction set"));
}

TEST(Plans, AGraphWithoutConvolutionsHasNone) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  Graph graph;
  graph.setIODataType(DataType::Float);
  auto x = graph.tensor(TensorAttr().setName("x").setDim({100}));
  graph.pointwise(x, PointwiseAttr().setMode(PointwiseAttr::Mode::ABS))->setName("y").setOutput(true);
  ASSERT_TRUE(graph.validate().ok());
  EXPECT_TRUE(graph.plans(handle)->empty());
  EXPECT_THAT(graph.compile(handle, CompileOptions{.planIndex = 0}).message(), HasSubstr("there are 0"));
}

} // namespace
