// One negative test for each numbered constraint, named after it, and the legal edges beside it.
#include "RandomProblem.h"
#include "orzo/Spec/Canonical.h"
#include "orzo/Spec/Contraction.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>

using namespace orzo;
using namespace orzo::test;

namespace {

ConvSpec good() {
  return channelsLast(Direction::FProp, 2, 4, 6, 2, {{9, 3, 4, 2, 1, 0, false}, {8, 1, 8, 1, 1, 0, false}},
                      DataType::BF16);
}

void expectViolation(const ConvSpec &spec, const std::string &constraint, const std::string &part) {
  Status status = validate(spec);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message().substr(0, constraint.size() + 2), constraint + ": ") << status.message();
  EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
}

TEST(Constraints, GoodProblemsPass) {
  EXPECT_TRUE(validate(good()).ok()) << validate(good()).message();
  ConvSpec empty = good();
  empty.n = 0;
  EXPECT_TRUE(validate(empty).ok()) << "an empty batch is legal";
  ConvSpec padded = good();
  padded.spatial[0].padLow = 100;
  EXPECT_TRUE(validate(padded).ok()) << "more padding than filter is legal";
  ConvSpec product = channelsLast(Direction::WGrad, 5, 3, 2, 1, {}, DataType::F16);
  product.type(Role::W) = DataType::F32;
  EXPECT_TRUE(validate(product).ok()) << "the result may have another type";
  product.layout(Role::X) = {Axis::G, Axis::C, Axis::N};
  EXPECT_TRUE(validate(product).ok()) << "an axis of extent 1 may be in a layout";
}

TEST(Constraints, C1) {
  ConvSpec spec = good();
  spec.n = -1;
  expectViolation(spec, "C1", "got -1");
}

TEST(Constraints, C2) {
  ConvSpec spec = good();
  spec.c = 0;
  expectViolation(spec, "C2", "c must be at least 1; got 0");
  spec = good();
  spec.k = -6;
  expectViolation(spec, "C2", "k must be at least 1; got -6");
}

TEST(Constraints, C3) {
  ConvSpec spec = good();
  spec.groups = 0;
  expectViolation(spec, "C3", "got 0");
}

TEST(Constraints, C4) {
  ConvSpec spec = good();
  spec.groups = 3;
  expectViolation(spec, "C4", "groups 3 and c 4");
  spec.groups = 4;
  expectViolation(spec, "C4", "groups 4 and k 6");
}

TEST(Constraints, C5) {
  ConvSpec spec = good();
  spec.spatial.resize(4);
  expectViolation(spec, "C5", "got 4");
}

TEST(Constraints, C6) {
  for (int64_t SpatialDim::*extent : {&SpatialDim::in, &SpatialDim::filter, &SpatialDim::out}) {
    ConvSpec spec = good();
    spec.spatial[1].*extent = 0;
    expectViolation(spec, "C6", "got 0");
  }
}

TEST(Constraints, C7) {
  for (int64_t SpatialDim::*step : {&SpatialDim::stride, &SpatialDim::dilation}) {
    ConvSpec spec = good();
    spec.spatial[0].*step = 0;
    expectViolation(spec, "C7", "got 0");
  }
}

TEST(Constraints, C8) {
  ConvSpec spec = good();
  spec.layout(Role::X).push_back(Axis::K);
  expectViolation(spec, "C8", "it may have ngchw");
  spec = good();
  spec.layout(Role::W).push_back(Axis::S2);
  expectViolation(spec, "C8", "it may have gkcrs");
}

TEST(Constraints, C9) {
  ConvSpec spec = good();
  spec.layout(Role::Y).push_back(Axis::N);
  expectViolation(spec, "C9", "'npqgkn'");
}

TEST(Constraints, C10) {
  ConvSpec spec = good();
  spec.layout(Role::X) = {Axis::N, Axis::S0, Axis::S1, Axis::C};
  expectViolation(spec, "C10", "lacks 'g'");
  spec = good();
  spec.n = 0;
  spec.layout(Role::Y) = {Axis::S0, Axis::S1, Axis::G, Axis::K};
  expectViolation(spec, "C10", "lacks 'n'");
}

TEST(Constraints, C11) {
  ConvSpec spec = good();
  spec.type(Role::W) = DataType::F32;
  expectViolation(spec, "C11", "x bf16 and w f32");
}

TEST(Constraints, C12) {
  ConvSpec spec = good();
  spec.accumulate = DataType::BF16;
  expectViolation(spec, "C12", "got bf16");
}

TEST(Constraints, C13) {
  ConvSpec spec = channelsLast(Direction::FProp, int64_t(1) << 31, int64_t(1) << 31, 1, 1, {}, DataType::BF16);
  expectViolation(spec, "C13", "x must have at most 2^62 bytes");
  spec = channelsLast(Direction::FProp, 0, INT64_MAX, INT64_MAX, 1, {}, DataType::F32);
  expectViolation(spec, "C13", "x must");
  spec = channelsLast(Direction::DGrad, 1, 1, INT64_MAX, 1, {}, DataType::F32);
  expectViolation(spec, "C13", "w must");
}

TEST(Constraints, C14) {
  for (int64_t padLow : {INT64_MAX, INT64_MIN, int64_t(1) << 62}) {
    ConvSpec spec = good();
    spec.spatial[0].padLow = padLow;
    expectViolation(spec, "C14", std::to_string(padLow));
  }
  for (int64_t SpatialDim::*step : {&SpatialDim::stride, &SpatialDim::dilation}) {
    ConvSpec spec = good();
    spec.spatial[0].*step = INT64_MAX;
    expectViolation(spec, "C14", std::to_string(INT64_MAX));
    spec.spatial[1].*step = INT64_MAX; // along out = 8 or filter = 1: also where nothing is multiplied
    spec.spatial[0].*step = 1;
    expectViolation(spec, "C14", std::to_string(INT64_MAX));
  }
}

TEST(Constraints, C14IsTheSameForEverySpelling) {
  // As (F) spells it: padLow' = (filter-1)*dilation - padLow. 2^61 is within reach of neither or of both.
  for (int64_t pad : {int64_t(1) << 60, int64_t(1) << 61, (int64_t(1) << 61) + 64, int64_t(1) << 62}) {
    ConvSpec one = channelsLast(Direction::FProp, 1, 1, 1, 1, {{9, 3, 8, 1, 1, pad, false}}, DataType::F32);
    ConvSpec other = channelsLast(Direction::DGrad, 1, 1, 1, 1, {{8, 3, 9, 1, 1, 2 - pad, true}}, DataType::F32);
    EXPECT_EQ(validate(one).ok(), validate(other).ok()) << pad;
  }
}

TEST(Constraints, C15) {
  int64_t large = int64_t(1) << 21;
  ConvSpec spec = channelsLast(Direction::FProp, large, large, large, 1, {}, DataType::BF16);
  expectViolation(spec, "C15", "2^62 floating-point operations");
  spec = channelsLast(Direction::FProp, large, large, large / 8, 1, {}, DataType::BF16);
  EXPECT_TRUE(validate(spec).ok()) << validate(spec).message();
}

/// 1 or a power of two up to 2^62, off by one now and then.
int64_t anySize(std::mt19937 &random) {
  int64_t size = pick(random, 0, 2) ? pick(random, 1, 4) : int64_t(1) << pick(random, 0, 62);
  return std::max<int64_t>(1, size + pick(random, -1, 1));
}

TEST(Constraints, NothingWrapsOnceTheyHold) {
  // Built with the undefined behaviour sanitizer, this finds any product or sum that does not fit.
  std::mt19937 random(31);
  int legal = 0, large = 0;
  for (int i = 0; i < 20000; ++i) {
    ProblemKind kind;
    kind.minRank = 0;
    ConvSpec spec = randomProblem(kind, random);
    for (int64_t *extent : {&spec.n, &spec.c, &spec.k})
      if (pick(random, 0, 3) == 0)
        *extent = anySize(random);
    for (SpatialDim &dim : spec.spatial)
      for (int64_t *number : {&dim.in, &dim.filter, &dim.out, &dim.stride, &dim.dilation, &dim.padLow})
        if (pick(random, 0, 2) == 0)
          *number = anySize(random) * (number == &dim.padLow && pick(random, 0, 1) ? -1 : 1);
    shuffleLayouts(spec, random);
    if (!validate(spec).ok())
      continue;
    ++legal;
    for (const SpatialDim &dim : spec.spatial)
      large += dim.stride > 1 << 30 || dim.dilation > 1 << 30 || dim.padLow > 1 << 30;
    for (Role role : {Role::X, Role::W, Role::Y})
      ASSERT_GT(spec.byteCount(role), 0);
    ConvSpec canonical = canonicalise(spec).spec;
    ASSERT_EQ(canonicalise(canonical).spec, canonical);
    Status status = validate(canonical);
    ASSERT_TRUE(status.ok() || status.message().substr(0, 4) == "C15:") << text(spec) << status.message();
    if (std::optional<Contraction> contraction = collapse(spec)) {
      ASSERT_GT(contraction->extentOf(contraction->k), 0);
    }
  }
  EXPECT_GE(legal, 4000);
  EXPECT_GE(large, 400);
}

} // namespace
