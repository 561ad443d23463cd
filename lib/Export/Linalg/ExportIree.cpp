#include "Export/Linalg/ExportIree.h"

#include "Conversion/ConvToLinalg/LinalgBuilder.h"
#include "Dialect/Compat/HAL/HALDialect.h"
#include "Dialect/Compat/Util/UtilDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"

namespace orzo {

mlir::FunctionOpInterface computingFunction(mlir::ModuleOp module) {
  mlir::FunctionOpInterface found;
  module.walk([&](mlir::FunctionOpInterface function) {
    bool computes = false;
    function.walk([&](mlir::linalg::LinalgOp) { computes = true; });
    if (computes && !found)
      found = function;
  });
  return found;
}

namespace {

/// The tensor of the argument `index`: itself, or what is imported from it.
mlir::Value operandTensor(mlir::FunctionOpInterface function, int index) {
  if (index >= int(function.getNumArguments()))
    return {};
  mlir::Value argument = function.getArgument(index);
  if (mlir::isa<mlir::RankedTensorType>(argument.getType()))
    return argument;
  for (mlir::Operation *user : argument.getUsers())
    if (auto import = mlir::dyn_cast<hal::TensorImportOp>(user))
      return import.getTarget();
  return {};
}

/// The use of the computed tensor where it leaves the function: returned, exported, or aliased to an argument.
mlir::OpOperand *resultUse(mlir::FunctionOpInterface function, const conv::TensorBinding &binding) {
  if (!binding.isResult) {
    if (binding.index >= int(function.getNumArguments()))
      return nullptr;
    for (mlir::Operation *user : function.getArgument(binding.index).getUsers())
      if (auto alias = mlir::dyn_cast<hal::TensorAliasOp>(user))
        return &alias.getSourceMutable();
    return nullptr;
  }
  mlir::Operation *end = function.front().getTerminator();
  if (binding.index >= int(end->getNumOperands()))
    return nullptr;
  mlir::OpOperand *use = &end->getOpOperand(binding.index);
  while (mlir::Operation *definition = use->get().getDefiningOp()) {
    if (auto exported = mlir::dyn_cast<hal::TensorExportOp>(definition))
      use = &exported.getSourceMutable();
    else if (auto barrier = mlir::dyn_cast<hal::TensorBarrierOp>(definition))
      use = &barrier.getSourcesMutable()[mlir::cast<mlir::OpResult>(use->get()).getResultNumber()];
    else
      break;
  }
  return mlir::isa<mlir::RankedTensorType>(use->get().getType()) ? use : nullptr;
}

void eraseDead(mlir::FunctionOpInterface function) {
  for (bool changed = true; changed;) {
    changed = false;
    for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(function.front())))
      if (mlir::isOpTriviallyDead(&op)) {
        op.erase();
        changed = true;
      }
  }
}

} // namespace

Expected<LinalgChoice> rewriteConvolution(mlir::ModuleOp module, const conv::BoundProblem &problem) {
  // What is written need not be what was read.
  module.getContext()
      ->loadDialect<conv::ConvDialect, mlir::linalg::LinalgDialect, mlir::tensor::TensorDialect,
                    mlir::arith::ArithDialect>();
  mlir::FunctionOpInterface function = computingFunction(module);
  if (!function)
    module.walk([&](mlir::FunctionOpInterface other) { // A border with nothing between.
      if (!function && !other.isExternal())
        function = other;
    });
  const ConvSpec &spec = problem.spec;
  Role result = resultRole(spec.direction);
  mlir::OpOperand *use = function ? resultUse(function, problem.tensors[int(result)]) : nullptr;
  if (!use)
    return Status::unsupported("no tensor is found where " + conv::describe(problem));
  mlir::OpBuilder builder(use->getOwner());
  mlir::Location location = use->get().getLoc();
  LinalgBuilder linalg(builder, location);
  std::array<mlir::Value, 2> operands;
  for (auto [operand, role] : llvm::zip_equal(operands, operandRoles(spec.direction))) {
    mlir::Value tensor = operandTensor(function, problem.tensors[int(role)].index);
    if (!tensor || problem.tensors[int(role)].isResult)
      return Status::unsupported("no tensor is found where " + conv::describe(problem));
    operand = linalg.reshape(tensor, spec.shape(role));
  }
  conv::ConvOpInterface conv = conv::createConv(builder, location, spec, operands[0], operands[1]);
  auto outer = mlir::cast<mlir::RankedTensorType>(use->get().getType());
  use->set(linalg.reshape(conv->getResult(0), outer.getShape()));
  LinalgChoice choice = convToLinalg(conv, LinalgForm::Lowered);
  use->set(linalg.reshape(use->get(), outer.getShape()));
  eraseDead(function);
  return choice;
}

namespace {

std::string tensorText(const ConvSpec &spec, Role role, const conv::TensorBinding &binding) {
  std::string text = "tensor<";
  for (int64_t extent : binding.shape)
    text.append(std::to_string(extent)).append("x");
  return text + std::string(name(spec.type(role))) + ">";
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> fencedBorder(mlir::MLIRContext &context, const std::string &name, int arguments,
                                               const conv::BoundProblem &problem) {
  context.loadDialect<hal::HALDialect, util::UtilDialect, mlir::tensor::TensorDialect, mlir::arith::ArithDialect>();
  const ConvSpec &spec = problem.spec;
  Role result = resultRole(spec.direction);
  const conv::TensorBinding &target = problem.tensors[int(result)];
  std::string resultType = tensorText(spec, result, target), view = "!hal.buffer_view";
  std::string parameters, operands, types;
  for (int i = 0; i < arguments; ++i) {
    std::string argument = "%arg" + std::to_string(i), comma = i > 0 ? ", " : "";
    parameters.append(comma).append(argument).append(": ").append(view);
    operands.append(comma).append(argument);
    types.append(comma).append(view);
  }
  std::string returns = target.isResult ? " -> " + view : "";
  std::string text = "module @module {\n  util.func public @" + name + "$async(" + parameters +
                     ", %wait: !hal.fence, %signal: !hal.fence)" + returns +
                     " attributes {inlining_policy = #util.inline.never, iree.abi.model = \"coarse-fences\", "
                     "iree.abi.stub} {\n";
  for (Role role : operandRoles(spec.direction))
    text += "    %" + std::string(orzo::name(role)) + " = hal.tensor.import wait(%wait) => %arg" +
            std::to_string(problem.tensors[int(role)].index) + " : " + view + " -> " +
            tensorText(spec, role, problem.tensors[int(role)]) + "\n";
  text += "    %empty = tensor.empty() : " + resultType + "\n";
  std::string computed = "%empty";
  if (!target.isResult) {
    computed = "%alias";
    text += "    %alias = hal.tensor.alias wait(%wait) => %empty : " + resultType + " to %arg" +
            std::to_string(target.index) + " : " + view + "\n";
  }
  text += "    %barrier = hal.tensor.barrier join(" + computed + " : " + resultType + ") => %signal : !hal.fence\n";
  if (target.isResult)
    text += "    %export = hal.tensor.export %barrier : " + resultType + " -> " + view +
            "\n    util.return %export : " + view + "\n  }\n";
  else
    text += "    util.return\n  }\n";
  text += "  util.func public @" + name + "(" + parameters + ")" + returns + " attributes {iree.abi.stub} {\n" +
          "    %null = util.null : !hal.fence\n    %forever = arith.constant -1 : i32\n    %first = arith.constant 0 : "
          "index\n    %device = hal.devices.get %first : !hal.device\n    %fence = hal.fence.create device(%device : "
          "!hal.device) flags(\"None\") : !hal.fence\n    " +
          (target.isResult ? "%result = " : "") + "util.call @" + name + "$async(" + operands + ", %null, %fence) : (" +
          types + ", !hal.fence, !hal.fence) -> " + (target.isResult ? view : "()") +
          "\n    %status = hal.fence.await until([%fence]) timeout_millis(%forever) flags(\"None\") : i32\n    "
          "util.return" +
          (target.isResult ? " %result : " + view : "") + "\n  }\n}\n";
  return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
}

} // namespace orzo
