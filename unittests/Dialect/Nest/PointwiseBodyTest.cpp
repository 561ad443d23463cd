// Every mode's body, compiled and run on this machine as scalar and as vector code, against lib/Reference.
#include "EdgeValues.h"

#include <cmath>
#include <gtest/gtest.h>

namespace orzo::nest {
namespace {

constexpr size_t randomCount = 10'000;

/// The worst distance; a failure where it is above the case's bound.
double check(const BodyKernels &kernels, size_t which, const BodyCase &each, int lanes,
             const std::vector<std::vector<float>> &inputs) {
  std::vector<float> out = kernels.run(which, lanes, inputs);
  double worst = 0;
  int shown = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    double error = distance(each, out[i], inputs, i);
    worst = std::max(worst, error);
    // A value bound to 0 units may still be half of one away from the unrounded reference.
    if (error <= std::max(each.ulps, 0.5) || ++shown > 5)
      continue;
    std::string operands;
    for (const std::vector<float> &input : inputs)
      operands += " " + std::to_string(input[i]) + " (" + testing::PrintToString(input[i]) + ")";
    ADD_FAILURE() << each.label() << operands << " is " << testing::PrintToString(out[i]) << ", " << error
                  << " ulp off, " << lanes << " lanes";
  }
  return worst;
}

class PointwiseBody : public ::testing::TestWithParam<Isa> {};

TEST_P(PointwiseBody, AgreesWithTheReference) {
  if (supportedIsas().empty() || supportedIsas().back() < GetParam())
    GTEST_SKIP() << "this machine has no " << name(GetParam());
  std::vector<BodyCase> cases = bodyCases();
  std::vector<int> lanes = {1, 8, 16};
  BodyKernels kernels(cases, lanes, GetParam());
  EXPECT_EQ(kernels.assembly().find("\tcall"), std::string::npos);
  for (size_t i = 0; i < cases.size(); ++i)
    for (int count : lanes) {
      int operands = inputCount(cases[i].mode);
      check(kernels, i, cases[i], count, edgeInputs(operands));
      check(kernels, i, cases[i], count, randomInputs(operands, randomCount, 100 * i + 7));
    }
}

INSTANTIATE_TEST_SUITE_P(Isas, PointwiseBody, ::testing::Values(Isa::AVX2, Isa::AVX512),
                         [](const auto &info) { return std::string(name(info.param)); });

/// Prints the table of docs/Numerics.md: --gtest_also_run_disabled_tests --gtest_filter='*Measure*'.
TEST(PointwiseBodyAccuracy, DISABLED_Measure) {
  std::vector<BodyCase> cases = bodyCases();
  BodyKernels kernels(cases, {16}, supportedIsas().back());
  for (size_t i = 0; i < cases.size(); ++i) {
    double worst = 0;
    std::string where;
    for (uint64_t block = 0; block < 64; ++block) {
      auto inputs = randomInputs(inputCount(cases[i].mode), 1 << 16, 1000 * i + block);
      std::vector<float> out = kernels.run(i, 16, inputs);
      for (size_t j = 0; j < out.size(); ++j) {
        double error = distance(cases[i], out[j], inputs, j);
        if (error <= worst)
          continue;
        worst = error;
        where.clear();
        for (const std::vector<float> &input : inputs)
          where += " " + testing::PrintToString(input[j]);
      }
    }
    std::printf("| %s | %.2f |%s\n", cases[i].label().c_str(), worst, where.c_str());
  }
}

} // namespace
} // namespace orzo::nest
