#include "Compiler/ProgramWriter.h"

#include "Dialect/Nest/NestDialect.h"

namespace orzo {

DataType elementOf(mlir::Value value) {
  return conv::dataType(mlir::cast<mlir::ShapedType>(value.getType()).getElementType()).take();
}

/// Bytes of one element of a slot.
static int64_t elementBytes(mlir::Value value) {
  return (mlir::cast<mlir::ShapedType>(value.getType()).getElementTypeBitWidth() + 7) / 8;
}

Status atValueOf(mlir::Operation *op, Status status) {
  if (auto name = op->getLoc()->findInstanceOf<mlir::NameLoc>())
    return status.within(name.getName().str());
  return status;
}

Nest nestOfKernel(gemm::GemmOpInterface kernel) {
  gemm::Problem problem = kernel.problem();
  if (const auto *contraction = std::get_if<Contraction>(&problem))
    return nestOf(*contraction, elementOf(kernel.getLhsValue()), elementOf(kernel.getRhsValue()),
                  elementOf(kernel.getOutValue()));
  Nest nest = nestOf(std::get<ConvSpec>(problem));
  nest.outType = elementOf(kernel.getOutValue());
  return nest;
}

Epilogue epilogueOf(gemm::GemmOpInterface kernel) {
  Epilogue epilogue;
  if (kernel.hasIdentityEpilogue())
    return epilogue;
  epilogue.body = &kernel.getEpilogueRegion();
  for (auto [value, map] : llvm::zip_equal(kernel.getExtraValues(), kernel.getElementMaps()))
    epilogue.extras.push_back({nest::typeOf(value), map});
  return epilogue;
}

llvm::SmallVector<unsigned> kernelArguments(gemm::GemmOpInterface kernel, const std::array<Role, 3> &slots) {
  std::array<Role, 3> roles = gemm::operandRoles(kernel.problem());
  llvm::SmallVector<unsigned> operands = dispatch::FuncOp::argumentsOf(kernel);
  llvm::SmallVector<unsigned> arguments = operands;
  for (size_t slot = 0; slot < 3; ++slot)
    for (size_t operand = 0; operand < 3; ++operand)
      if (roles[operand] == slots[slot])
        arguments[slot] = operands[operand];
  return arguments;
}

void ProgramWriter::write(dispatch::ProgramOp program) {
  int32_t bindings = 0;
  for (mlir::Operation &op : program.getBody().front()) {
    if (auto binding = mlir::dyn_cast<dispatch::BindingOp>(op))
      addSlot(binding.getSlot(), {bindings++, 0, 0});
    else if (auto piece = mlir::dyn_cast<dispatch::WorkspaceOp>(op))
      addSlot(piece.getSlot(), {-1, static_cast<int64_t>(piece.getOffset()), 0});
    else if (auto run = mlir::dyn_cast<dispatch::RunOp>(op)) {
      std::vector<int32_t> slots;
      for (mlir::Value operand : run->getOperands())
        slots.push_back(slotOf[operand]);
      addRun(run, slots);
    } else if (auto fill = mlir::dyn_cast<dispatch::FillOp>(op))
      addFill(fill);
    else
      addCopy(mlir::cast<dispatch::CopyOp>(op));
  }
}

void ProgramWriter::addSlot(mlir::Value value, ArtifactSlot slot) {
  auto type = mlir::cast<mlir::MemRefType>(value.getType());
  slot.bytes = type.getNumElements() * elementBytes(value);
  slotOf[value] = static_cast<int32_t>(image.slots.size());
  image.slots.push_back(slot);
}

void ProgramWriter::addFill(dispatch::FillOp fill) {
  ArtifactStep step;
  step.kind = ArtifactStep::Kind::Fill;
  step.name = fill.getName().str();
  step.slots = {slotOf[fill.getOuts()]};
  step.fillByte = static_cast<uint8_t>(fill.getByte());
  image.steps.push_back(std::move(step));
}

void ProgramWriter::addCopy(dispatch::CopyOp copy) {
  ArtifactStep step;
  step.kind = ArtifactStep::Kind::Copy;
  step.name = copy.getName().str();
  step.slots = {slotOf[copy.getIns()], slotOf[copy.getOuts()]};
  step.elementBytes = elementBytes(copy.getIns());
  step.sourceOffset = copy.getSourceOffset();
  step.targetOffset = copy.getTargetOffset();
  for (auto [extent, source, target] :
       llvm::zip_equal(copy.getExtents(), copy.getSourceStrides(), copy.getTargetStrides()))
    step.copyDims.push_back({extent, source, target});
  step.isTranspose = copy.getTranspose();
  image.steps.push_back(std::move(step));
}

} // namespace orzo
