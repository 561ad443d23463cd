#include "Import/Torch/Geometry.h"

#include "Import/Torch/Constants.h"

using namespace mlir;

namespace orzo::torch {

/// A list of one entry a spatial dim; one entry alone stands for all, an empty list for `otherwise`.
static std::optional<std::vector<int64_t>> perDim(Value value, int rank, std::optional<int64_t> otherwise) {
  std::optional<std::vector<int64_t>> list = constantInts(value);
  if (!list && constantInt(value))
    list = std::vector<int64_t>{*constantInt(value)};
  if (!list)
    return std::nullopt;
  if (list->size() == 1)
    list->resize(rank, list->front());
  if (list->empty() && otherwise)
    list->assign(rank, *otherwise);
  if (list->size() != static_cast<size_t>(rank))
    return std::nullopt;
  return list;
}

static std::optional<Complaint> readList(const std::string &what, Value value, int rank, std::vector<int64_t> &list,
                                         int64_t least, std::optional<int64_t> otherwise) {
  std::optional<std::vector<int64_t>> entries = perDim(value, rank, otherwise);
  if (!entries)
    return Complaint{false, what + " is no list of 1 or " + std::to_string(rank) + " constants"};
  for (int64_t entry : *entries)
    if (entry < least || entry > (int64_t(1) << 40))
      return Complaint{true,
                       what + " must be from " + std::to_string(least) + " to 2^40; got " + std::to_string(entry)};
  list = *entries;
  return std::nullopt;
}

/// Padding "same" is left to the caller: padLow stays empty.
static std::optional<Complaint> readLists(int rank, Value stride, Value padding, Value dilation, Value outputPadding,
                                          Value groups, Geometry &out) {
  if (auto complaint = readList("stride", stride, rank, out.stride, 1, 1))
    return complaint;
  if (auto complaint = readList("dilation", dilation, rank, out.dilation, 1, 1))
    return complaint;
  auto word = padding.getDefiningOp<ConstantStrOp>();
  if (word && word.getValue() == "valid") {
    out.padLow.assign(rank, 0);
    out.padHigh.assign(rank, 0);
  } else if (word) {
    if (word.getValue() != "same")
      return Complaint{true, "padding is \"valid\" or \"same\"; got \"" + word.getValue().str() + "\""};
    out.padLow.clear();
  } else {
    if (auto complaint = readList("padding", padding, rank, out.padLow, 0, 0))
      return complaint;
    out.padHigh = out.padLow;
  }
  out.outputPadding.assign(rank, 0);
  if (outputPadding)
    if (auto complaint = readList("output_padding", outputPadding, rank, out.outputPadding, 0, 0))
      return complaint;
  std::optional<int64_t> count = constantInt(groups);
  if (!count)
    return Complaint{false, "groups is no constant"};
  if (*count < 1)
    return Complaint{true, "groups must be at least 1; got " + std::to_string(*count)};
  out.groups = *count;
  return std::nullopt;
}

/// Padding "same": as much as the filter reaches over, of an odd sum the shorter half in front.
static std::optional<Complaint> padSame(ArrayRef<int64_t> weight, Geometry &out) {
  for (size_t dim = 0; dim + 2 < weight.size(); ++dim) {
    __int128 total = __int128(out.dilation[dim]) * (weight[dim + 2] - 1);
    if (out.transposed || out.stride[dim] != 1 || total < 0 || total > (int64_t(1) << 60))
      return Complaint{true, "padding \"same\" goes with stride 1 of a forward convolution"};
    out.padLow.push_back(static_cast<int64_t>(total / 2));
    out.padHigh.push_back(static_cast<int64_t>(total - total / 2));
  }
  return std::nullopt;
}

std::optional<Complaint> readConvolution(Operation *op, ArrayRef<int64_t> weight, Geometry &out) {
  // Operands 3, 4 are stride and padding in every form; the rest differs.
  Value dilation, outputPadding, groups;
  if (isa<AtenConvolutionOp, AtenUnderscoreConvolutionOp>(op)) {
    dilation = op->getOperand(5);
    std::optional<bool> flag = constantBool(op->getOperand(6));
    if (!flag)
      return Complaint{false, "transposed is no constant"};
    out.transposed = *flag;
    outputPadding = op->getOperand(7);
    groups = op->getOperand(8);
  } else if (isa<AtenConvTranspose1dOp, AtenConvTranspose2dInputOp, AtenConvTranspose3dInputOp>(op)) {
    out.transposed = true;
    outputPadding = op->getOperand(5);
    groups = op->getOperand(6);
    dilation = op->getOperand(7);
  } else {
    dilation = op->getOperand(5);
    groups = op->getOperand(6);
  }
  if (auto complaint = readLists(static_cast<int>(weight.size()) - 2, op->getOperand(3), op->getOperand(4), dilation,
                                 out.transposed ? outputPadding : Value(), groups, out))
    return complaint;
  return out.padLow.empty() ? padSame(weight, out) : std::nullopt;
}

std::optional<Complaint> readBackward(AtenConvolutionBackwardOp op, int rank, Geometry &out) {
  std::optional<bool> transposed = constantBool(op.getTransposed());
  if (!transposed)
    return Complaint{false, "transposed is no constant"};
  out.transposed = *transposed;
  if (auto complaint = readLists(rank, op.getStride(), op.getPadding(), op.getDilation(),
                                 *transposed ? op.getOutputPadding() : Value(), op.getGroups(), out))
    return complaint;
  if (out.padLow.empty())
    return Complaint{true, "padding is a list of numbers"};
  return std::nullopt;
}

} // namespace orzo::torch
