// Differences between problems: none between spellings of one problem, and as few as there are between two.
#include "orzo/Spec/Difference.h"

#include "RandomProblem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orzo {
namespace {

using test::pick;
using test::randomProblem;
using testing::ElementsAre;

ConvSpec seed() {
  ConvSpec spec =
      channelsLast(Direction::DGrad, 16, 2048, 2048, 1, {{}, {512, 2, 256, 2, 1, 0, false}}, DataType::BF16);
  return spec;
}

TEST(Difference, TheSeedsMissingFlipIsOneDifference) {
  ConvSpec right = seed(), wrong = seed();
  wrong.spatial[1].flip = true;
  Alignment alignment = align(right, wrong);
  EXPECT_THAT(alignment.differences, ElementsAre(Difference{Field::Flip, 0, Role::X, "no", "yes"}));
  EXPECT_EQ(alignment.first.spec.direction, Direction::DGrad);
  EXPECT_EQ(dimLetter(alignment.first, right, 0), "S");
}

// With stride 1 the two canonical texts have other directions and exchanged tensors; still it is one flip.
TEST(Difference, AFlipIsOneDifferenceInEveryRandomProblem) {
  std::mt19937 random(3);
  int tried = 0;
  while (tried < 300) {
    ConvSpec spec = randomProblem({.grouped = tried % 3 == 0, .minRank = 1, .maxRank = 2}, random);
    int dim = static_cast<int>(pick(random, 0, spec.rank() - 1));
    // With one pixel in x and y there is one tap: its mirror image is another padding as well.
    if (spec.spatial[dim].filter < 2 || (spec.spatial[dim].in == 1 && spec.spatial[dim].out == 1))
      continue;
    ConvSpec flipped = spec;
    flipped.spatial[dim].flip = !flipped.spatial[dim].flip;
    if (canonicalise(spec).spec == canonicalise(flipped).spec)
      continue; // A dim whose taps all but one are never read, or an image of one element.
    ++tried;
    Alignment alignment = align(spec, flipped);
    ASSERT_EQ(alignment.differences.size(), 1u) << text(spec);
    EXPECT_EQ(alignment.differences[0].field, Field::Flip) << text(spec);
  }
}

TEST(Difference, SpellingsOfOneProblemDifferInNothing) {
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    ConvSpec spec = randomProblem({.grouped = i % 4 == 0, .unitDim = i % 2 == 0}, random);
    for (const Canonical &member : orbit(spec))
      ASSERT_TRUE(align(spec, member.spec).differences.empty()) << text(spec) << "\n" << text(member.spec);
  }
}

TEST(Difference, EachFieldIsNamed) {
  ConvSpec one = channelsLast(Direction::FProp, 2, 6, 8, 1, {{9, 3, 4, 2, 1, 0, false}, {11, 3, 11, 1, 1, 1, false}},
                              DataType::F32);
  auto fieldsOf = [&](const ConvSpec &other) {
    std::vector<Field> fields;
    for (const Difference &difference : align(one, other).differences)
      fields.push_back(difference.field);
    return fields;
  };
  ConvSpec other = one;
  other.n = 3;
  EXPECT_THAT(fieldsOf(other), ElementsAre(Field::Batch));
  other = one;
  other.k = 4;
  EXPECT_THAT(fieldsOf(other), ElementsAre(Field::OutChannels));
  other = one;
  other.spatial[1].padLow = 0;
  EXPECT_THAT(fieldsOf(other), ElementsAre(Field::PadLow));
  other = one;
  other.type(Role::Y) = DataType::BF16;
  EXPECT_THAT(fieldsOf(other), ElementsAre(Field::Type));
  other = one;
  std::swap(other.layout(Role::X)[0], other.layout(Role::X)[1]);
  EXPECT_THAT(fieldsOf(other), ElementsAre(Field::Layout));
  other = one;
  other.direction = Direction::DGrad;
  EXPECT_THAT(fieldsOf(other), ElementsAre(Field::Direction));
  other = one;
  other.spatial[0].in = 10;
  other.spatial[0].stride = 3;
  EXPECT_THAT(fieldsOf(other), ElementsAre(Field::In, Field::Stride));
}

// The letter is the user's, not the aligned spelling's.
TEST(Difference, DimsAreNamedAsTheUserDoes) {
  ConvSpec one = channelsLast(Direction::FProp, 2, 6, 8, 1, {{}, {9, 3, 4, 2, 1, 0, false}, {}}, DataType::F32);
  ConvSpec other = one;
  other.spatial[1].stride = 1;
  other.spatial[1].padLow = -1;
  Alignment alignment = align(one, other);
  ASSERT_EQ(alignment.differences.size(), 2u);
  EXPECT_EQ(dimLetter(alignment.first, one, alignment.differences[0].dim), "R");
}

} // namespace
} // namespace orzo
