#include "Dialect/Gemm/GemmDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

#include "Dialect/Gemm/GemmDialect.cpp.inc"
#include "Dialect/Gemm/GemmInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Gemm/GemmAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "Dialect/Gemm/GemmOps.cpp.inc"

namespace orzo::gemm {

void GemmDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Dialect/Gemm/GemmAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Dialect/Gemm/GemmOps.cpp.inc"
      >();
}

std::array<Role, 3> operandRoles(const Problem &problem) {
  if (const auto *contraction = std::get_if<Contraction>(&problem))
    return {contraction->lhs, contraction->rhs, contraction->out};
  switch (std::get<ConvSpec>(problem).direction) {
  case Direction::FProp:
    return {Role::X, Role::W, Role::Y};
  case Direction::DGrad:
    return {Role::Y, Role::W, Role::X};
  case Direction::WGrad:
    break;
  }
  return {Role::X, Role::Y, Role::W};
}

std::vector<ElementMap> elementMapsOf(mlir::Operation *op) {
  std::vector<ElementMap> maps;
  if (auto attributes = op->getAttrOfType<mlir::ArrayAttr>("extra_maps"))
    for (auto map : attributes.getAsRange<ElementMapAttr>())
      maps.push_back(map.getMap());
  return maps;
}

bool isIdentity(mlir::Region &epilogue) {
  mlir::Block &block = epilogue.front();
  return block.getNumArguments() == 1 && !block.empty() && &block.front() == &block.back() &&
         block.back().getNumOperands() == 1 && block.back().getOperand(0) == block.getArgument(0);
}

void collectEffects(mlir::Operation *op,
                    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects) {
  auto gemm = mlir::cast<GemmOpInterface>(op);
  if (!mlir::isa<mlir::MemRefType>(gemm.getOutValue().getType()))
    return;
  for (mlir::OpOperand &operand : op->getOpOperands())
    if (operand.getOperandNumber() == 2)
      effects.emplace_back(mlir::MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(mlir::MemoryEffects::Read::get(), &operand);
}

} // namespace orzo::gemm
