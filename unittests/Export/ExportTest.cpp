// What is handed to other compilers computes the right numbers: random problems, written as linalg in both forms, run
// by upstream's own lowering, and compared with Reference bit for bit.
#include "Export/Linalg/ExportLinalg.h"
#include "Export/Torch/ExportTorch.h"
#include "LinalgRunner.h"
#include "Reference/Evaluate.h"
#include "orzo/Spec/Canonical.h"

#include "../Reference/RandomSpec.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace orzo {
namespace {

using testing::HasSubstr;

std::array<Role, 2> argumentRoles(Direction direction) {
  return direction == Direction::FProp   ? std::array{Role::X, Role::W}
         : direction == Direction::DGrad ? std::array{Role::Y, Role::W}
                                         : std::array{Role::Y, Role::X};
}

/// Writes `spec` in `form`, runs it on small integers, compares; the form that was taken.
std::string check(mlir::MLIRContext &context, const ConvSpec &spec, LinalgForm form, std::mt19937 &random) {
  LinalgExport exported = exportLinalg(context, spec, form);
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*exported.module))) << text(spec);
  std::array<std::vector<float>, 3> tensors;
  for (Role role : {Role::X, Role::W, Role::Y}) {
    tensors[int(role)].assign(spec.elementCount(role), NAN);
    if (role != resultRole(spec.direction))
      for (float &value : tensors[int(role)])
        value = float(pick(random, -3, 3));
  }
  std::vector<double> expected(spec.elementCount(resultRole(spec.direction)));
  reference::evaluate(spec, {tensors[0].data(), tensors[1].data(), tensors[2].data()}, expected.data());
  std::vector<std::vector<float>> operands;
  for (Role role : argumentRoles(spec.direction))
    operands.push_back(tensors[int(role)]);
  std::vector<float> &result = tensors[int(resultRole(spec.direction))];
  Status status = test::runLinalg(*exported.module, operands, result);
  EXPECT_TRUE(status.ok()) << text(spec) << ": " << status.message();
  int64_t wrong = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    wrong += result[i] != float(expected[i]);
  EXPECT_EQ(wrong, 0) << text(spec) << " as " << exported.choice.form;
  return std::string(exported.choice.form);
}

TEST(ExportLinalg, RandomProblemsAreRightInEveryForm) {
  std::unique_ptr<mlir::MLIRContext> context = test::runnerContext();
  std::mt19937 random(17);
  std::map<std::string, int> used;
  for (int i = 0; i < 90; ++i) {
    ConvSpec spec = randomSpec(random, static_cast<Direction>(i % 3));
    spec.types.fill(DataType::F32);
    if (!validate(spec).ok() || spec.n == 0)
      continue;
    ++used[check(*context, spec, LinalgForm::Lowered, random)];
    check(*context, spec, LinalgForm::Source, random);
    // The canonical spelling has letters left out and may have another direction.
    check(*context, canonicalise(spec).spec, i % 2 ? LinalgForm::Lowered : LinalgForm::Source, random);
    if (HasFailure())
      return;
  }
  // Products that random problems seldom are: a filter as long as its stride, and 1x1 in both orders of memory.
  for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad}) {
    ConvSpec patches =
        channelsLast(direction, 2, 3, 4, 1, {{1, 1, 1, 1, 1, 0, false}, {8, 2, 4, 2, 1, 0, false}}, DataType::F32);
    ConvSpec points = channelsLast(direction, 2, 3, 4, 1, {{5, 1, 5, 1, 1, 0, false}}, DataType::F32);
    ConvSpec planes = points;
    planes.layout(Role::X) = {Axis::N, Axis::C, Axis::S0};
    planes.layout(Role::Y) = {Axis::N, Axis::K, Axis::S0};
    ConvSpec batched = channelsLast(direction, 4, 6, 10, 2, {}, DataType::F32);
    batched.layouts = {Layout{Axis::G, Axis::N, Axis::C}, Layout{Axis::G, Axis::C, Axis::K},
                       Layout{Axis::G, Axis::N, Axis::K}};
    for (const ConvSpec &spec : {patches, points, planes, batched})
      ++used[check(*context, spec, LinalgForm::Lowered, random)];
  }
  EXPECT_GT(used["contraction"], 10);
  EXPECT_GT(used["phases"], 10);
  EXPECT_GT(used["window"], 10);
}

int64_t count(mlir::ModuleOp module, llvm::StringRef name) {
  int64_t found = 0;
  module.walk([&](mlir::Operation *op) { found += op->getName().getStringRef() == name; });
  return found;
}

TEST(ExportLinalg, TheReportsProblemIsOneMatmul) {
  std::unique_ptr<mlir::MLIRContext> context = test::runnerContext();
  ConvSpec seed =
      channelsLast(Direction::DGrad, 16, 2048, 2048, 1, {{}, {512, 2, 256, 2, 1, 0, false}}, DataType::BF16);
  LinalgExport lowered = exportLinalg(*context, seed, LinalgForm::Lowered);
  EXPECT_EQ(lowered.choice.form, "contraction");
  EXPECT_EQ(count(*lowered.module, "linalg.matmul"), 1);
  for (const char *none : {"tensor.insert_slice", "tensor.extract", "tensor.pad", "linalg.transpose"})
    EXPECT_EQ(count(*lowered.module, none), 0) << none;
  EXPECT_EQ(count(*lowered.module, "linalg.generic"), 1); // The rounding.
  LinalgExport source = exportLinalg(*context, seed, LinalgForm::Source);
  EXPECT_EQ(count(*source.module, "tensor.insert_slice"), 1);
  EXPECT_EQ(count(*source.module, "tensor.extract"), 1);
}

TEST(ExportTorch, WhatItCannotSay) {
  ConvSpec one = channelsLast(Direction::FProp, 2, 4, 6, 1, {{8, 3, 8, 1, 1, 1, false}}, DataType::F32);
  auto refused = [](const ConvSpec &spec) {
    Expected<std::string> text = exportTorch(spec);
    EXPECT_FALSE(text.ok()) << *text;
    EXPECT_EQ(text.status().code(), StatusCode::Unsupported);
    return text.status().message();
  };
  EXPECT_TRUE(exportTorch(one).ok());
  ConvSpec other = one;
  other.spatial[0].flip = true;
  EXPECT_THAT(refused(other), HasSubstr("mirrored"));
  other = one;
  other.spatial[0].out = 7;
  EXPECT_THAT(refused(other), HasSubstr("one padding for both sides"));
  other = one;
  other.type(Role::Y) = DataType::BF16;
  EXPECT_THAT(refused(other), HasSubstr("one element type"));
  other = channelsLast(Direction::FProp, 2, 4, 6, 2, {{8, 3, 8, 1, 1, 1, false}}, DataType::F32);
  EXPECT_TRUE(exportTorch(other).ok());
  other.layout(Role::X) = {Axis::G, Axis::N, Axis::S0, Axis::C};
  EXPECT_THAT(refused(other), HasSubstr("groups just before the channels"));
}

} // namespace
} // namespace orzo
