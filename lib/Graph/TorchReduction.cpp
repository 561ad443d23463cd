// Reductions in torch. The norms have an op of their own, so that none is spelled like a pointwise node and a sum.
#include "Graph/TorchOps.h"

#include <algorithm>
#include <cmath>

namespace orzo::graph {

static Extents reducedAxes(const Node &node, const Extents &dim) {
  const std::vector<int64_t> &axes = std::get<ReductionAttr>(node.attr).getAxes();
  Extents reduced;
  for (int64_t i = 0; i < static_cast<int64_t>(dim.size()); ++i)
    if (dim[i] != node.output->getDim()[i] || std::find(axes.begin(), axes.end(), i) != axes.end())
      reduced.push_back(i);
  return reduced;
}

/// prims.prod drops the dims; they come back one by one.
static TorchTensor emitProduct(TorchOps &ops, const Node &node, const TorchTensor &x, const Extents &axes) {
  const TensorAttr &y = *node.output;
  Extents kept;
  for (int64_t i = 0; i < static_cast<int64_t>(x.dim.size()); ++i)
    if (std::find(axes.begin(), axes.end(), i) == axes.end())
      kept.push_back(x.dim[i]);
  TorchTensor result = ops.tensor("prims.prod", {x, ops.integers("axes", axes), ops.none()}, y.getName() + "_product",
                                  kept, y.getDataType());
  for (int64_t axis : axes)
    result = ops.unsqueeze(result, axis, axis == axes.back() ? y.getName() : y.getName() + "_product");
  return result;
}

TorchTensor emitReduction(TorchOps &ops, const Node &node, const TorchTensor &x) {
  const TensorAttr &y = *node.output;
  ReductionMode mode = std::get<ReductionAttr>(node.attr).getMode();
  Extents axes = reducedAxes(node, x.dim);
  if (mode == ReductionMode::MUL)
    return emitProduct(ops, node, x, axes);
  if (mode == ReductionMode::MUL_NO_ZEROS) {
    TorchTensor isKept =
        ops.tensor("aten.ne.Scalar", {x, ops.real("zero", 0)}, ops.node + "_test", x.dim, DataType::Boolean);
    TorchTensor factors =
        ops.tensor("aten.where.ScalarOther", {isKept, x, ops.real("one", 1)}, ops.node + "_factors", x.dim, x.type);
    return emitProduct(ops, node, factors, axes);
  }
  auto dims = [&] { return ops.integers("axes", axes); };
  auto keep = [&] { return ops.boolean("keepdim", true); };
  auto dtype = [&] {
    return x.type == y.getDataType() ? ops.none() : ops.integer("dtype", torchScalarType(y.getDataType()));
  };
  auto result = [&](const char *mnemonic, const std::vector<TorchValue> &operands) {
    return ops.tensor(mnemonic, operands, y.getName(), y.getDim(), y.getDataType());
  };
  auto norm = [&](double order) {
    return result("aten.linalg_vector_norm", {x, ops.real("order", order), dims(), keep(), dtype()});
  };
  switch (mode) {
    using enum ReductionMode;
  case AVG:
    return result("aten.mean.dim", {x, dims(), keep(), dtype()});
  case MIN:
    return result("aten.amin", {x, dims(), keep()});
  case MAX:
    return result("aten.amax", {x, dims(), keep()});
  case AMAX:
    return norm(INFINITY);
  case NORM1:
    return norm(1);
  case NORM2:
    return norm(2);
  default:
    return result("aten.sum.dim_IntList", {x, dims(), keep(), dtype()});
  }
}

} // namespace orzo::graph
