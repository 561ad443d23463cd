// Contractions, run as matrix products over the problem's memory and compared with the relation.
#include "NaiveEvaluator.h"
#include "RandomProblem.h"
#include "orzo/Spec/Canonical.h"
#include "orzo/Spec/Contraction.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace orzo;
using namespace orzo::test;

namespace {

using Dims = std::vector<ContractionDim>;

/// Visits every index of `dims`, with its offsets in lhs, rhs and out.
void forEachIndex(const Dims &dims, std::array<int64_t, 3> at, const std::function<void(std::array<int64_t, 3>)> &visit,
                  size_t from = 0) {
  if (from == dims.size())
    return visit(at);
  const ContractionDim &dim = dims[from];
  for (int64_t i = 0; i < dim.extent; ++i)
    forEachIndex(dims, {at[0] + i * dim.lhs, at[1] + i * dim.rhs, at[2] + i * dim.out}, visit, from + 1);
}

/// The contraction over the memory of `spec`, its result NaN where no product reaches.
std::vector<double> run(const Contraction &contraction, const ConvSpec &spec, const std::array<Bytes, 3> &memory) {
  std::vector<double> lhs = widened(memory[int(contraction.lhs)], spec.type(contraction.lhs)),
                      rhs = widened(memory[int(contraction.rhs)], spec.type(contraction.rhs)),
                      out(naiveCount(spec, contraction.out), NAN);
  forEachIndex(contraction.batch, {}, [&](std::array<int64_t, 3> batch) {
    forEachIndex(contraction.m, batch, [&](std::array<int64_t, 3> m) {
      forEachIndex(contraction.n, m, [&](std::array<int64_t, 3> n) {
        double sum = 0;
        forEachIndex(contraction.k, n, [&](std::array<int64_t, 3> k) { sum += lhs.at(k[0]) * rhs.at(k[1]); });
        EXPECT_TRUE(std::isnan(out.at(n[2]))) << "an element written twice";
        out.at(n[2]) = sum;
      });
    });
  });
  return out;
}

void expectCanonical(const Contraction &contraction) {
  for (const Dims *dims : {&contraction.batch, &contraction.m, &contraction.n, &contraction.k})
    for (size_t i = 0; i < dims->size(); ++i) {
      const ContractionDim &inner = (*dims)[i];
      EXPECT_NE(inner.extent, 1);
      if (i == 0)
        continue;
      const ContractionDim &outer = (*dims)[i - 1];
      EXPECT_GE(outer.out, inner.out);
      EXPECT_FALSE(outer.lhs == inner.lhs * inner.extent && outer.rhs == inner.rhs * inner.extent &&
                   outer.out == inner.out * inner.extent)
          << "not merged";
    }
  for (const ContractionDim &dim : contraction.m)
    EXPECT_TRUE(dim.lhs && !dim.rhs && dim.out);
  for (const ContractionDim &dim : contraction.n)
    EXPECT_TRUE(!dim.lhs && dim.rhs && dim.out);
  for (const ContractionDim &dim : contraction.k)
    EXPECT_TRUE(dim.lhs && dim.rhs && !dim.out);
  for (const Dims *others : {&contraction.batch, &contraction.m})
    for (const ContractionDim &dim : *others)
      EXPECT_TRUE(!contraction.n.empty() && dim.out >= contraction.n.back().out) << "n has the innermost dim";
}

/// Runs `spec`'s contraction and the relation on the same random bytes.
void expectSameNumbers(const ConvSpec &spec, const Contraction &contraction, std::mt19937 &random) {
  SCOPED_TRACE(text(spec) + "\n" + text(contraction));
  expectCanonical(contraction);
  EXPECT_EQ(contraction.out, resultRole(spec.direction));
  std::array<Bytes, 3> memory;
  for (int tensor = 0; tensor < 3; ++tensor)
    memory[tensor] = randomTensor(spec, Role(tensor), random);
  std::vector<double> out = run(contraction, spec, memory);
  bool tail = false;
  for (double &value : out)
    if (std::isnan(value)) {
      tail = true;
      value = 0;
    }
  EXPECT_EQ(tail, contraction.hasZeroTail);
  Bytes rounded(out.size() * byteSize(spec.type(contraction.out)));
  for (size_t i = 0; i < out.size(); ++i)
    storeElement(rounded.data(), int64_t(i), spec.type(contraction.out), out[i]);
  EXPECT_EQ(rounded, evaluate(spec, memory));
}

std::string collapsed(const ConvSpec &spec) {
  std::optional<Contraction> contraction = collapse(spec);
  return contraction ? text(*contraction) : "none";
}

std::string collapsedAndRun(const ConvSpec &spec) {
  EXPECT_TRUE(validate(spec).ok()) << validate(spec).message();
  std::optional<Contraction> contraction = collapse(spec);
  if (!contraction)
    return "none";
  std::mt19937 random(1);
  expectSameNumbers(spec, *contraction, random);
  return text(*contraction);
}

ConvSpec lines(Direction direction, SpatialDim dim) {
  return channelsLast(direction, 2, 3, 4, 1, {dim}, DataType::F32);
}

ConvSpec planes(Direction direction, SpatialDim h, SpatialDim w) {
  return channelsLast(direction, 2, 3, 4, 1, {h, w}, DataType::F32);
}

void channelsFirst(ConvSpec &spec) {
  for (int tensor = 0; tensor < 3; ++tensor) {
    Layout layout = {tensor == 1 ? Axis::K : Axis::N, tensor == 2 ? Axis::K : Axis::C};
    for (int dim = 0; dim < spec.rank(); ++dim)
      layout.push_back(spatialAxis(dim));
    spec.layouts[tensor] = layout;
  }
}

/// A random problem with a good chance to be a contraction.
ConvSpec randomCandidate(int i, std::mt19937 &random) {
  ProblemKind kind;
  kind.grouped = i % 5 == 0;
  kind.minRank = 0;
  ConvSpec spec = randomProblem(kind, random);
  for (SpatialDim &dim : spec.spatial) {
    dim.padLow = pick(random, 0, 9) == 0 ? 1 : 0;
    dim.dilation = pick(random, 0, 3) == 0 ? 2 : 1;
    dim.filter = pick(random, 0, 1) ? 1 : pick(random, 2, 3);
    dim.stride = pick(random, 0, 2) ? dim.filter : pick(random, 1, 3);
    if (pick(random, 0, 7) == 0) { // as (T) leaves patches
      dim.stride = 1;
      dim.dilation = dim.out;
    }
    dim.in = std::max<int64_t>(1, (dim.out - 1) * dim.stride + (dim.filter - 1) * dim.dilation + 1 +
                                      (pick(random, 0, 2) ? 0 : pick(random, -1, 3)));
    dim.flip = pick(random, 0, 15) == 0;
  }
  if (i % 2) {
    ConvSpec last = channelsLast(spec.direction, spec.n, spec.c, spec.k, spec.groups, spec.spatial, DataType::F32);
    spec.layouts = last.layouts;
  } else {
    shuffleLayouts(spec, random);
  }
  return spec;
}

TEST(Collapse, RandomContractionsAreTheRelation) {
  std::mt19937 random(19);
  int count[3] = {}, tails = 0, windows = 0, batched = 0, none = 0;
  for (int i = 0; i < 20000 && !HasFailure(); ++i) {
    ConvSpec spec = randomCandidate(i, random);
    ASSERT_TRUE(validate(spec).ok());
    std::optional<Contraction> contraction = collapse(spec);
    if (!contraction) {
      ++none;
      continue;
    }
    ++count[int(spec.direction)];
    tails += contraction->hasZeroTail;
    batched += !contraction->batch.empty();
    for (const SpatialDim &dim : spec.spatial)
      windows += dim.filter > 1 && dim.out > 1;
    expectSameNumbers(spec, *contraction, random);
  }
  for (int direction = 0; direction < 3; ++direction)
    EXPECT_GE(count[direction], 500);
  EXPECT_GE(tails, 100);
  EXPECT_GE(windows, 300);
  EXPECT_GE(batched, 300);
  EXPECT_GE(none, 3000);
}

TEST(Collapse, TheCanonicalFormOfAContractionIsTheSameContraction) {
  std::mt19937 random(29);
  int compared = 0, lost = 0;
  for (int i = 0; i < 20000 && !HasFailure(); ++i) {
    ConvSpec spec = randomCandidate(i, random);
    std::optional<Contraction> source = collapse(spec);
    if (!source)
      continue;
    ++compared;
    std::string canonical = collapsed(canonicalise(spec).spec);
    // A 1x1, stride 1 dgrad with a tail is canonical as the fprop whose last outputs read padding.
    if (source->hasZeroTail && canonical == "none" && canonicalise(spec).spec.direction == Direction::FProp)
      ++lost;
    else
      EXPECT_EQ(text(*source), canonical) << text(spec) << "\n" << text(canonicalise(spec).spec);
  }
  EXPECT_GE(compared, 3000);
  EXPECT_LE(lost * 20, compared);
}

TEST(Collapse, EveryMatrixProductCollapses) {
  std::mt19937 random(23);
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    ProblemKind kind;
    kind.minRank = 0;
    ConvSpec spec = randomProblem(kind, random);
    for (SpatialDim &dim : spec.spatial)
      dim = {dim.out, 1, dim.out, 1, 1, 0, false};
    shuffleLayouts(spec, random);
    std::optional<Contraction> contraction = collapse(spec);
    ASSERT_TRUE(contraction) << "1x1, stride 1, no padding, any layout: " << text(spec);
    expectSameNumbers(spec, *contraction, random);
  }
}

const std::string seedContraction = "m 4096:2048:0:4096 n 4096:0:1:1 k 2048:1:4096:0";

TEST(Collapse, TheSeedIsOneRowMajorProduct) {
  ConvSpec seed =
      channelsLast(Direction::DGrad, 16, 2048, 2048, 1, {{}, {512, 2, 256, 2, 1, 0, false}}, DataType::BF16);
  EXPECT_EQ(collapsed(seed), seedContraction);
  EXPECT_EQ(collapsed(canonicalise(seed).spec), seedContraction);
  ConvSpec product = channelsLast(Direction::DGrad, 4096, 4096, 2048, 1, {}, DataType::BF16);
  EXPECT_EQ(*collapse(product), *collapse(seed));
  EXPECT_EQ(collapsed(canonicalise(product).spec), seedContraction) << "its roles differ, its arrays do not";
}

TEST(Collapse, TheSmallSeedRuns) {
  EXPECT_EQ(collapsedAndRun(planes(Direction::DGrad, {}, {6, 2, 3, 2, 1, 0, false})), "m 6:4:0:6 n 6:0:1:1 k 4:1:6:0");
}

TEST(Collapse, StridedInputGradientWithATail) {
  // 7 columns, 3 windows of 2: column 6 is zero, and the rows of different images no longer meet.
  EXPECT_EQ(collapsedAndRun(lines(Direction::DGrad, {7, 2, 3, 2, 1, 0, false})),
            "m 2:12:0:21 3:4:0:6 n 6:0:1:1 k 4:1:6:0 tail");
}

TEST(Collapse, AForwardOfAnyStrideAlongRuns) {
  // Rows of S*C = 9 at pitch stride*C = 3: they overlap.
  EXPECT_EQ(collapsedAndRun(lines(Direction::FProp, {7, 3, 5, 1, 1, 0, false})),
            "m 2:21:0:20 5:3:0:4 n 4:0:9:1 k 9:1:1:0");
  EXPECT_EQ(collapsedAndRun(lines(Direction::WGrad, {7, 3, 3, 2, 1, 0, false})),
            "m 4:1:0:9 n 9:0:1:1 k 2:12:21:0 3:4:6:0");
  EXPECT_EQ(collapsedAndRun(lines(Direction::FProp, {7, 3, 5, 1, 1, 0, true})), "none") << "flipped";
  EXPECT_EQ(collapsedAndRun(lines(Direction::FProp, {7, 3, 5, 1, 1, 1, false})), "none") << "reads padding";
  EXPECT_EQ(collapsedAndRun(lines(Direction::FProp, {6, 3, 5, 1, 1, 0, false})), "none") << "reads padding behind";
  EXPECT_EQ(collapsedAndRun(lines(Direction::FProp, {9, 3, 5, 1, 2, 0, false})), "none") << "dilated";
}

TEST(Collapse, PatchesKeepTheirRowsApart) {
  // 2x2 patches of a 4x4 image, channels last: k is 2 rows of (s, c) = 6 contiguous values.
  SpatialDim patch = {4, 2, 2, 2, 1, 0, false};
  EXPECT_EQ(collapsedAndRun(planes(Direction::FProp, patch, patch)),
            "m 4:24:0:8 2:6:0:4 n 4:0:12:1 k 2:12:6:0 6:1:1:0");
  EXPECT_EQ(collapsedAndRun(planes(Direction::DGrad, patch, patch)),
            "m 4:8:0:24 2:4:0:6 n 2:0:6:12 6:0:1:1 k 4:1:12:0");
  SpatialDim overlapping = {5, 3, 3, 1, 1, 0, false};
  EXPECT_EQ(collapsedAndRun(planes(Direction::FProp, overlapping, patch)), "none") << "windows of rows overlap";
}

TEST(Collapse, PatchesAndTheirCanonicalFormAreOneProduct) {
  // The canonical form of these patches is a wgrad with dilation (fewer "taps"): the same arrays.
  SpatialDim patch = {12, 4, 3, 4, 1, 0, false};
  for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad}) {
    ConvSpec spec = planes(direction, patch, patch), canonical = canonicalise(spec).spec;
    EXPECT_EQ(canonical.spatial[0].dilation, 4);
    EXPECT_NE(collapsed(spec), "none");
    EXPECT_EQ(collapsedAndRun(canonical), collapsedAndRun(spec));
  }
}

TEST(Collapse, ChannelsFirstIsBatchedOverImages) {
  SpatialDim plain = {5, 1, 5, 1, 1, 0, false};
  ConvSpec spec = planes(Direction::FProp, plain, plain);
  channelsFirst(spec);
  EXPECT_EQ(collapsedAndRun(spec), "b 2:0:75:100 m 4:3:0:25 n 25:0:1:1 k 3:1:25:0");
  spec.direction = Direction::DGrad;
  EXPECT_EQ(collapsedAndRun(spec), "b 2:0:100:75 m 3:1:0:25 n 25:0:1:1 k 4:3:25:0");
  spec.direction = Direction::WGrad;
  EXPECT_EQ(collapsedAndRun(spec), "m 4:25:0:3 n 3:0:25:1 k 2:100:75:0 25:1:1:0");
}

TEST(Collapse, AStridedPointwiseForwardNeedsContiguousChannels) {
  SpatialDim strided = {5, 1, 3, 2, 1, 0, false};
  ConvSpec spec = planes(Direction::FProp, strided, strided);
  EXPECT_EQ(collapsedAndRun(spec), "m 2:75:0:36 3:30:0:12 3:6:0:4 n 4:0:3:1 k 3:1:1:0");
  spec.direction = Direction::DGrad;
  EXPECT_EQ(collapsedAndRun(spec), "none") << "every other element of the result is zero";
  spec.direction = Direction::FProp;
  channelsFirst(spec);
  EXPECT_EQ(collapsedAndRun(spec), "none") << "no loop walks x element by element";
}

TEST(Collapse, GroupsAreABatch) {
  ConvSpec spec = channelsLast(Direction::FProp, 2, 6, 8, 2, {{5, 1, 5, 1, 1, 0, false}}, DataType::F32);
  EXPECT_EQ(collapsedAndRun(spec), "b 2:3:12:4 m 10:6:0:8 n 4:0:3:1 k 3:1:1:0");
  EXPECT_EQ(collapsedAndRun(channelsLast(Direction::FProp, 2, 4, 4, 4, {{5, 1, 5, 1, 1, 0, false}}, DataType::F32)),
            "none")
      << "one channel a group: there is no n";
  EXPECT_EQ(collapsedAndRun(channelsLast(Direction::FProp, 2, 6, 8, 2, {{6, 2, 3, 2, 1, 0, false}}, DataType::F32)),
            "none")
      << "a group's (r, c) is not one run: its rows lie apart by the other groups' channels";
}

TEST(Collapse, AFilterAsLargeAsTheImageIsOneRow) {
  SpatialDim full = {4, 4, 1, 3, 1, 0, false};
  for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad}) {
    ConvSpec spec = planes(direction, full, full);
    std::string last = collapsedAndRun(spec);
    EXPECT_NE(last, "none");
    channelsFirst(spec);
    EXPECT_EQ(collapsedAndRun(spec), last) << "(c, h, w) is one dim in x and w";
  }
}

TEST(Collapse, PaddingBehindASingleTapOnlyShortensTheSum) {
  // Two of six columns of dy meet padding; dw does not notice.
  EXPECT_EQ(collapsedAndRun(lines(Direction::WGrad, {4, 1, 6, 1, 1, 0, false})),
            "m 4:1:0:3 n 3:0:1:1 k 2:24:12:0 4:4:3:0");
  EXPECT_EQ(collapsedAndRun(lines(Direction::DGrad, {4, 1, 6, 1, 1, 0, false})),
            "m 2:24:0:12 4:4:0:3 n 3:0:1:1 k 4:1:3:0");
  EXPECT_EQ(collapsedAndRun(lines(Direction::FProp, {4, 1, 6, 1, 1, 0, false})), "none") << "two columns of y are zero";
}

TEST(Collapse, AnEmptyBatch) {
  for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad})
    for (bool outermost : {true, false}) {
      ConvSpec spec = channelsLast(direction, 0, 3, 4, 1, {}, DataType::F32);
      if (!outermost) {
        spec.layout(Role::X) = {Axis::C, Axis::N};
        spec.layout(Role::Y) = {Axis::K, Axis::N};
      }
      EXPECT_NE(collapsedAndRun(spec), "none");
    }
}

TEST(Collapse, AProductOfTwoNumbers) {
  EXPECT_EQ(collapsedAndRun(channelsLast(Direction::FProp, 1, 1, 1, 1, {}, DataType::F32)), "one product");
}

} // namespace
