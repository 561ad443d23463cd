#include "Conversion/ConvToLinalg/Forms.h"

#include <algorithm>

using namespace mlir;

namespace orzo {

namespace {

int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// Element i of a source dim goes to position begin + step*i of a dim of `extent` zeros, where that lies inside.
struct Placing {
  int64_t begin = 0, step = 1, extent = 1;
};

/// The windows run over an image: x, or a dgrad's y between zeros.
class WindowBuilder {
public:
  WindowBuilder(LinalgBuilder &linalg, const ConvSpec &spec, const RoleValues &tensors)
      : linalg(linalg), spec(spec), tensors(tensors), result(resultRole(spec.direction)),
        imageRole(spec.direction == Direction::DGrad ? Role::Y : Role::X) {}

  Value build() {
    RoleValues operands = tensors;
    operands[int(imageRole)] = placed(tensors[int(imageRole)]);
    if (result != Role::W)
      operands[int(Role::W)] = linalg.mirror(tensors[int(Role::W)], mirrored());
    Role other = result == Role::W ? Role::Y : Role::W;
    setLoops();
    Value init = linalg.zeros(spec.shape(result), conv::elementType(linalg.builder.getContext(), spec.accumulate),
                              /*constant=*/false);
    Value sum = linalg.multiplyAdd(operands[int(imageRole)], operands[int(other)], init,
                                   {mapOf(imageRole), mapOf(other), mapOf(result)}, iterators);
    Value rounded = linalg.round(sum, conv::elementType(linalg.builder.getContext(), spec.type(result)));
    return result == Role::W ? linalg.mirror(rounded, mirrored()) : rounded;
  }

private:
  /// A dgrad reads its filter from the far end, unless it is stored so.
  SmallVector<bool> mirrored() const {
    SmallVector<bool> dims;
    for (Axis axis : spec.layout(Role::W)) {
      bool isLong = isSpatial(axis) && spec.extent(Role::W, axis) > 1;
      dims.push_back(isLong && spec.spatial[spatialIndex(axis)].flip != (spec.direction == Direction::DGrad));
    }
    return dims;
  }

  Placing placingOf(const SpatialDim &dim) const {
    int64_t reach = dim.dilation * (dim.filter - 1);
    if (spec.direction == Direction::DGrad)
      return {reach - dim.padLow, dim.stride, dim.in + reach};
    return {dim.padLow, 1, (dim.out - 1) * dim.stride + reach + 1};
  }

  /// The image as the windows read it: cropped, between zeros.
  Value placed(Value value) {
    SmallVector<DimRange> taken, target;
    SmallVector<int64_t> shape;
    bool spreads = false, isEmpty = false;
    for (Axis axis : spec.layout(imageRole)) {
      int64_t size = spec.extent(imageRole, axis);
      if (!isSpatial(axis)) {
        taken.push_back({0, size, 1});
        target.push_back({0, size, 1});
        shape.push_back(size);
        continue;
      }
      Placing placing = placingOf(spec.spatial[spatialIndex(axis)]);
      int64_t first = std::max<int64_t>(0, -floorDivide(placing.begin, placing.step));
      int64_t last = std::min(size - 1, floorDivide(placing.extent - 1 - placing.begin, placing.step));
      int64_t count = std::max<int64_t>(0, last - first + 1);
      taken.push_back({first, count, 1});
      target.push_back({placing.begin + placing.step * first, count, count > 1 ? placing.step : 1});
      shape.push_back(placing.extent);
      spreads |= target.back().stride > 1;
      isEmpty |= count == 0;
    }
    Type type = LinalgBuilder::typeOf(value).getElementType();
    if (isEmpty)
      return linalg.zeros(shape, type, /*constant=*/true);
    value = linalg.slice(value, taken);
    if (spreads)
      return linalg.insert(value, linalg.zeros(shape, type, /*constant=*/true), target);
    SmallVector<int64_t> low, high;
    for (auto [extent, range] : llvm::zip_equal(shape, target)) {
      low.push_back(range.offset);
      high.push_back(extent - range.offset - range.size);
    }
    return linalg.pad(value, low, high);
  }

  /// Loops: the result's axes in memory order, then what is summed over, in the image's.
  void setLoops() {
    auto loopOf = [&](Role role, Axis axis) -> int & {
      if (!isSpatial(axis))
        return channelLoop[int(axis)];
      return role == Role::W ? tapLoop[spatialIndex(axis)] : windowLoop[spatialIndex(axis)];
    };
    for (Axis axis : spec.layout(result)) {
      loopOf(result, axis) = int(iterators.size());
      iterators.push_back(utils::IteratorType::parallel);
    }
    for (Axis axis : spec.layout(imageRole)) {
      int &loop = isSpatial(axis) && result != Role::W ? tapLoop[spatialIndex(axis)] : loopOf(imageRole, axis);
      if (loop >= 0)
        continue;
      loop = int(iterators.size());
      iterators.push_back(utils::IteratorType::reduction);
    }
  }

  AffineMap mapOf(Role role) {
    OpBuilder &builder = linalg.builder;
    SmallVector<AffineExpr> indices;
    for (Axis axis : spec.layout(role)) {
      if (!isSpatial(axis)) {
        indices.push_back(builder.getAffineDimExpr(channelLoop[int(axis)]));
        continue;
      }
      int index = spatialIndex(axis);
      AffineExpr window = builder.getAffineDimExpr(windowLoop[index]), tap = builder.getAffineDimExpr(tapLoop[index]);
      const SpatialDim &dim = spec.spatial[index];
      if (role == imageRole)
        indices.push_back(window * (spec.direction == Direction::DGrad ? 1 : dim.stride) + tap * dim.dilation);
      else
        indices.push_back(role == Role::W ? tap : window);
    }
    return AffineMap::get(iterators.size(), 0, indices, builder.getContext());
  }

  LinalgBuilder &linalg;
  const ConvSpec &spec;
  const RoleValues &tensors;
  Role result, imageRole;
  int channelLoop[4] = {-1, -1, -1, -1}, windowLoop[3] = {-1, -1, -1}, tapLoop[3] = {-1, -1, -1};
  SmallVector<utils::IteratorType> iterators;
};

} // namespace

Value buildWindow(LinalgBuilder &linalg, const ConvSpec &spec, const RoleValues &tensors) {
  return WindowBuilder(linalg, spec, tensors).build();
}

} // namespace orzo
