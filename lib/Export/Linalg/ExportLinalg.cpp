#include "Export/Linalg/ExportLinalg.h"

#include "Conversion/ConvToLinalg/LinalgBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace orzo {

/// The shape of `role` as users see it: one dim for a group axis and the channels just behind it.
static llvm::SmallVector<int64_t> outerShape(const ConvSpec &spec, Role role) {
  Axis split = role == Role::X ? Axis::C : Axis::K;
  llvm::SmallVector<int64_t> shape;
  const Layout &layout = spec.layout(role);
  for (size_t i = 0; i < layout.size(); ++i) {
    bool isMerged = layout[i] == Axis::G && i + 1 < layout.size() && layout[i + 1] == split;
    shape.push_back(spec.extent(role, layout[i]) * (isMerged ? spec.extent(role, split) : 1));
    i += isMerged;
  }
  return shape;
}

static std::array<Role, 2> argumentRoles(Direction direction) {
  switch (direction) {
  case Direction::FProp:
    return {Role::X, Role::W};
  case Direction::DGrad:
    return {Role::Y, Role::W};
  case Direction::WGrad:
    break;
  }
  return {Role::Y, Role::X};
}

LinalgExport exportLinalg(mlir::MLIRContext &context, const ConvSpec &spec, LinalgForm form) {
  context.loadDialect<conv::ConvDialect, mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                      mlir::tensor::TensorDialect, mlir::arith::ArithDialect>();
  mlir::OpBuilder builder(&context);
  mlir::Location location = builder.getUnknownLoc();
  LinalgExport out{mlir::ModuleOp::create(location), {}};
  builder.setInsertionPointToStart(out.module->getBody());
  auto outerType = [&](Role role) {
    return mlir::RankedTensorType::get(outerShape(spec, role), conv::elementType(&context, spec.type(role)));
  };
  llvm::SmallVector<mlir::Type> arguments;
  for (Role role : argumentRoles(spec.direction))
    arguments.push_back(outerType(role));
  Role result = resultRole(spec.direction);
  auto function = mlir::func::FuncOp::create(builder, location, "main",
                                             builder.getFunctionType(arguments, mlir::Type(outerType(result))));
  builder.setInsertionPointToStart(function.addEntryBlock());
  LinalgBuilder linalg(builder, location);
  std::array<mlir::Value, 3> tensors;
  for (auto [role, argument] : llvm::zip_equal(argumentRoles(spec.direction), function.getArguments()))
    tensors[int(role)] = linalg.reshape(argument, spec.shape(role));
  std::array<Role, 2> operands = operandRoles(spec.direction);
  conv::ConvOpInterface conv =
      conv::createConv(builder, location, spec, tensors[int(operands[0])], tensors[int(operands[1])]);
  mlir::Value returned = linalg.reshape(conv->getResult(0), outerShape(spec, result));
  mlir::func::ReturnOp::create(builder, location, returned);
  out.choice = convToLinalg(conv, form);
  return out;
}

} // namespace orzo
