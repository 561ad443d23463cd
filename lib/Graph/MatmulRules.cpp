#include "Graph/NodeRules.h"

#include <algorithm>

namespace orzo::graph {

namespace {

Extents batchOf(const TensorAttr &tensor) { return {tensor.getDim().begin(), tensor.getDim().end() - 2}; }

Status preValidate(const Node &node) {
  const TensorAttr &a = *node.inputs[0], &b = *node.inputs[1];
  for (const TensorPtr &input : node.inputs) {
    size_t rank = input->getDim().size();
    if (rank < 2)
      return invalid(node, *input, "must have at least 2 dims (rows and columns); got " + text(input->getDim()));
    for (size_t i = rank - 2; i < rank; ++i)
      if (input->getDim()[i] < 1 && !(i == rank - 2 && input == node.inputs[0]))
        return invalid(node, *input, "dim " + std::to_string(i) + " must be at least 1; got " + text(input->getDim()));
  }
  int64_t inner = a.getDim().back(), rows = b.getDim()[b.getDim().size() - 2];
  if (inner != rows)
    return invalid(node, b,
                   "its rows must be as many as the columns of '" + a.getName() + "', " + std::to_string(inner) +
                       "; got " + text(b.getDim()));
  if (!broadcast(batchOf(a), batchOf(b)))
    return invalid(node, b,
                   "its batch dims do not broadcast against those of '" + a.getName() + "': " + text(a.getDim()) +
                       " and " + text(b.getDim()));
  return Status::success();
}

Extents resultDim(const Node &node) {
  Extents dim = *broadcast(batchOf(*node.inputs[0]), batchOf(*node.inputs[1]));
  dim.push_back(*(node.inputs[0]->getDim().end() - 2));
  dim.push_back(node.inputs[1]->getDim().back());
  return dim;
}

Status infer(const Node &node) {
  inferDim(node, resultDim(node));
  inferRows(node);
  return Status::success();
}

Status postValidate(const Node &node) {
  if (Status status = checkDim(node, resultDim(node)); !status.ok())
    return status;
  for (const TensorAttr *tensor : {node.inputs[0].get(), node.inputs[1].get(), node.output.get()})
    if (!toDataType(tensor->getDataType()))
      return unsupported(node, *tensor,
                         "matmul computes with f32, bf16 and f16; got " + std::string(name(tensor->getDataType())));
  return matmulSpecOf(node, realStrides(node)).status();
}

/// A matrix of the product: its batch as one dim, then the two others.
struct Matrix {
  Extents dim = {1, 1, 1}, stride = {0, 1, 1};
};

/// The batch dims of `tensor`, seen under the result's batch, as one; nullopt where they are spread or repeated.
std::optional<Matrix> matrixOf(const TensorAttr &tensor, const Extents &stride) {
  Matrix matrix;
  size_t rank = tensor.getDim().size();
  for (size_t i = 0; i < 2; ++i) {
    matrix.dim[i + 1] = tensor.getDim()[rank - 2 + i];
    matrix.stride[i + 1] = stride[rank - 2 + i];
  }
  for (size_t i = rank - 2; i-- > 0;) {
    int64_t extent = tensor.getDim()[i];
    if (extent == 1)
      continue;
    if (matrix.dim[0] != 1 && stride[i] != matrix.stride[0] * matrix.dim[0])
      return std::nullopt;
    if (matrix.dim[0] == 1)
      matrix.stride[0] = stride[i];
    matrix.dim[0] *= extent;
  }
  return matrix;
}

} // namespace

const NodeRules matmulRules = {preValidate, infer, postValidate};

Expected<ConvSpec> matmulSpecOf(const Node &node, const NodeStrides &strides) {
  const std::array<const TensorAttr *, 3> tensors = {node.inputs[0].get(), node.inputs[1].get(), node.output.get()};
  std::array<Matrix, 3> matrices;
  for (int i = 0; i < 3; ++i) {
    std::optional<Matrix> matrix = matrixOf(*tensors[i], strides[i]);
    if (!matrix || !isPacked(tensors[i]->getDim(), strides[i]))
      return unsupported(node, *tensors[i],
                         "matmul needs packed matrices whose batch dims are neighbours in memory; got dims " +
                             text(tensors[i]->getDim()) + " with strides " + text(strides[i]));
    matrices[i] = *matrix;
  }
  auto &[a, b, c] = matrices;
  int64_t batch = c.dim[0];
  // One matrix for every batch of the other: its batch is part of the rows, or of the columns.
  auto fold = [&](Matrix &from, Matrix &result, int side) {
    for (Matrix *matrix : {&from, &result}) {
      if (matrix->dim[side] != 1 && matrix->stride[0] != matrix->stride[side] * matrix->dim[side])
        return false;
      if (matrix->dim[side] == 1)
        matrix->stride[side] = matrix->stride[0];
      matrix->dim[side] *= matrix->dim[0];
      matrix->dim[0] = 1;
    }
    return true;
  };
  for (auto [repeated, other, side] : {std::tuple(1, 0, 1), std::tuple(0, 1, 2)}) {
    if (batch == 1 || matrices[repeated].dim[0] == batch)
      continue;
    if (matrices[repeated].dim[0] != 1 || matrices[other].dim[0] != batch || !fold(matrices[other], c, side))
      return unsupported(node, *tensors[repeated],
                         "a matrix repeated over the batch works only where the batch of the others can be counted as "
                         "rows or columns; got dims " +
                             text(tensors[repeated]->getDim()) + " for a result of " + text(tensors[2]->getDim()));
    batch = 1;
  }
  ConvSpec spec;
  spec.n = c.dim[1];
  if (__builtin_mul_overflow(a.dim[2], batch, &spec.c) || __builtin_mul_overflow(c.dim[2], batch, &spec.k))
    return invalid(node, *tensors[2], "the product is too large");
  spec.groups = std::max<int64_t>(batch, 1);
  if (batch == 0)
    return unsupported(node, *tensors[2],
                       "an empty batch of matrices is not supported; got " + text(tensors[2]->getDim()));
  const std::array<std::array<Axis, 3>, 3> axes = {
      {{Axis::G, Axis::N, Axis::C}, {Axis::G, Axis::C, Axis::K}, {Axis::G, Axis::N, Axis::K}}};
  for (int i = 0; i < 3; ++i) {
    auto role = std::array{Role::X, Role::W, Role::Y}[i];
    for (int dim : memoryOrder(matrices[i].dim, matrices[i].stride))
      spec.layout(role).push_back(axes[i][dim]);
    spec.type(role) = toDataType(tensors[i]->getDataType()).value_or(orzo::DataType::F32);
  }
  if (Status status = validate(spec); !status.ok())
    return status.within(describe(node) + ", tensor '" + node.output->getName() + "'");
  return spec;
}

} // namespace orzo::graph
