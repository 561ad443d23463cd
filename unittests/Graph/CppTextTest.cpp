// A convolution as a program of the graph API is the same problem.
#include "Graph/CppText.h"
#include "orzo/Spec/Canonical.h"

#include "../Reference/RandomSpec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orzo::graph {
namespace {

TEST(CppText, TheGraphIsTheProblem) {
  std::mt19937 random(7);
  std::array<int, 3> said = {};
  for (int i = 0; i < 600; ++i) {
    auto direction = static_cast<Direction>(i % 3);
    ConvSpec spec = randomSpec(random, direction);
    if (!orzo::validate(spec).ok())
      continue;
    Expected<GraphDefinition> graph = graphOf(spec);
    if (!graph) {
      EXPECT_EQ(graph.status().code(), StatusCode::Unsupported) << graph.status().message();
      EXPECT_FALSE(cppText(spec).ok());
      continue;
    }
    ++said[i % 3];
    Status status = graph->validate();
    ASSERT_TRUE(status.ok()) << orzo::text(spec) << "\n" << status.message();
    EXPECT_EQ(*graph->text(), orzo::text(canonicalise(spec).spec));
    EXPECT_TRUE(cppText(spec)->starts_with("// " + *graph->text() + "\n"));
  }
  for (int count : said)
    EXPECT_GT(count, 20);
}

TEST(CppText, WhatTheApiCannotSay) {
  SpatialDim dim{.in = 8, .filter = 3, .out = 6};
  ConvSpec spec = channelsLast(Direction::FProp, 2, 4, 6, 2, {dim}, orzo::DataType::F32);
  EXPECT_TRUE(graphOf(spec).ok());
  ConvSpec apart = spec;
  apart.layout(Role::X) = *parseLayout("gnhc", Role::X, 1);
  EXPECT_THAT(graphOf(apart).status().message(),
              testing::HasSubstr("the channels of x's groups do not lie side by side"));
  ConvSpec flipped = spec;
  flipped.spatial[0].flip = true;
  EXPECT_THAT(graphOf(flipped).status().message(), testing::HasSubstr("no flipped filter"));
  ConvSpec narrow = spec;
  narrow.accumulate = orzo::DataType::F16;
  EXPECT_THAT(graphOf(narrow).status().message(), testing::HasSubstr("accumulates in f32, not f16"));
}

} // namespace
} // namespace orzo::graph
