#include "Import/Torch/TensorValue.h"

#include "Dialect/Compat/Torch/TorchDialect.h"

#include <numeric>

using namespace mlir;

namespace orzo::torch {

TensorValue TensorValue::ofMemory(Kind kind, int index, ArrayRef<int64_t> shape, Type elementType) {
  TensorValue value;
  value.kind = kind;
  value.index = index;
  value.memory.assign(shape.begin(), shape.end());
  value.shape = value.memory;
  value.dims.resize(shape.size());
  std::iota(value.dims.begin(), value.dims.end(), 0);
  value.elementType = elementType;
  return value;
}

TensorValue TensorValue::other(Operation *culprit, std::string reason) {
  TensorValue value;
  value.culprit = culprit;
  value.reason = std::move(reason);
  return value;
}

TensorValue TensorValue::permuted(ArrayRef<int64_t> order) const {
  TensorValue view = *this;
  for (auto [position, source] : llvm::enumerate(order)) {
    view.dims[position] = dims[source];
    view.shape[position] = shape[source];
  }
  return view;
}

std::optional<TensorValue> TensorValue::reshaped(ArrayRef<int64_t> newShape) const {
  TensorValue view = *this;
  view.shape.assign(newShape.begin(), newShape.end());
  view.dims.clear();
  // Dims longer than 1 in order; those of extent 1 are in no memory dim afterwards.
  SmallVector<int> longDims;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] != 1)
      longDims.push_back(static_cast<int>(dim));
  size_t next = 0;
  bool same = true;
  for (int64_t extent : newShape) {
    if (extent == 1) {
      view.dims.push_back(-1);
      continue;
    }
    same &= next < longDims.size() && shape[longDims[next]] == extent;
    if (!same)
      break;
    view.dims.push_back(dims[longDims[next++]]);
  }
  if (same && next == longDims.size())
    return view;
  // The memory in its own order may be read in any shape.
  int last = -1;
  for (int dim : longDims) {
    if (dims[dim] < last)
      return std::nullopt;
    last = dims[dim];
  }
  if (kind != Kind::Argument)
    return std::nullopt;
  return ofMemory(kind, index, newShape, elementType);
}

std::optional<std::pair<SmallVector<int64_t>, Type>> staticTensor(Type type) {
  auto known = [](auto tensor) -> std::optional<std::pair<SmallVector<int64_t>, Type>> {
    if (!tensor.getHasSizes() || !tensor.getElementType() ||
        llvm::any_of(tensor.getSizes(), [](int64_t size) { return ShapedType::isDynamic(size); }))
      return std::nullopt;
    return std::pair(SmallVector<int64_t>(tensor.getSizes()), tensor.getElementType());
  };
  if (auto tensor = dyn_cast<VTensorType>(type))
    return known(tensor);
  if (auto tensor = dyn_cast<NonValueTensorType>(type))
    return known(tensor);
  return std::nullopt;
}

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "a scalar" : text;
}

} // namespace orzo::torch
