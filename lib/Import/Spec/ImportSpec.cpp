#include "Import/Spec/ImportSpec.h"

#include "Dialect/Conv/ConvDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace orzo {

mlir::OwningOpRef<mlir::ModuleOp> importSpec(mlir::MLIRContext &context, const ConvSpec &spec) {
  mlir::OpBuilder builder(&context);
  mlir::Location location = builder.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location);
  builder.setInsertionPointToStart(module->getBody());
  llvm::SmallVector<mlir::Type> operands;
  for (Role role : operandRoles(spec.direction))
    operands.push_back(conv::tensorType(&context, spec, role));
  mlir::Type result = conv::tensorType(&context, spec, resultRole(spec.direction));
  auto function = mlir::func::FuncOp::create(builder, location, "problem", builder.getFunctionType(operands, result));
  builder.setInsertionPointToStart(function.addEntryBlock());
  conv::ConvOpInterface conv =
      conv::createConv(builder, location, spec, function.getArgument(0), function.getArgument(1));
  mlir::func::ReturnOp::create(builder, location, conv->getResults());
  return module;
}

} // namespace orzo
