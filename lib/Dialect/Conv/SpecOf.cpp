#include "Dialect/Conv/ConvDialect.h"

#include "mlir/IR/Builders.h"

#include <algorithm>

namespace orzo::conv {

mlir::Type elementType(mlir::MLIRContext *context, DataType type) {
  mlir::Builder builder(context);
  switch (type) {
  case DataType::F32:
    return builder.getF32Type();
  case DataType::BF16:
    return builder.getBF16Type();
  case DataType::F16:
    break;
  }
  return builder.getF16Type();
}

Expected<DataType> dataType(mlir::Type type) {
  if (type.isF32())
    return DataType::F32;
  if (type.isBF16())
    return DataType::BF16;
  if (type.isF16())
    return DataType::F16;
  std::string spelled;
  llvm::raw_string_ostream(spelled) << type;
  return Status::invalidArgument("element type " + spelled + " is none of f32, bf16, f16");
}

mlir::RankedTensorType tensorType(mlir::MLIRContext *context, const ConvSpec &spec, Role role) {
  return mlir::RankedTensorType::get(spec.shape(role), elementType(context, spec.type(role)));
}

/// The extent of `axis` in the tensor, 1 where its layout leaves the axis out.
static int64_t extentIn(mlir::ShapedType tensor, const Layout &layout, Axis axis) {
  auto found = std::find(layout.begin(), layout.end(), axis);
  return found == layout.end() ? 1 : tensor.getDimSize(found - layout.begin());
}

static std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string line;
  for (int64_t extent : shape)
    line += (line.empty() ? "" : "x") + std::to_string(extent);
  return line.empty() ? "(none)" : line;
}

Expected<ConvSpec> specOf(mlir::Operation *op) {
  auto conv = mlir::cast<ConvOpInterface>(op);
  GeometryAttr geometry = conv.getGeometry();
  if (geometry.rank() > 3)
    return Status::invalidArgument("geometry has " + std::to_string(geometry.rank()) + " spatial dims; at most 3 work");
  ConvSpec spec;
  spec.direction = conv.getDirection();
  spec.groups = geometry.getGroups();
  spec.spatial.resize(geometry.rank());

  Expected<DataType> accumulate = dataType(geometry.getAccumulate());
  if (!accumulate)
    return accumulate.status().within("acc");
  spec.accumulate = *accumulate;
  std::array<mlir::ShapedType, 3> tensors;
  const std::array<llvm::StringRef, 3> letters = {geometry.getX(), geometry.getW(), geometry.getY()};
  for (Role role : {Role::X, Role::W, Role::Y}) {
    int index = static_cast<int>(role);
    tensors[index] = mlir::cast<mlir::ShapedType>(conv.getTensor(role).getType());
    Expected<Layout> layout = parseLayout(letters[index], role, spec.rank());
    if (!layout)
      return layout.status();
    spec.layout(role) = *layout;
    if (tensors[index].getRank() != static_cast<int64_t>(layout->size()))
      return Status::invalidArgument(std::string(name(role)) + " has " + std::to_string(tensors[index].getRank()) +
                                     " dims, but its layout \"" + letters[index].str() + "\" has " +
                                     std::to_string(layout->size()));
    Expected<DataType> type = dataType(tensors[index].getElementType());
    if (!type)
      return type.status().within(name(role));
    spec.type(role) = *type;
  }

  auto extent = [&](Role role, Axis axis) {
    return extentIn(tensors[static_cast<int>(role)], spec.layout(role), axis);
  };
  spec.n = extent(Role::X, Axis::N);
  // With no legal group count there is no channel count either; validate() then names the groups.
  int64_t groups = std::max<int64_t>(spec.groups, 1);
  if (__builtin_mul_overflow(extent(Role::X, Axis::C), groups, &spec.c) ||
      __builtin_mul_overflow(extent(Role::Y, Axis::K), groups, &spec.k))
    return Status::invalidArgument("groups times the channels of one group must fit 64 bits; got groups " +
                                   std::to_string(groups));
  for (int dim = 0; dim < spec.rank(); ++dim)
    spec.spatial[dim] = {extent(Role::X, spatialAxis(dim)),
                         extent(Role::W, spatialAxis(dim)),
                         extent(Role::Y, spatialAxis(dim)),
                         geometry.getStride()[dim],
                         geometry.getDilation()[dim],
                         geometry.getPadLow()[dim],
                         geometry.getFlip()[dim]};
  if (Status status = validate(spec); !status.ok())
    return status;
  for (Role role : {Role::X, Role::W, Role::Y}) {
    std::vector<int64_t> expected = spec.shape(role);
    llvm::ArrayRef<int64_t> got = tensors[static_cast<int>(role)].getShape();
    if (!std::equal(expected.begin(), expected.end(), got.begin(), got.end()))
      return Status::invalidArgument(std::string(name(role)) + " is " + shapeText(got) +
                                     ", but the other tensors and "
                                     "groups make it " +
                                     shapeText(expected) + " in layout \"" + letters[static_cast<int>(role)].str() +
                                     "\"");
  }
  return spec;
}

} // namespace orzo::conv
