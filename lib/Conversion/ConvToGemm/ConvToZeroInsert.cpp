#include "Conversion/ConvToGemm/ConvToZeroInsert.h"

#include "Dialect/Dispatch/DispatchDialect.h"
#include "Dialect/Gemm/GemmDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace orzo {

namespace {

struct CopyBox {
  llvm::SmallVector<int64_t> extents, sourceStrides, targetStrides;
  int64_t sourceOffset = 0, targetOffset = 0;

  /// Appends an inner dim, merged into the one before it where both sides step evenly from one to the other.
  void append(int64_t extent, int64_t sourceStride, int64_t targetStride) {
    if (extent == 1)
      return;
    if (!extents.empty() && sourceStrides.back() == extent * sourceStride &&
        targetStrides.back() == extent * targetStride) {
      extents.back() *= extent;
      sourceStrides.back() = sourceStride;
      targetStrides.back() = targetStride;
      return;
    }
    extents.push_back(extent);
    sourceStrides.push_back(sourceStride);
    targetStrides.push_back(targetStride);
  }
};

} // namespace

/// The axis of the source problem that `axis` of the dense one is: a dgrad's C and K have changed places.
static Axis sourceAxis(Axis axis, Direction source) {
  if (source != Direction::DGrad)
    return axis;
  return axis == Axis::C ? Axis::K : axis == Axis::K ? Axis::C : axis;
}

static CopyBox boxOf(const ConvSpec &spec, Role role, const ConvSpec &dense, Role denseRole, const Spread &spread) {
  CopyBox box;
  for (Axis axis : dense.layout(denseRole)) {
    Axis source = sourceAxis(axis, spec.direction);
    int64_t sourceStride = spec.elementStride(role, source), targetStride = dense.elementStride(denseRole, axis);
    if (!isSpatial(axis)) {
      box.append(dense.extent(denseRole, axis), sourceStride, targetStride);
      continue;
    }
    const SpreadDim &dim = spread.dims[spatialIndex(axis)];
    int64_t first = dim.mirror ? spec.extent(role, source) - 1 - dim.first : dim.first;
    box.sourceOffset += first * sourceStride;
    box.targetOffset += dim.begin * targetStride;
    box.append(dim.count, dim.mirror ? -sourceStride : sourceStride, dim.step * targetStride);
  }
  return box;
}

/// Whether some element is copied at all: all of an operand may be cropped away.
static bool copiesAny(const Spread &spread) {
  return llvm::all_of(spread.dims, [](const SpreadDim &dim) { return dim.count > 0; });
}

mlir::Value buildZeroInsert(mlir::OpBuilder &builder, conv::ConvOpInterface conv, const ZeroInsertion &insertion) {
  mlir::Location location = conv.getLoc();
  mlir::MLIRContext *context = builder.getContext();
  ConvSpec spec = conv.getSpec();
  const ConvSpec &dense = insertion.dense;
  std::array<mlir::Value, 3> operands;
  for (Role denseRole : operandRoles(dense.direction)) {
    Role role = insertion.denseRoles[int(denseRole)];
    const Spread &spread = insertion.spreads[int(role)];
    mlir::Value source = conv.getTensor(role);
    operands[int(denseRole)] = source;
    if (!spread.needed)
      continue;
    mlir::RankedTensorType type = conv::tensorType(context, dense, denseRole);
    mlir::Value target = mlir::tensor::EmptyOp::create(builder, location, type.getShape(), type.getElementType());
    std::string roleName(name(role));
    if (spread.fill)
      target =
          dispatch::FillOp::create(builder, location, type, "fill_" + roleName + "_zero", target, 0).getResult()[0];
    if (copiesAny(spread)) {
      CopyBox box = boxOf(spec, role, dense, denseRole, spread);
      std::string verb = role == Role::W ? "_flip" : "_spread";
      target = dispatch::CopyOp::create(builder, location, type, "copy_" + roleName + verb, source, target, box.extents,
                                        box.sourceOffset, box.sourceStrides, box.targetOffset, box.targetStrides,
                                        /*transpose=*/false)
                   .getResult()[0];
    }
    operands[int(denseRole)] = target;
  }
  mlir::RankedTensorType type = conv::tensorType(context, dense, resultRole(dense.direction));
  mlir::Value out = mlir::tensor::EmptyOp::create(builder, location, type.getShape(), type.getElementType());
  auto problem = conv::SpecAttr::get(context, dense);
  if (dense.direction == Direction::WGrad)
    return gemm::WgradOp::create(builder, location, operands[int(Role::X)], operands[int(Role::Y)], out, problem)
        ->getResult(0);
  return gemm::ImplicitOp::create(builder, location, operands[int(Role::X)], operands[int(Role::W)], out, problem)
      ->getResult(0);
}

} // namespace orzo
