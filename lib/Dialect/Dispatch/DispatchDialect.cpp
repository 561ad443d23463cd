#include "Dialect/Dispatch/DispatchDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"

#include "Dialect/Dispatch/DispatchDialect.cpp.inc"

#define GET_OP_CLASSES
#include "Dialect/Dispatch/DispatchOps.cpp.inc"

namespace orzo::dispatch {

void DispatchDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Dialect/Dispatch/DispatchOps.cpp.inc"
      >();
}

void collectStepEffects(
    mlir::DestinationStyleOpInterface step,
    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects) {
  for (mlir::OpOperand &operand : step->getOpOperands())
    if (mlir::isa<mlir::MemRefType>(operand.get().getType())) {
      if (step.isDpsInit(&operand))
        effects.emplace_back(mlir::MemoryEffects::Write::get(), &operand);
      else
        effects.emplace_back(mlir::MemoryEffects::Read::get(), &operand);
    }
}

void FuncOp::build(mlir::OpBuilder &builder, mlir::OperationState &state, llvm::StringRef name, mlir::TypeRange slots) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name),
                     mlir::TypeAttr::get(builder.getFunctionType(slots, mlir::TypeRange())));
  llvm::SmallVector<mlir::Location> locations(slots.size(), state.location);
  builder.createBlock(state.addRegion(), {}, slots, locations);
}

mlir::ParseResult FuncOp::parse(mlir::OpAsmParser &parser, mlir::OperationState &result) {
  auto makeType = [](mlir::Builder &builder, llvm::ArrayRef<mlir::Type> arguments, llvm::ArrayRef<mlir::Type> results,
                     mlir::function_interface_impl::VariadicFlag,
                     std::string &) { return builder.getFunctionType(arguments, results); };
  return mlir::function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), makeType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(mlir::OpAsmPrinter &printer) {
  mlir::function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                                 getArgAttrsAttrName(), getResAttrsAttrName());
}

} // namespace orzo::dispatch
