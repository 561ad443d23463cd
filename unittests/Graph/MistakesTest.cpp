// Random graphs with random mistakes: an answer that names node or tensor, never a crash.
#include "RandomMistakes.h"

#include <gmock/gmock.h>

using namespace orzo;
using namespace orzo::graph;
using namespace orzo::graph::test;

namespace {

TEST(Mistakes, TenThousandRandomGraphs) {
  int failed = 0, passed = 0;
  for (unsigned seed = 0; seed < 10000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    GraphDefinition broken = mistakenGraph(seed);
    Status status = broken.validate();
    ++(status.ok() ? passed : failed);
    Expected<GraphProblem> problem = broken.problem();
    if (status.ok())
      status = problem.status();
    EXPECT_TRUE(status.ok() || status.message().find('\'') != std::string::npos) << status.message();
    EXPECT_NE(status.code(), StatusCode::Internal);
    if (!problem)
      continue;
    // What has a problem has a text, which says the same.
    std::string text = orzo::text(problem->spec);
    EXPECT_TRUE(isGraphText(text) ? orzo::text(*parseGraphSpec(text)) == text : text.starts_with("conv.v1 ")) << text;
  }
  EXPECT_GT(failed, 1000);
  EXPECT_GT(passed, 1000);
}

} // namespace
