// What users write around a convolution is computed with it: one dispatch, and right.
#include "FusedGraphs.h"
#include "VerifiedRun.h"

using namespace orzo::graph;
using namespace orzo::graph::test;

namespace {

TEST(Fused, OneDispatchAndRight) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  for (const FusedGraph &fused : fusedGraphs())
    for (DataType type : {DataType::Float, DataType::BFloat16, DataType::Half}) {
      SCOPED_TRACE(fused.name + " " + std::string(orzo::name(type)));
      Graph graph;
      fused.make(graph, type, 1);
      ASSERT_TRUE(compiles(graph, handle));
      EXPECT_THAT(graph.steps(), testing::ElementsAre(testing::StartsWith("dispatch ")));
      expectRight(graph, handle);
    }
}

} // namespace
