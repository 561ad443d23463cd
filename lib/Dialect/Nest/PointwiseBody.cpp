#include "Dialect/Nest/PointwiseBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace orzo::nest {

mlir::Value buildPointwise(mlir::OpBuilder &builder, mlir::Location location, PointwiseMode mode,
                           const PointwiseParameters &parameters, mlir::ValueRange inputs) {
  mlir::Value zero = mlir::arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(0));
  switch (mode) {
  case PointwiseMode::ADD:
    return mlir::arith::AddFOp::create(builder, location, inputs[0], inputs[1]);
  case PointwiseMode::MUL:
    return mlir::arith::MulFOp::create(builder, location, inputs[0], inputs[1]);
  case PointwiseMode::RELU_FWD:
    return mlir::arith::MaximumFOp::create(builder, location, inputs[0], zero);
  case PointwiseMode::RELU_BWD: {
    mlir::Value positive =
        mlir::arith::CmpFOp::create(builder, location, mlir::arith::CmpFPredicate::OGT, inputs[1], zero);
    return mlir::arith::SelectOp::create(builder, location, positive, inputs[0], zero);
  }
  default:
    return inputs[0];
  }
}

} // namespace orzo::nest
