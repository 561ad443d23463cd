#include "orzo/Graph/TensorAttr.h"

#include "Graph/NodeRules.h"
#include "Graph/Strides.h"

#include <algorithm>

namespace orzo::graph {

int64_t TensorAttr::getVolume() const { return volume(dim).value_or(0); }

int64_t TensorAttr::getSpan() const { return stride.size() == dim.size() ? span(dim, stride).value_or(0) : 0; }

std::vector<int64_t> TensorAttr::getPhysicalDim() const {
  if (stride.size() != dim.size())
    return dim;
  std::vector<int> order = memoryOrder(dim, stride);
  std::vector<int64_t> physical(dim.size() - order.size(), 1);
  for (int i : order)
    physical.push_back(dim[i]);
  return physical;
}

void TensorInference::setName(TensorAttr &tensor, std::string value) {
  tensor.name = std::move(value);
  tensor.inferred.name = true;
}

void TensorInference::setDim(TensorAttr &tensor, Extents value) {
  tensor.dim = std::move(value);
  tensor.inferred.dim = true;
}

void TensorInference::setStride(TensorAttr &tensor, Extents value) {
  tensor.stride = std::move(value);
  tensor.inferred.stride = true;
}

void TensorInference::setType(TensorAttr &tensor, DataType value) {
  tensor.type = value;
  tensor.inferred.type = true;
}

void TensorInference::clear(TensorAttr &tensor) {
  if (tensor.inferred.name)
    tensor.name.clear();
  if (tensor.inferred.dim)
    tensor.dim.clear();
  if (tensor.inferred.stride)
    tensor.stride.clear();
  if (tensor.inferred.type)
    tensor.type = DataType::NotSet;
  tensor.inferred = {};
}

} // namespace orzo::graph
