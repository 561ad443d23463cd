#include "Conversion/ConvToLinalg/Forms.h"

#include <algorithm>

using namespace mlir;

namespace orzo {

/// The loops with a stride in one tensor, outermost first; nullopt where they do not fill `elements` without a gap.
static std::optional<std::vector<unsigned>> packedAxes(const std::vector<ContractionDim> &dims,
                                                       int64_t ContractionDim::*stride, int64_t elements) {
  std::vector<unsigned> axes;
  for (unsigned i = 0; i < dims.size(); ++i)
    if (dims[i].*stride != 0)
      axes.push_back(i);
  std::sort(axes.begin(), axes.end(), [&](unsigned a, unsigned b) { return dims[a].*stride > dims[b].*stride; });
  int64_t expected = 1;
  for (unsigned axis : llvm::reverse(axes)) {
    if (dims[axis].*stride != expected)
      return std::nullopt;
    expected *= dims[axis].extent;
  }
  if (expected != elements)
    return std::nullopt;
  return axes;
}

std::optional<PackedContraction> packedContraction(const ConvSpec &spec) {
  std::optional<Contraction> contraction = collapse(spec);
  if (!contraction || contraction->hasZeroTail || spec.n == 0)
    return std::nullopt;
  PackedContraction packed{*contraction, {}, {}};
  for (const auto *list : {&contraction->batch, &contraction->m, &contraction->n, &contraction->k})
    packed.dims.insert(packed.dims.end(), list->begin(), list->end());
  std::array<int64_t ContractionDim::*, 3> strides = {&ContractionDim::lhs, &ContractionDim::rhs, &ContractionDim::out};
  std::array<Role, 3> roles = {contraction->lhs, contraction->rhs, contraction->out};
  for (int i = 0; i < 3; ++i) {
    auto axes = packedAxes(packed.dims, strides[i], spec.elementCount(roles[i]));
    if (!axes)
      return std::nullopt;
    packed.axes[i] = *axes;
  }
  return packed;
}

/// Whether the tensor `index` is indexed by exactly these loops in this order.
static bool isIndexedBy(const PackedContraction &packed, int index, const std::vector<unsigned> &axes) {
  return packed.axes[index] == axes;
}

Value buildContraction(LinalgBuilder &linalg, const ConvSpec &spec, const PackedContraction &packed,
                       const RoleValues &tensors) {
  const Contraction &contraction = packed.contraction;
  auto shapeOf = [&](int index) {
    SmallVector<int64_t> shape;
    for (unsigned axis : packed.axes[index])
      shape.push_back(packed.dims[axis].extent);
    return shape;
  };
  Value lhs = linalg.reshape(tensors[int(contraction.lhs)], shapeOf(0));
  Value rhs = linalg.reshape(tensors[int(contraction.rhs)], shapeOf(1));
  MLIRContext *context = linalg.builder.getContext();
  Value init = linalg.zeros(shapeOf(2), conv::elementType(context, spec.accumulate), /*constant=*/false);

  Value sum;
  bool isPlain = contraction.m.size() == 1 && contraction.n.size() == 1 && contraction.k.size() == 1;
  if (isPlain && contraction.batch.empty() && isIndexedBy(packed, 0, {0, 2}) && isIndexedBy(packed, 1, {2, 1}) &&
      isIndexedBy(packed, 2, {0, 1})) {
    sum = linalg::MatmulOp::create(linalg.builder, linalg.location, TypeRange(init.getType()), ValueRange{lhs, rhs},
                                   ValueRange(init))
              .getResult(0);
  } else if (isPlain && contraction.batch.size() == 1 && isIndexedBy(packed, 0, {0, 1, 3}) &&
             isIndexedBy(packed, 1, {0, 3, 2}) && isIndexedBy(packed, 2, {0, 1, 2})) {
    sum = linalg::BatchMatmulOp::create(linalg.builder, linalg.location, TypeRange(init.getType()),
                                        ValueRange{lhs, rhs}, ValueRange(init))
              .getResult(0);
  } else {
    SmallVector<AffineMap> maps;
    for (int i = 0; i < 3; ++i) {
      SmallVector<AffineExpr> indices;
      for (unsigned axis : packed.axes[i])
        indices.push_back(linalg.builder.getAffineDimExpr(axis));
      maps.push_back(AffineMap::get(packed.dims.size(), 0, indices, context));
    }
    SmallVector<utils::IteratorType> iterators(packed.dims.size() - contraction.k.size(),
                                               utils::IteratorType::parallel);
    iterators.append(contraction.k.size(), utils::IteratorType::reduction);
    sum = linalg.multiplyAdd(lhs, rhs, init, maps, iterators);
  }
  Role result = resultRole(spec.direction);
  return linalg.reshape(linalg.round(sum, conv::elementType(context, spec.type(result))), spec.shape(result));
}

} // namespace orzo
