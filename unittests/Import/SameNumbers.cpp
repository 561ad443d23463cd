#include "SameNumbers.h"

#include "Compiler/ReadModule.h"
#include "Conversion/LinalgToConv/Passes.h"
#include "Dialect/Conv/ConvDialect.h"
#include "Interpreter.h"
#include "Pipeline/Registry.h"
#include "Reference/Evaluate.h"
#include "Sample.h"

#include <gtest/gtest.h>

namespace orzo::test {
namespace {

/// A module as importLinalg leaves it, and what raising says of it.
struct Imported {
  Imported(const std::string &source, bool mayRefuse) : context(registry(), mlir::MLIRContext::Threading::DISABLED) {
    context.loadDialect<conv::ConvDialect, mlir::func::FuncDialect>();
    Diagnostics diagnostics(&context, "test.mlir");
    Expected<ImportedModule> read = readModule(context, diagnostics, source, "test.mlir");
    EXPECT_TRUE(read.ok() || mayRefuse) << read.status().message() << "\n" << source;
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

} // namespace

std::optional<ConvSpec> compareNumbers(const std::string &source, std::mt19937 &random, bool mayRefuse) {
  Imported imported(source, mayRefuse);
  if (!imported.module)
    return std::nullopt;
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
  OrRefusal<std::vector<conv::BoundProblem>> raised = raiseConvs(function);
  if (!raised) {
    EXPECT_TRUE(mayRefuse) << raised.refusal().reason << "\n" << source;
    return std::nullopt;
  }
  std::vector<NaiveTensor> expected = interpret(function, arguments);
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

} // namespace orzo::test
