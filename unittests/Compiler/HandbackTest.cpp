// What is handed out is read back as the same problem, and says what it is.
#include "Compiler/Compiler.h"
#include "orzo/Spec/Canonical.h"

#include "../Reference/RandomSpec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orzo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Expected<std::string> run(CompileRequest::Input kind, const std::string &input, const std::string &stopAfter) {
  CompileRequest request;
  request.kind = kind;
  request.input = input;
  request.stopAfter = stopAfter;
  Expected<CompileOutput> output = compile(request);
  if (!output)
    return output.status();
  return std::string(output->bytes.begin(), output->bytes.end());
}

/// The canonical text of the one convolution of a module.
std::string read(const std::string &module) {
  Expected<std::string> spelling = run(CompileRequest::Input::Mlir, module, "spelling");
  if (!spelling)
    return spelling.status().message();
  Expected<ConvSpec> spec = parseConvSpec(spelling->substr(0, spelling->find('\n')));
  return spec ? text(canonicalise(*spec).spec) : spec.status().message();
}

/// Every window reads something and every tap is used: otherwise part of an operand has no say, and no reader can know
/// that it was meant.
bool isWhole(const ConvSpec &spec) {
  for (const SpatialDim &dim : spec.spatial) {
    auto reads = [&](int64_t p, int64_t r) {
      int64_t h = dim.stride * p + dim.dilation * r - dim.padLow;
      return h >= 0 && h < dim.in;
    };
    for (int64_t p = 0; p < dim.out; ++p) {
      bool any = false;
      for (int64_t r = 0; r < dim.filter; ++r)
        any |= reads(p, r);
      if (!any)
        return false;
    }
    for (int64_t r = 0; r < dim.filter; ++r) {
      bool any = false;
      for (int64_t p = 0; p < dim.out; ++p)
        any |= reads(p, r);
      if (!any)
        return false;
    }
  }
  return true;
}

TEST(Handback, WhatIsHandedOutIsReadBack) {
  std::mt19937 random(23);
  int linalg = 0, torch = 0;
  for (int i = 0; i < 300; ++i) {
    ConvSpec spec = randomSpec(random, static_cast<Direction>(i % 3));
    spec.types.fill(static_cast<DataType>(pick(random, 0, 2)));
    if (i % 2) { // What torch can say.
      for (SpatialDim &dim : spec.spatial) {
        dim.flip = false;
        dim.padLow = pick(random, 0, 1);
        dim.in = (dim.out - 1) * dim.stride + dim.dilation * (dim.filter - 1) + 1 - 2 * dim.padLow;
      }
      spec.layouts =
          channelsLast(spec.direction, spec.n, spec.c, spec.k, spec.groups, spec.spatial, DataType::F32).layouts;
    }
    if (!validate(spec).ok() || !isWhole(spec))
      continue;
    std::string canonical = text(canonicalise(spec).spec);
    Expected<std::string> source = run(CompileRequest::Input::Problem, text(spec), "linalg-source");
    ASSERT_TRUE(source.ok()) << source.status().message();
    EXPECT_EQ(read(*source), canonical) << text(spec) << "\n" << *source;
    ++linalg;
    Expected<std::string> ir = run(CompileRequest::Input::Problem, text(spec), "torch");
    if (!ir)
      continue;
    EXPECT_EQ(read(*ir), canonical) << text(spec) << "\n" << *ir;
    ++torch;
    if (HasFailure())
      return;
  }
  EXPECT_GT(linalg, 100);
  EXPECT_GT(torch, 40);
}

TEST(Handback, Spelling) {
  Expected<std::string> ir = run(CompileRequest::Input::Problem,
                                 "conv.v1 dgrad n2 c4 k8 g1 in1x12 f1x2 out1x6 s1x2 d1x1 p0x0 x:nhwc:bf16 w:krsc:bf16 "
                                 "y:npqk:bf16 acc:f32",
                                 "torch");
  ASSERT_TRUE(ir.ok());
  Expected<std::string> facts = run(CompileRequest::Input::Mlir, *ir, "spelling");
  ASSERT_TRUE(facts.ok()) << facts.status().message();
  EXPECT_THAT(*facts, StartsWith("conv.v1 dgrad"));
  EXPECT_THAT(*facts, HasSubstr("\nwritten as\ttorch IR\n"));
  EXPECT_THAT(*facts, HasSubstr("\ndirection\tdgrad\n"));
  EXPECT_THAT(*facts, HasSubstr("\narguments\t(dx (written), dy, w) -> nothing\n"));
  EXPECT_THAT(*facts, HasSubstr("\ntransposes\t3\n"));
}

// Linalg says no direction and the unit dims are none of its business, but people look for S where the source has it.
TEST(Handback, UnitDimsKeepTheirLetters) {
  Expected<std::string> module =
      run(CompileRequest::Input::Problem,
          "conv.v1 dgrad n2 c4 k8 g1 in1x12 f1x2 out1x6 s1x2 d1x1 p0x0 x:nhwc:f32 w:krsc:f32 "
          "y:npqk:f32 acc:f32",
          "linalg-source");
  ASSERT_TRUE(module.ok());
  Expected<std::string> facts = run(CompileRequest::Input::Mlir, *module, "spelling");
  ASSERT_TRUE(facts.ok()) << facts.status().message();
  EXPECT_THAT(*facts, StartsWith("conv.v1 dgrad n2 c4 k8 g1 in1x12 f1x2 out1x6 "));
  EXPECT_THAT(*facts, HasSubstr("\nlayout of w\tk r s c 8x1x2x4\n"));
  EXPECT_THAT(*facts, HasSubstr("\nzeros\tinserted into a constant of 2x1x13x8\n"));
  EXPECT_THAT(*facts, HasSubstr("\nfilter\tmirrored in memory\n"));
  EXPECT_THAT(*facts, HasSubstr("\ncompletion\twhen it returns\n"));
}

// Torch input gets the border that its own compiler would give it.
TEST(Handback, TorchAtItsBorder) {
  Expected<std::string> ir = run(CompileRequest::Input::Problem,
                                 "conv.v1 dgrad n2 c4 k8 g1 in12 f2 out6 s2 d1 p0 x:nhc:bf16 w:krc:bf16 y:npk:bf16 "
                                 "acc:f32",
                                 "torch");
  ASSERT_TRUE(ir.ok());
  Expected<std::string> iree = run(CompileRequest::Input::Mlir, *ir, "iree");
  ASSERT_TRUE(iree.ok()) << iree.status().message();
  EXPECT_THAT(*iree, StartsWith("// orzo: written as contraction: "));
  EXPECT_THAT(*iree, HasSubstr("util.func public @main$async("));
  EXPECT_THAT(*iree, HasSubstr("linalg.matmul"));
  // And what is handed back is read again.
  EXPECT_EQ(read(*iree), read(*ir));
}

} // namespace
} // namespace orzo
