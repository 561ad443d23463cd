#include "Compiler/ProgramWriter.h"

namespace orzo {

DataType elementOf(mlir::Value value) {
  return conv::dataType(mlir::cast<mlir::ShapedType>(value.getType()).getElementType()).take();
}

Nest nestOfKernel(gemm::GemmOpInterface kernel) {
  gemm::Problem problem = kernel.problem();
  if (const auto *contraction = std::get_if<Contraction>(&problem))
    return nestOf(*contraction, elementOf(kernel.getLhsValue()), elementOf(kernel.getRhsValue()),
                  elementOf(kernel.getOutValue()));
  return nestOf(std::get<ConvSpec>(problem));
}

std::array<unsigned, 3> kernelArguments(const gemm::Problem &problem, const std::array<Role, 3> &slots) {
  std::array<Role, 3> roles = gemm::operandRoles(problem);
  std::array<unsigned, 3> arguments = {};
  for (size_t slot = 0; slot < 3; ++slot)
    for (unsigned argument = 0; argument < 3; ++argument)
      if (roles[argument] == slots[slot])
        arguments[slot] = argument;
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
  slot.bytes = type.getNumElements() * int64_t(byteSize(elementOf(value)));
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
  step.elementBytes = int64_t(byteSize(elementOf(copy.getIns())));
  step.sourceOffset = copy.getSourceOffset();
  step.targetOffset = copy.getTargetOffset();
  for (auto [extent, source, target] :
       llvm::zip_equal(copy.getExtents(), copy.getSourceStrides(), copy.getTargetStrides()))
    step.copyDims.push_back({extent, source, target});
  step.isTranspose = copy.getTranspose();
  image.steps.push_back(std::move(step));
}

} // namespace orzo
