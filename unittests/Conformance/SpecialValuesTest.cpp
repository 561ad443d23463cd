// Infinities, NaNs, subnormals, overflow and ties: on problems of the grid, what each result sees is what it gets.
//
// Where an operand is padded, the other one stays finite here: a tap that falls in padding multiplies by zero, and zero
// times infinity is NaN (docs/Numerics.md).
#include "CompilerLibrary.h"
#include "CoveringGrid.h"
#include "ProblemRun.h"
#include "ProblemSpelling.h"
#include "Reference/Evaluate.h"
#include "orzo/Spec/Canonical.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace orzo::conformance {
namespace {

/// The double as an element of `type` holds it.
double rounded(double value, DataType type) {
  uint32_t memory = 0;
  storeElement(&memory, 0, type, value);
  return loadElement(&memory, 0, type);
}

bool sameNumber(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

/// Runs the canonical problem of `spec` on operands that `change` was let loose on, and wants every element of the
/// result to be the reference's, rounded once; sums must be exact in f32.
template <typename Change> void expectSame(const ConvSpec &source, Change change) {
  std::string canonical = text(canonicalise(source).spec);
  SCOPED_TRACE(canonical);
  Expected<Compiled> compiled = compileText(canonical);
  ASSERT_TRUE(compiled) << compiled.status().message();
  Expected<Module> module = Module::load(compiled->artifact);
  ASSERT_TRUE(module) << module.status().message();
  ProblemTensors tensors(parseConvSpec(canonical).take(), {.data = DataKind::Integer});
  const ConvSpec &spec = tensors.spec;
  change(tensors);
  Role role = resultRole(spec.direction);
  ASSERT_TRUE(runOnce(*module, tensors, 2).ok());
  std::vector<double> expected(static_cast<size_t>(spec.elementCount(role)));
  reference::evaluate(spec, {tensors.data(Role::X), tensors.data(Role::W), tensors.data(Role::Y)}, expected.data());
  int64_t wrong = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    double want = rounded(expected[i], spec.type(role));
    double got = loadElement(tensors.data(role), static_cast<int64_t>(i), spec.type(role));
    if (!sameNumber(got, want) && wrong++ == 0)
      ADD_FAILURE() << "element " << i << ": got " << got << ", expected " << want;
  }
  EXPECT_EQ(wrong, 0) << "of " << expected.size();
}

/// About every 40th element of `role` becomes NaN or infinite.
void scatterSpecials(ProblemTensors &tensors, Role role, uint32_t seed) {
  std::mt19937 random(seed);
  for (int64_t i = 0; i < tensors.spec.elementCount(role); ++i)
    if (random() % 40 == 0) {
      const double specials[] = {NAN, -NAN, INFINITY, -INFINITY};
      storeElement(tensors.data(role), i, tensors.spec.type(role), specials[random() % 4]);
    }
}

/// The operand that is read through windows and may so be padded.
Role windowedOperand(Direction direction) { return direction == Direction::DGrad ? Role::Y : Role::X; }

TEST(SpecialValues, ReachTheResultsThatSeeThemAndNoOthers) {
  const std::vector<GridRow> &rows = coveringRows();
  for (size_t row = 0; row < rows.size(); row += 9)
    expectSame(*gridProblem(rows[row]), [&](ProblemTensors &tensors) {
      Role windowed = windowedOperand(tensors.spec.direction);
      scatterSpecials(tensors, windowed, static_cast<uint32_t>(row));
      if (tensors.spec.flopsPadding() > 0)
        return;
      for (Role role : operandRoles(tensors.spec.direction))
        if (role != windowed)
          scatterSpecials(tensors, role, static_cast<uint32_t>(row) + 1);
    });
}

/// Few channels, so that sums of integers up to 256 * 256 stay exact in f32 while f16 overflows and ties are common.
TEST(SpecialValues, LargeResultsAreRoundedOnceAndOverflowToInfinity) {
  for (DataType type : {DataType::F16, DataType::BF16})
    for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad})
      expectSame(channelsLast(direction, 1, 5, 7, 1, {window(6, 3, 1, 1, 1), window(7, 2)}, type),
                 [&](ProblemTensors &tensors) {
                   for (Role role : operandRoles(tensors.spec.direction))
                     for (int64_t i = 0; i < tensors.spec.elementCount(role); ++i)
                       storeElement(tensors.data(role), i, type,
                                    static_cast<double>((i * i * 71 + i * 29) % 513 - 256));
                 });
}

/// Subnormal operands times powers of two: f32 and f16 keep them.
TEST(SpecialValues, SubnormalsAreKept) {
  for (DataType type : {DataType::F32, DataType::F16})
    for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad})
      expectSame(channelsLast(direction, 1, 3, 5, 1, {window(5, 3, 1, 1, 1), window(6, 2)}, type),
                 [&](ProblemTensors &tensors) {
                   Role windowed = windowedOperand(tensors.spec.direction);
                   double smallest = type == DataType::F32 ? 0x1p-149 : 0x1p-24;
                   for (int64_t i = 0; i < tensors.spec.elementCount(windowed); ++i)
                     storeElement(tensors.data(windowed), i, type, static_cast<double>(i % 7 - 3) * smallest);
                 });
}

} // namespace
} // namespace orzo::conformance
