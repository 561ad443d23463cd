#include "Import/Spec/ImportSpec.h"

#include "Dialect/Conv/Transforms/Passes.h"

#include "mlir/IR/Builders.h"

namespace orzo {

mlir::OwningOpRef<mlir::ModuleOp> importSpec(mlir::MLIRContext &context, const ConvSpec &spec) {
  mlir::OpBuilder builder(&context);
  mlir::Location location = builder.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location);
  builder.setInsertionPointToStart(module->getBody());
  conv::createProblem(builder, spec);
  return module;
}

} // namespace orzo
