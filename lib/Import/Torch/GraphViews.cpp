// Tensors seen otherwise, and tensors made of nothing.
#include "Graph/NodeRules.h"
#include "Import/Torch/Constants.h"
#include "Import/Torch/GraphReader.h"
#include "Import/Torch/TensorValue.h"

#include <numeric>

using namespace mlir;

namespace orzo::torch {

using graph::DataType;
using graph::TensorAttr;
using graph::TensorPtr;

/// `dim` counted from the front; nullopt outside of 0 ... rank-1.
static std::optional<int64_t> wrapped(std::optional<int64_t> dim, size_t rank) {
  auto count = static_cast<int64_t>(rank);
  if (!dim || *dim < -count || *dim >= count)
    return std::nullopt;
  return *dim < 0 ? *dim + count : *dim;
}

static std::vector<int64_t> withoutOnes(std::vector<int64_t> dim) {
  std::erase(dim, 1);
  return dim;
}

TensorPtr GraphReader::ranked(Operation *op, const GraphTensor &from) {
  if (from.tensor->getDim().size() >= from.dim.size() || from.tensor->isScalar())
    return from.tensor;
  Extents dim(from.dim.size() - from.tensor->getDim().size(), 1);
  dim.insert(dim.end(), from.tensor->getDim().begin(), from.tensor->getDim().end());
  return node(op, graph::ReshapeAttr().setDim(dim), {from.tensor}, dim, from.tensor->getDataType());
}

TensorPtr GraphReader::whole(Operation *op, const GraphTensor &from) {
  if (!from.tensor) {
    refuse(op, nameOf(op) + " reads a tensor that nothing was written to");
    return nullptr;
  }
  if (from.tensor->getDim() == from.dim && !from.tensor->isScalar())
    return from.tensor;
  refuse(op, nameOf(op) + " reads a tensor of " + shapeText(from.tensor->getDim()) + " repeated to " +
                 shapeText(from.dim) + ", which pointwise ops do");
  return nullptr;
}

TensorPtr GraphReader::reshaped(Operation *op, const GraphTensor &from, const Extents &dim) {
  if (from.tensor->isScalar())
    return from.tensor;
  if (from.tensor->getDim() == from.dim)
    return from.dim == dim ? from.tensor
                           : node(op, graph::ReshapeAttr().setDim(dim), {from.tensor}, dim, from.tensor->getDataType());
  if (withoutOnes(from.dim) != withoutOnes(dim))
    return nullptr;
  // A repeated tensor whose ones come and go: the same happens to the tensor.
  TensorPtr tensor = ranked(op, from);
  Extents result(dim.size(), 1);
  size_t source = 0;
  for (size_t i = 0; i < dim.size(); ++i) {
    if (dim[i] == 1)
      continue;
    while (from.dim[source] == 1)
      ++source;
    result[i] = tensor->getDim()[source++];
  }
  return node(op, graph::ReshapeAttr().setDim(result), {tensor}, result, tensor->getDataType());
}

static std::optional<std::vector<int64_t>> permutationOf(Operation *op, size_t rank, std::string &reason) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (auto permute = dyn_cast<AtenPermuteOp>(op)) {
    std::optional<std::vector<int64_t>> dims = constantInts(permute.getDims());
    reason = "are no list of " + std::to_string(rank) + " constants";
    if (!dims || dims->size() != rank)
      return std::nullopt;
    reason = "are no permutation";
    std::vector<bool> seen(rank, false);
    for (size_t position = 0; position < rank; ++position) {
      std::optional<int64_t> dim = wrapped((*dims)[position], rank);
      if (!dim || seen[*dim])
        return std::nullopt;
      seen[*dim] = true;
      order[position] = *dim;
    }
  } else if (auto transpose = dyn_cast<AtenTransposeIntOp>(op)) {
    std::optional<int64_t> first = wrapped(constantInt(transpose.getDim0()), rank);
    std::optional<int64_t> second = wrapped(constantInt(transpose.getDim1()), rank);
    reason = "are no constants within " + std::to_string(rank) + " dims";
    if (!first || !second)
      return std::nullopt;
    std::swap(order[*first], order[*second]);
  } else {
    reason = "are more than 2";
    if (isa<AtenTOp>(op) && rank > 2)
      return std::nullopt;
    std::reverse(order.begin(), order.end());
  }
  return order;
}

void GraphReader::permutation(Operation *op, GraphTensor from) {
  std::string reason;
  std::optional<Extents> order = permutationOf(op, from.dim.size(), reason);
  if (!order && isa<AtenPermuteOp>(op) && constantInts(op->getOperand(1)) == Extents() && from.dim == Extents{1})
    order = Extents{0}; // Rank 0.
  if (!order)
    return refuse(op, "the dims of " + nameOf(op) + " " + reason);
  GraphTensor result;
  declared(op->getResult(0), result);
  Extents dim;
  for (int64_t source : *order)
    dim.push_back(from.dim[source]);
  if (dim != result.dim)
    return refuse(
        op, nameOf(op) + " is declared to be " + shapeText(result.dim) + ", where its operand gives " + shapeText(dim),
        /*isInvalid=*/true);
  TensorPtr tensor = ranked(op, from);
  if (!tensor->isScalar()) {
    Extents own;
    for (int64_t source : *order)
      own.push_back(tensor->getDim()[source]);
    tensor = node(op, graph::TransposeAttr().setPermutation(*order), {tensor}, own, from.type);
  }
  auto seen = seenArguments.find(op->getOperand(0));
  if (seen != seenArguments.end() && op->getOperand(0).hasOneUse()) {
    Extents stride;
    for (int64_t source : *order)
      stride.push_back(seen->second.second[source]);
    int argument = seen->second.first;
    seenArguments[op->getResult(0)] = {argument, stride};
  }
  define(op, tensor);
}

/// Repeated along dims of extent 1. Pointwise nodes repeat by themselves; an argument that nothing else reads is an
/// input with strides of 0.
void GraphReader::expand(Operation *op, const GraphTensor &from) {
  GraphTensor result;
  declared(op->getResult(0), result);
  std::optional<Extents> both = graph::broadcast(from.dim, result.dim);
  if (both != result.dim)
    return refuse(op, nameOf(op) + " makes " + shapeText(result.dim) + " of " + shapeText(from.dim), true);
  TensorPtr tensor = from.tensor;
  auto seen = seenArguments.find(op->getOperand(0));
  if (seen != seenArguments.end() && op->getOperand(0).hasOneUse() && from.dim != result.dim) {
    tensor = graph.tensor(TensorAttr()
                              .setName("arg" + std::to_string(seen->second.first) + ".repeated")
                              .setDim(result.dim)
                              .setStride(graph::broadcastStrides(from.dim, seen->second.second, result.dim))
                              .setDataType(from.type));
    argumentOf[tensor.get()] = seen->second.first;
  }
  define(op, tensor);
}

void GraphReader::asStrided(AtenAsStridedOp op) {
  auto seen = seenArguments.find(op.getSelf());
  std::optional<Extents> size = constantInts(op.getSize()), stride = constantInts(op.getStride());
  auto argument = dyn_cast<BlockArgument>(op.getSelf());
  bool isPlain = argument && op.getSelf().hasOneUse() && seen != seenArguments.end() && size && stride &&
                 size->size() == stride->size() &&
                 (isNone(op.getStorageOffset()) || constantInt(op.getStorageOffset()) == 0);
  GraphTensor result;
  declared(op.getResult(), result);
  if (!isPlain || *size != result.dim)
    return refuse(op, nameOf(op) + " is read of an argument that nothing else reads, with constant sizes and strides "
                                   "and offset 0");
  std::optional<int64_t> span = graph::volume(*size) ? graph::span(*size, *stride) : std::nullopt;
  if (llvm::any_of(*stride, [](int64_t step) { return step < 0; }) || !span || *span > *graph::volume(at(argument).dim))
    return refuse(op, nameOf(op) + " leaves its argument", /*isInvalid=*/true);
  TensorPtr tensor = graph.tensor(TensorAttr()
                                      .setName("arg" + std::to_string(seen->second.first) + ".strided")
                                      .setDim(*size)
                                      .setStride(*stride)
                                      .setDataType(result.type));
  argumentOf[tensor.get()] = seen->second.first;
  define(op, tensor);
}

/// aten.slice.Tensor and aten.select.int.
void GraphReader::slice(Operation *op, GraphTensor from) {
  TensorPtr tensor = whole(op, from);
  std::optional<int64_t> dim = wrapped(constantInt(op->getOperand(1)), from.dim.size());
  if (!tensor)
    return;
  if (!dim)
    return refuse(op,
                  "the dim of " + nameOf(op) + " is no constant within " + std::to_string(from.dim.size()) + " dims");
  int64_t extent = from.dim[*dim];
  auto position = [&](Value value, int64_t otherwise) -> std::optional<int64_t> {
    if (isNone(value))
      return otherwise;
    std::optional<int64_t> number = constantInt(value);
    if (number && *number < 0)
      number = std::max<int64_t>(*number + extent, 0);
    return number ? std::optional(std::min(*number, extent)) : std::nullopt;
  };
  std::optional<int64_t> start, limit, step = 1;
  if (auto sliced = dyn_cast<AtenSliceTensorOp>(op)) {
    start = position(sliced.getStart(), 0);
    limit = position(sliced.getEnd(), extent);
    step = constantInt(sliced.getStep());
  } else {
    start = wrapped(constantInt(op->getOperand(2)), extent);
    limit = start ? std::optional(*start + 1) : std::nullopt;
  }
  if (!start || !limit || !step)
    return refuse(op, "start, end or step of " + nameOf(op) + " is no constant within the dim");
  if (*start >= *limit || *step < 1)
    return refuse(op, nameOf(op) + " takes no element");
  Extents starts(from.dim.size(), 0), limits = from.dim, steps(from.dim.size(), 1), taken = from.dim;
  starts[*dim] = *start;
  limits[*dim] = *limit;
  steps[*dim] = *step;
  taken[*dim] = (*limit - *start - 1) / *step + 1;
  GraphTensor result{
      node(op, graph::SliceAttr().setStarts(starts).setLimits(limits).setSteps(steps), {tensor}, taken, from.type),
      taken, from.type};
  GraphTensor wanted;
  declared(op->getResult(0), wanted);
  Extents expected = taken;
  if (isa<AtenSelectIntOp>(op)) {
    expected.erase(expected.begin() + *dim);
    if (expected.empty())
      expected = {1};
  }
  if (expected != wanted.dim)
    return refuse(
        op, nameOf(op) + " is declared to be " + shapeText(wanted.dim) + ", where it takes " + shapeText(expected),
        /*isInvalid=*/true);
  define(op, reshaped(op, result, expected));
}

/// Zeros around a tensor, or less of it. A convolution that reads it has other padding; else it is another gradient
/// where it is one of a convolution's input; else what is only less is a slice.
void GraphReader::pad(AtenConstantPadNdOp op, const GraphTensor &from) {
  std::optional<Extents> amounts = constantInts(op.getPad());
  size_t rank = from.dim.size();
  TensorPtr tensor = whole(op, from);
  if (!tensor)
    return;
  if (!amounts || amounts->size() % 2 != 0 || amounts->size() > 2 * rank)
    return refuse(op, "the amounts of " + nameOf(op) + " are no list of two constants a dim");
  Extents low(rank, 0), high(rank, 0);
  bool isCrop = true;
  GraphTensor result;
  declared(op.getResult(), result);
  for (size_t i = 0; i < amounts->size(); i += 2) {
    size_t dim = rank - 1 - i / 2;
    low[dim] = (*amounts)[i];
    high[dim] = (*amounts)[i + 1];
    isCrop = isCrop && low[dim] <= 0 && high[dim] <= 0;
  }
  for (size_t i = 0; i < rank; ++i)
    if (result.dim.size() != rank || std::max(std::abs(low[i]), std::abs(high[i])) > (int64_t(1) << 40) ||
        result.dim[i] != from.dim[i] + low[i] + high[i])
      return refuse(op, nameOf(op) + " is declared to be " + shapeText(result.dim), /*isInvalid=*/true);
  bool isZero = constantNumber(op.getValue()) == 0.0;
  if (isZero || isCrop) {
    result.inner = tensor;
    result.padLow = low;
    result.padHigh = high;
  }
  if (TensorPtr gradient = isZero ? padDGrad(op, from, low, high) : nullptr) {
    result.tensor = gradient;
  } else if (isCrop && llvm::all_of(result.dim, [](int64_t extent) { return extent > 0; })) {
    Extents starts(rank), limits(rank);
    for (size_t i = 0; i < rank; ++i) {
      starts[i] = -low[i];
      limits[i] = from.dim[i] + high[i];
    }
    result.tensor = node(op, graph::SliceAttr().setStarts(starts).setLimits(limits), {tensor}, result.dim, from.type);
  } else {
    result.isRead = false;
    result.culprit = op;
    result.complaint = {
        false, nameOf(op) + (isZero ? " is read where a convolution takes over the zeros" : " is read of zeros alone")};
  }
  define(op.getResult(), std::move(result));
}

bool GraphReader::view(Operation *op) {
  bool isPermutation = isa<AtenPermuteOp, AtenTransposeIntOp, AtenTOp, AtenNumpyTOp>(op);
  bool isReshape = isa<AtenViewOp, AtenReshapeOp, AtenUnsafeViewOp, AtenFlattenUsingIntsOp, AtenUnsqueezeOp,
                       AtenSqueezeOp, AtenSqueezeDimOp>(op);
  bool isCast = isa<AtenToDtypeOp, PrimsConvertElementTypeOp, AtenToCopyOp>(op);
  bool isSame = isa<AtenContiguousOp, AtenDetachOp, AtenAliasOp, CopyToVTensorOp>(op);
  bool isPart = isa<AtenSliceTensorOp, AtenSelectIntOp>(op);
  if (!isPermutation && !isReshape && !isCast && !isSame && !isPart &&
      !isa<AtenExpandOp, AtenBroadcastToOp, AtenAsStridedOp, AtenConstantPadNdOp>(op))
    return false;
  GraphTensor from = operand(op, 0), result;
  declared(op->getResult(0), result);
  if (!from.tensor) {
    refuse(op, nameOf(op) + " reads a tensor that nothing was written to");
    return true;
  }
  if (!isCast && result.type != from.type) {
    refuse(op, nameOf(op) + " changes the element type", /*isInvalid=*/true);
    return true;
  }
  if (isPermutation) {
    permutation(op, std::move(from));
  } else if (isReshape) {
    if (graph::volume(from.dim) != graph::volume(result.dim))
      refuse(op, nameOf(op) + " makes " + shapeText(result.dim) + " of " + shapeText(from.dim), /*isInvalid=*/true);
    else if (TensorPtr tensor = reshaped(op, from, result.dim))
      define(op, tensor);
    else
      refuse(op, nameOf(op) + " reads a repeated tensor in another shape");
  } else if (isCast || isSame) {
    if (from.dim != result.dim)
      refuse(op, nameOf(op) + " makes " + shapeText(result.dim) + " of " + shapeText(from.dim), /*isInvalid=*/true);
    else if (result.type == from.type)
      define(op, from.tensor);
    else
      define(op, node(op, graph::CastAttr(), {from.tensor}, from.tensor->getDim(), result.type));
  } else if (isPart) {
    slice(op, std::move(from));
  } else if (auto strided = dyn_cast<AtenAsStridedOp>(op)) {
    asStrided(strided);
  } else if (auto padded = dyn_cast<AtenConstantPadNdOp>(op)) {
    pad(padded, from);
  } else {
    expand(op, from);
  }
  return true;
}

bool GraphReader::creation(Operation *op) {
  if (!isa<AtenEmptyMemoryFormatOp, AtenEmptyLikeOp, AtenZerosOp, AtenZerosLikeOp, AtenOnesOp, AtenFullOp,
           VTensorLiteralOp>(op))
    return false;
  GraphTensor result;
  declared(op->getResult(0), result);
  std::optional<double> value;
  if (isa<AtenZerosOp, AtenZerosLikeOp>(op)) {
    value = 0;
  } else if (isa<AtenOnesOp>(op)) {
    value = 1;
  } else if (auto full = dyn_cast<AtenFullOp>(op)) {
    value = constantNumber(full.getFillValue());
    if (!value) {
      refuse(op, "the value of " + nameOf(op) + " is no constant");
      return true;
    }
  } else if (auto literal = dyn_cast<VTensorLiteralOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(literal.getValue());
    if (!elements || !elements.isSplat()) {
      refuse(op, nameOf(op) + " has several values: a constant of a graph has one");
      return true;
    }
    if (auto floats = dyn_cast<DenseFPElementsAttr>(elements)) {
      APFloat number = floats.getSplatValue<APFloat>();
      bool losesInfo = false;
      (void)number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
      value = number.convertToDouble();
    } else if (auto integer = dyn_cast<IntegerType>(elements.getElementType())) {
      APInt number = elements.getSplatValue<APInt>();
      bool isUnsigned = integer.isUnsigned() || integer.getWidth() == 1;
      value = isUnsigned ? static_cast<double>(number.getZExtValue()) : static_cast<double>(number.getSExtValue());
    } else {
      refuse(op, nameOf(op) + " is of a type that graphs do not have");
      return true;
    }
  }
  if (value) {
    result.tensor = graph.tensor(TensorAttr(*value).setDataType(result.type));
    result.tensor->setName("constant" + std::to_string(graph.tensors().size()));
  }
  define(op->getResult(0), std::move(result));
  return true;
}

} // namespace orzo::torch
