#include "Import/Torch/ImportTorch.h"

#include "Dialect/Conv/Transforms/Passes.h"
#include "Import/Torch/Constants.h"
#include "Import/Torch/TorchReader.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace orzo::torch {

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

LogicalResult TorchReader::arguments() {
  binding.entry = function.getName().str();
  binding.frontEnd = "torch";
  for (BlockArgument argument : function.getArguments()) {
    ArgumentBinding &bound = binding.arguments.emplace_back();
    bound.type = typeText(argument.getType());
    auto type = staticTensor(argument.getType());
    if (!type) {
      values[argument] = TensorValue::other(function, "argument " + std::to_string(argument.getArgNumber()) + " is a " +
                                                          bound.type + "; tensors of static shape are read");
      continue;
    }
    bound.shape.assign(type->first.begin(), type->first.end());
    values[argument] = TensorValue::ofMemory(TensorValue::Kind::Argument, static_cast<int>(argument.getArgNumber()),
                                             type->first, type->second);
  }
  return success();
}

const TensorValue &TorchReader::tensor(Value value) {
  auto found = values.find(value);
  if (found != values.end())
    return found->second;
  Operation *from = value.getDefiningOp();
  unknown = TensorValue::other(from ? from : function.getOperation(), "a value that is no tensor is read as one");
  return unknown;
}

const TensorValue *TorchReader::blocked(ArrayRef<const TensorValue *> operands) {
  for (const TensorValue *operand : operands)
    if (operand->kind == TensorValue::Kind::Other)
      return operand;
  return nullptr;
}

void TorchReader::place(PendingProblem &problem, Role role, const TensorValue &operand, const DimAxes &axes) {
  conv::TensorBinding &bound = problem.bound.tensors[static_cast<int>(role)];
  bound.index = operand.index;
  bound.shape.assign(operand.memory.begin(), operand.memory.end());
  Layout &layout = problem.bound.spec.layout(role);
  for (int memory = 0; memory < static_cast<int>(operand.memory.size()); ++memory) {
    auto dim = llvm::find(operand.dims, memory);
    if (dim == operand.dims.end())
      continue;
    for (Axis axis : axes[dim - operand.dims.begin()]) {
      layout.push_back(axis);
      bound.dims.push_back(memory);
    }
  }
}

LogicalResult TorchReader::finish(PendingProblem problem, Value value, const DimAxes &axes) {
  auto type = staticTensor(value.getType());
  if (!type)
    return refuse(problem.op) << "its result is a " << typeText(value.getType())
                              << "; tensors of static shape are read";
  problem.resultAxes = axes;
  values[value] =
      TensorValue::ofMemory(TensorValue::Kind::Result, static_cast<int>(problems.size()), type->first, type->second);
  problems.push_back(std::move(problem));
  return success();
}

LogicalResult TorchReader::deliver(Operation *op, Value value, int destination) {
  const TensorValue &result = tensor(value);
  if (result.kind == TensorValue::Kind::Other)
    return refuse(result.culprit) << result.reason;
  if (result.kind != TensorValue::Kind::Result)
    return refuse(op) << "what it writes or returns is no convolution's result";
  PendingProblem &problem = problems[result.index];
  if (problem.placed)
    return refuse(op) << "a convolution's result is written or returned twice";
  problem.placed = true;
  int number = static_cast<int>(binding.destinations.size());
  binding.destinations.push_back(destination);
  if (destination >= 0) {
    ArgumentBinding &argument = binding.arguments[destination];
    if (argument.use != ArgumentUse::Unused)
      return refuse(op) << "argument " << destination << " is written and also " << name(argument.use).data();
    argument.use = ArgumentUse::Destination;
    argument.tensor = number;
  }
  conv::TensorBinding &bound = problem.bound.tensors[static_cast<int>(problem.result)];
  bound.isResult = true;
  bound.index = number;
  bound.shape.assign(result.shape.begin(), result.shape.end());
  Layout &layout = problem.bound.spec.layout(problem.result);
  for (auto [position, dim] : llvm::enumerate(result.dims)) {
    if (dim < 0)
      continue;
    for (Axis axis : problem.resultAxes[dim]) {
      layout.push_back(axis);
      bound.dims.push_back(static_cast<int>(position));
    }
  }
  if (Status status = validate(problem.bound.spec); !status.ok())
    return problem.op->emitError() << status.message();
  return success();
}

LogicalResult TorchReader::read(Operation *op) {
  if (auto overwrite = dyn_cast<OverwriteTensorContentsOp>(op)) {
    auto argument = dyn_cast<BlockArgument>(overwrite.getOverwritten());
    if (!argument || argument.getOwner() != &function.getBody().front())
      return refuse(op) << "it overwrites something else than an argument";
    if (overwrite.getValue().getType() != VTensorType::get(op->getContext(),
                                                           overwrite.getOverwritten().getType().getHasSizes(),
                                                           overwrite.getOverwritten().getType().getSizes(),
                                                           overwrite.getOverwritten().getType().getElementType()))
      return op->emitError() << "it writes a " << typeText(overwrite.getValue().getType()) << " into a "
                             << typeText(argument.getType());
    return deliver(op, overwrite.getValue(), static_cast<int>(argument.getArgNumber()));
  }
  if (isa<AtenEmptyMemoryFormatOp, AtenEmptyLikeOp>(op)) {
    auto type = staticTensor(op->getResult(0).getType());
    values[op->getResult(0)] = type ? TensorValue::ofMemory(TensorValue::Kind::ShapeOnly, 0, type->first, type->second)
                                    : TensorValue::other(op, "its shape is not static");
    return success();
  }
  if (std::optional<TensorValue> result = view(op)) {
    values[op->getResult(0)] = std::move(*result);
    return success();
  }
  if (auto both = dyn_cast<AtenConvolutionBackwardOp>(op))
    return backward(both);
  if (isa<AtenConvolutionOp, AtenUnderscoreConvolutionOp, AtenConv1dOp, AtenConv2dOp, AtenConv3dOp, AtenConv1dPaddingOp,
          AtenConv2dPaddingOp, AtenConv3dPaddingOp, AtenConvTranspose1dOp, AtenConvTranspose2dInputOp,
          AtenConvTranspose3dInputOp>(op))
    return convolution(op);
  if (isa<AtenMmOp, AtenBmmOp, AtenMatmulOp, AtenLinearOp>(op))
    return product(op);
  // Constants and lists are read where they are used; anything else stands in the way only of what uses it.
  for (Value result : op->getResults())
    if (isa<VTensorType, NonValueTensorType>(result.getType()))
      values[result] = TensorValue::other(op, "'" + op->getName().getStringRef().str() +
                                                  "' takes part; convolutions and views of their tensors are read");
  return success();
}

LogicalResult TorchReader::run() {
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return refuse(function) << "the function has no body of one block";
  if (failed(arguments()))
    return failure();
  for (Operation &op : function.getBody().front()) {
    if (auto end = dyn_cast<func::ReturnOp>(op)) {
      for (Value value : end.getOperands())
        if (failed(deliver(end, value, -1)))
          return failure();
      continue;
    }
    if (failed(read(&op)))
      return failure();
  }
  for (PendingProblem &problem : problems) {
    if (!problem.placed)
      continue;
    for (conv::TensorBinding &bound : problem.bound.tensors)
      if (!bound.isResult && binding.arguments[bound.index].use == ArgumentUse::Unused)
        binding.arguments[bound.index].use = ArgumentUse::Operand;
    binding.problems.push_back(problem.bound);
  }
  if (binding.problems.empty())
    return refuse(function) << "the function writes and returns no convolution";
  // Operands count @problem's arguments in order.
  int operands = 0;
  for (ArgumentBinding &argument : binding.arguments)
    if (argument.use == ArgumentUse::Operand)
      argument.tensor = operands++;
  return success();
}

} // namespace orzo::torch

namespace orzo {

static bool hasTorch(func::FuncOp function) {
  auto isTorch = [](Type type) { return isa<torch::TorchDialect>(type.getDialect()); };
  return llvm::any_of(function.getArgumentTypes(), isTorch) || llvm::any_of(function.getResultTypes(), isTorch) ||
         llvm::any_of(function.getOps(),
                      [](Operation &op) { return isa_and_nonnull<torch::TorchDialect>(op.getDialect()); });
}

bool isTorchModule(ModuleOp source) { return llvm::any_of(source.getOps<func::FuncOp>(), hasTorch); }

FailureOr<ImportedModule> importTorch(ModuleOp source) {
  func::FuncOp found;
  for (Operation &op : source.getBody()->getOperations()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function || found)
      return op.emitError("unsupported: expected a module of one function on torch tensors");
    found = function;
  }
  torch::TorchReader reader(found);
  if (failed(reader.run()))
    return failure();
  ImportedModule imported;
  imported.module = ModuleOp::create(UnknownLoc::get(source.getContext()));
  imported.binding = std::move(reader.binding);
  OpBuilder builder(source.getContext());
  builder.setInsertionPointToEnd(imported.module->getBody());
  for (auto [number, problem] : llvm::enumerate(imported.binding.problems))
    conv::createProblem(builder, problem.spec, number);
  return std::move(imported);
}

} // namespace orzo
