// Every spelling of a problem prints one text and computes the same bytes; a near miss prints another text.
#include "NaiveEvaluator.h"
#include "RandomProblem.h"
#include "Reference/Evaluate.h"
#include "Renaming.h"
#include "orzo/Spec/Canonical.h"

#include <gtest/gtest.h>

using namespace orzo;
using namespace orzo::test;

namespace {

/// 500 problems: 125 of each kind plain, grouped, flipped, with unit dims.
std::vector<ConvSpec> problems() {
  std::mt19937 random(20240611);
  std::vector<ConvSpec> all;
  for (int i = 0; i < 500; ++i) {
    ProblemKind kind;
    kind.grouped = i % 4 == 1;
    kind.flipped = i % 4 == 2;
    kind.unitDim = i % 4 == 3;
    all.push_back(randomProblem(kind, random));
  }
  return all;
}

std::array<Bytes, 3> randomTensors(const ConvSpec &spec, std::mt19937 &random) {
  return {randomTensor(spec, Role::X, random), randomTensor(spec, Role::W, random),
          randomTensor(spec, Role::Y, random)};
}

int resultIndex(const ConvSpec &spec) { return static_cast<int>(resultRole(spec.direction)); }

/// Runs `spec` in Reference on the memory that `source` says. The first problem itself is run by the naive evaluator,
/// so that the two also check each other.
Bytes runOn(const ConvSpec &spec, const std::array<int, 3> &source, const std::array<Bytes, 3> &memory) {
  Role result = resultRole(spec.direction);
  reference::Tensors tensors;
  for (int i = 0; i < 3; ++i)
    tensors[i] = memory[source[i]].data();
  std::vector<double> values(naiveCount(spec, result));
  reference::evaluate(spec, tensors, values.data(), nullptr, /*threads=*/1);
  Bytes bytes(values.size() * byteSize(spec.type(result)));
  for (size_t i = 0; i < values.size(); ++i)
    storeElement(bytes.data(), static_cast<int64_t>(i), spec.type(result), values[i] + 0.0); // -0 as +0
  return bytes;
}

std::array<int, 3> sourcesOf(const Canonical &canonical) {
  std::array<int, 3> sources;
  for (int i = 0; i < 3; ++i)
    sources[i] = static_cast<int>(canonical.views[i].source);
  return sources;
}

void expectViewsAreTheSameMemory(const ConvSpec &source, const Canonical &canonical) {
  for (Role role : {Role::X, Role::W, Role::Y}) {
    const View &view = canonical.views[static_cast<int>(role)];
    const Layout &layout = canonical.spec.layout(role);
    ASSERT_EQ(view.sourceAxes.size(), layout.size());
    EXPECT_EQ(naiveCount(canonical.spec, role), naiveCount(source, view.source));
    EXPECT_EQ(canonical.spec.type(role), source.type(view.source));
    for (size_t i = 0; i < layout.size(); ++i) {
      EXPECT_EQ(canonical.spec.extent(role, layout[i]), source.extent(view.source, view.sourceAxes[i]));
      EXPECT_EQ(canonical.spec.elementStride(role, layout[i]), source.elementStride(view.source, view.sourceAxes[i]));
    }
  }
}

TEST(Orbit, EverySpellingPrintsOneTextAndComputesTheSameBytes) {
  std::mt19937 random(7);
  int grouped = 0, flipped = 0, withUnitDim = 0;
  int64_t spellings = 0, steps = 0;
  for (const ConvSpec &spec : problems()) {
    ASSERT_TRUE(validate(spec).ok()) << validate(spec).message();
    grouped += spec.groups > 1;
    bool anyFlip = false, anyUnit = false;
    for (const SpatialDim &dim : spec.spatial) {
      anyFlip |= dim.flip && dim.filter > 1;
      anyUnit |= dim.in == 1 && dim.filter == 1 && dim.out == 1 && dim.padLow == 0;
    }
    flipped += anyFlip;
    withUnitDim += anyUnit;
    std::array<Bytes, 3> memory = randomTensors(spec, random);
    Bytes expected = evaluate(spec, memory);
    Canonical canonical = canonicalise(spec);
    std::string line = text(canonical.spec);
    ASSERT_TRUE(validate(canonical.spec).ok()) << line;
    expectViewsAreTheSameMemory(spec, canonical);
    ASSERT_EQ(canonical.views[resultIndex(canonical.spec)].source, resultRole(spec.direction));
    ASSERT_EQ(runOn(canonical.spec, sourcesOf(canonical), memory), expected) << text(spec) << "\n" << line;
    std::vector<Spelling> members = allSpellings(spec);
    steps += members.size() > permuteSpatial({spec}).size();
    for (const Spelling &member : members) {
      for (const Spelling &spelling : {member, decorate(member, random), decorate(member, random)}) {
        ASSERT_TRUE(validate(spelling.spec).ok()) << validate(spelling.spec).message();
        ASSERT_EQ(text(canonicalise(spelling.spec).spec), line) << text(spec) << "\n" << text(spelling.spec);
        ASSERT_EQ(spelling.memory[resultIndex(spelling.spec)], resultIndex(spec));
        ASSERT_EQ(runOn(spelling.spec, spelling.memory, memory), expected) << text(spec) << "\n" << text(spelling.spec);
        ++spellings;
      }
    }
  }
  EXPECT_GE(grouped, 100);
  EXPECT_GE(flipped, 100);
  EXPECT_GE(withUnitDim, 100);
  EXPECT_GE(steps, 300) << "too few problems have a member that is more than another order of the spatial dims";
  EXPECT_GE(spellings, 10000);
}

TEST(Orbit, CanonicaliseIsIdempotent) {
  for (const ConvSpec &spec : problems()) {
    Canonical once = canonicalise(spec), twice = canonicalise(once.spec);
    ASSERT_EQ(once.spec, twice.spec) << text(spec);
    for (Role role : {Role::X, Role::W, Role::Y}) {
      EXPECT_EQ(twice.views[static_cast<int>(role)].source, role);
      EXPECT_EQ(twice.views[static_cast<int>(role)].sourceAxes, once.spec.layout(role));
    }
  }
}

/// One change of meaning: a flip, a pad, a stride, a dilation or the order of two axes of one tensor.
ConvSpec changed(const ConvSpec &spec, std::mt19937 &random) {
  ConvSpec other = spec;
  SpatialDim &dim = other.spatial[pick(random, 0, other.rank() - 1)];
  switch (pick(random, 0, 4)) {
  case 0:
    dim.flip = !dim.flip;
    break;
  case 1:
    dim.padLow += pick(random, 0, 1) ? 1 : -1;
    break;
  case 2:
    dim.stride += dim.stride > 1 && pick(random, 0, 1) ? -1 : 1;
    break;
  case 3:
    dim.dilation += dim.dilation > 1 && pick(random, 0, 1) ? -1 : 1;
    break;
  default: {
    Layout &layout = other.layouts[pick(random, 0, 2)];
    if (layout.size() > 1)
      std::swap(layout[pick(random, 0, int64_t(layout.size()) - 1)],
                layout[pick(random, 0, int64_t(layout.size()) - 1)]);
  }
  }
  return other;
}

TEST(Orbit, NearMissesPrintAnotherText) {
  std::mt19937 random(11);
  int misses = 0, draws = 0;
  while (misses < 500 && ++draws < 20000) {
    ProblemKind kind;
    kind.grouped = draws % 4 == 1;
    kind.flipped = draws % 4 == 2;
    ConvSpec spec = randomProblem(kind, random);
    // With operands of one size, swapping them could make a change of layout another spelling of the first problem.
    auto [first, second] = operandRoles(spec.direction);
    if (naiveCount(spec, first) == naiveCount(spec, second))
      continue;
    ConvSpec other = changed(spec, random);
    std::array<Bytes, 3> memory = randomTensors(spec, random);
    if (evaluate(spec, memory) == evaluate(other, memory))
      continue;
    ++misses;
    ASSERT_NE(text(canonicalise(spec).spec), text(canonicalise(other).spec)) << text(spec) << "\n" << text(other);
  }
  EXPECT_EQ(misses, 500);
}

} // namespace
