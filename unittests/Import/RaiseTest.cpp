// Raising: many spellings of random problems, to one text, and to the numbers that the source itself computes.
#include "Command/DriverCommand.h"
#include "Compiler/Compiler.h"
#include "Compiler/ReadModule.h"
#include "Conversion/LinalgToConv/Passes.h"
#include "Dialect/Conv/ConvDialect.h"
#include "Interpreter.h"
#include "LinalgText.h"
#include "Pipeline/Registry.h"
#include "Reference/Evaluate.h"
#include "TorchText.h"
#include "orzo/Spec/Canonical.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orzo::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string canonicalText(const ConvSpec &spec) { return text(canonicalise(spec).spec); }

/// The one canonical text of `source`, or the message.
std::string read(const std::string &source) {
  Expected<ReadProblems> problems = readProblems(source, "test.mlir");
  if (!problems)
    return problems.status().message();
  return problems->canonical.size() == 1 ? problems->canonical[0]
                                         : std::to_string(problems->canonical.size()) + " problems";
}

/// What --stop-after=conv prints.
std::string printed(CompileRequest::Input kind, const std::string &input) {
  CompileRequest request;
  request.kind = kind;
  request.input = input;
  request.inputName = "test.mlir";
  request.stopAfter = "conv";
  Expected<CompileOutput> output = compile(request);
  return output ? std::string(output->bytes.begin(), output->bytes.end()) : output.status().message();
}

TEST(Raise, TwoHundredProblemsInAllSpellings) {
  std::mt19937 random(5);
  int commands = 0;
  for (int number = 0; number < 200; ++number) {
    Sample sample = randomSample(random);
    ConvSpec spec = sample.spec();
    ASSERT_TRUE(validate(spec).ok()) << validate(spec).message();
    std::string expected = canonicalText(spec);
    SCOPED_TRACE("problem " + std::to_string(number) + ": " + text(spec));
    std::string ir = printed(CompileRequest::Input::Problem, expected);
    for (const std::string &source :
         {linalgText(sample, LinalgStyle::driver()), linalgText(sample, LinalgStyle::graph()), torchText(sample),
          linalgText(sample, LinalgStyle::random(random)), linalgText(sample, LinalgStyle::random(random)),
          torchText(sample, {.overwrites = false}), torchText(sample, {.transposed = true})}) {
      ASSERT_EQ(read(source), expected) << source;
      std::string its = printed(CompileRequest::Input::Mlir, source);
      ASSERT_EQ(its, ir) << source;
      ASSERT_THAT(its, Not(HasSubstr("linalg.")));
    }
    // As a command, where there is one: the padding that a command says is the same on both sides.
    Expected<std::string> command = printDriverCommand(spec);
    if (!command)
      continue;
    ++commands;
    Expected<DriverCommand> parsed = parseDriverCommand(*command);
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    ASSERT_EQ(parsed->problems.size(), 1u);
    EXPECT_EQ(canonicalText(parsed->problems[0].spec), expected) << *command;
  }
  EXPECT_GT(commands, 150);
}

/// A module as importLinalg leaves it, and what raising says of it.
struct Imported {
  explicit Imported(const std::string &source) : context(registry(), mlir::MLIRContext::Threading::DISABLED) {
    context.loadDialect<conv::ConvDialect, mlir::func::FuncDialect>();
    Diagnostics diagnostics(&context, "test.mlir");
    Expected<ImportedModule> read = readModule(context, diagnostics, source, "test.mlir");
    EXPECT_TRUE(read.ok()) << read.status().message() << "\n" << source;
    if (read)
      module = read->module.release();
  }
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry all;
    registerInputDialects(all);
    return all;
  }
  mlir::func::FuncOp function() { return *module->getOps<mlir::func::FuncOp>().begin(); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Runs `source` as it is and as it was raised, on whole numbers, and compares every element. The spec is returned.
ConvSpec expectSameNumbers(const std::string &source, std::mt19937 &random) {
  Imported imported(source);
  if (!imported.module)
    return {};
  mlir::func::FuncOp function = imported.function();
  std::vector<NaiveTensor> arguments;
  std::vector<int> numbers;
  for (mlir::Type type : function.getArgumentTypes()) {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    numbers.push_back(static_cast<int>(arguments.size()));
    if (!tensor)
      continue;
    NaiveTensor &argument = arguments.emplace_back();
    argument.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    argument.elements.resize(tensor.getNumElements());
    for (double &element : argument.elements)
      element = static_cast<double>(pick(random, -3, 3));
  }
  std::vector<NaiveTensor> expected = interpret(function, arguments);
  OrRefusal<std::vector<conv::BoundProblem>> raised = raiseConvs(function);
  EXPECT_TRUE(static_cast<bool>(raised)) << raised.refusal().reason << "\n" << source;
  if (!raised)
    return {};
  EXPECT_EQ(raised->size(), expected.size());
  ConvSpec spec = (*raised)[0].spec;
  EXPECT_TRUE(validate(spec).ok());
  std::array<std::vector<float>, 3> data;
  reference::Tensors tensors = {};
  spec.types = {DataType::F32, DataType::F32, DataType::F32};
  for (Role role : operandRoles(spec.direction)) {
    int index = static_cast<int>(role);
    const NaiveTensor &argument = arguments[numbers[(*raised)[0].tensors[index].index]];
    data[index].assign(argument.elements.begin(), argument.elements.end());
    EXPECT_EQ(static_cast<int64_t>(data[index].size()), spec.elementCount(role));
    tensors[index] = data[index].data();
  }
  std::vector<double> got(spec.elementCount(resultRole(spec.direction)));
  EXPECT_EQ(got.size(), expected[0].elements.size());
  reference::evaluate(spec, tensors, got.data(), nullptr, 1);
  EXPECT_EQ(got, expected[0].elements) << text(spec) << "\n" << source;
  return (*raised)[0].spec;
}

Sample smallSample(std::mt19937 &random) {
  while (true) {
    Sample sample = randomSample(random);
    double work = static_cast<double>(sample.n * sample.c * sample.k);
    for (const SpatialDim &dim : sample.dims)
      work *= static_cast<double>((sample.direction == Direction::DGrad ? dim.in : dim.out) * dim.filter);
    if (work < 20000)
      return sample;
  }
}

TEST(Raise, ComputesWhatTheSourceComputes) {
  std::mt19937 random(6);
  for (int number = 0; number < 120 && !testing::Test::HasFailure(); ++number) {
    Sample sample = smallSample(random);
    LinalgStyle style = LinalgStyle::random(random);
    SCOPED_TRACE(text(sample.spec()));
    ConvSpec spec = expectSameNumbers(linalgText(sample, style), random);
    EXPECT_EQ(canonicalText(spec), canonicalText(sample.spec()));
  }
}

// A filter that is not flipped where it should be is raised as what it is: the op with the mirrored filter.
TEST(Raise, MissingFlipIsNotRepaired) {
  std::mt19937 random(7);
  int different = 0;
  for (int number = 0; number < 60 && !testing::Test::HasFailure(); ++number) {
    Sample sample = smallSample(random);
    sample.direction = Direction::DGrad;
    LinalgStyle style = LinalgStyle::random(random);
    style.flip = LinalgStyle::Flip::Missing;
    ConvSpec spec = expectSameNumbers(linalgText(sample, style), random);
    ConvSpec mirrored = sample.spec();
    bool flips = false;
    for (SpatialDim &dim : mirrored.spatial) {
      dim.flip = dim.filter > 1;
      flips |= dim.flip;
    }
    EXPECT_EQ(canonicalText(spec), canonicalText(mirrored));
    different += flips && canonicalText(spec) != canonicalText(sample.spec());
  }
  EXPECT_GT(different, 20);
}

// Off by one is raised as what it is, or not at all, but never as the problem it was meant to be.
TEST(Raise, OffsetsAreNotRepaired) {
  std::mt19937 random(8);
  int different = 0;
  for (int number = 0; number < 60 && !testing::Test::HasFailure(); ++number) {
    Sample sample = smallSample(random);
    if (sample.direction == Direction::WGrad)
      continue;
    LinalgStyle style = LinalgStyle::random(random);
    style.offByOne = 1;
    ConvSpec spec = expectSameNumbers(linalgText(sample, style), random);
    ConvSpec shifted = sample.spec();
    for (SpatialDim &dim : shifted.spatial)
      dim.padLow -= 1;
    EXPECT_EQ(canonicalText(spec), canonicalText(shifted));
    different += canonicalText(spec) != canonicalText(sample.spec());
  }
  EXPECT_GT(different, 30);
}

} // namespace
} // namespace orzo::test
