// Pointwise ops: each with the mode that it is.
#include "Graph/NodeRules.h"
#include "Import/Torch/Constants.h"
#include "Import/Torch/GraphReader.h"
#include "Import/Torch/TensorValue.h"

#include <cmath>

using namespace mlir;

namespace orzo::torch {

using graph::PointwiseAttr;

/// Ops of tensors alone that are a mode as they stand.
static std::optional<PointwiseMode> plainMode(StringRef name) {
  using enum PointwiseMode;
  static const llvm::StringMap<PointwiseMode> modes = {
      {"abs", ABS},
      {"ceil", CEIL},
      {"clone", IDENTITY},
      {"cos", COS},
      {"div.Tensor", DIV},
      {"eq.Tensor", CMP_EQ},
      {"erf", ERF},
      {"exp", EXP},
      {"floor", FLOOR},
      {"fmod.Tensor", MOD},
      {"ge.Tensor", CMP_GE},
      {"gt.Tensor", CMP_GT},
      {"le.Tensor", CMP_LE},
      {"log", LOG},
      {"logical_and", LOGICAL_AND},
      {"logical_not", LOGICAL_NOT},
      {"logical_or", LOGICAL_OR},
      {"lt.Tensor", CMP_LT},
      {"maximum", MAX_OP},
      {"minimum", MIN_OP},
      {"mul.Tensor", MUL},
      {"ne.Tensor", CMP_NEQ},
      {"neg", NEG},
      {"pow.Tensor_Tensor", POW},
      {"reciprocal", RECIPROCAL},
      {"relu", RELU_FWD},
      {"rsqrt", RSQRT},
      {"sigmoid", SIGMOID_FWD},
      {"silu", SWISH_FWD},
      {"silu_backward", SWISH_BWD},
      {"sin", SIN},
      {"sqrt", SQRT},
      {"tan", TAN},
      {"tanh", TANH_FWD},
      {"where.self", BINARY_SELECT},
  };
  if (!name.consume_front("torch.aten."))
    return std::nullopt;
  auto found = modes.find(name);
  return found == modes.end() ? std::nullopt : std::optional(found->second);
}

GraphTensor GraphReader::constant(double value, const GraphTensor &like) {
  graph::TensorPtr tensor = scalar(value, like.type);
  return {tensor, tensor->getDim(), tensor->getDataType()};
}

/// Dims over which `inputs` are repeated: as torch sees them, and of the graph's tensors.
static bool repeated(ArrayRef<GraphTensor> inputs, std::vector<int64_t> &seen, std::vector<int64_t> &own) {
  seen = inputs[0].dim;
  own = inputs[0].tensor->getDim();
  for (const GraphTensor &input : inputs.drop_front()) {
    std::optional<std::vector<int64_t>> both = graph::broadcast(seen, input.dim);
    std::optional<std::vector<int64_t>> ownBoth = graph::broadcast(own, input.tensor->getDim());
    if (!both || !ownBoth)
      return false;
    seen = *both;
    own = *ownBoth;
  }
  return true;
}

GraphTensor GraphReader::step(Operation *op, PointwiseMode mode, const std::vector<GraphTensor> &inputs) {
  GraphTensor result;
  declared(op->getResult(0), result);
  std::vector<graph::TensorPtr> tensors;
  for (const GraphTensor &input : inputs) {
    if (!input.tensor)
      return input; // What it is a step of is refused for that.
    tensors.push_back(input.tensor);
  }
  Extents own;
  if (!repeated(inputs, result.dim, own))
    own = result.dim; // The op that this is a step of is refused for its dims.
  if (!isFloat(result.type))
    result.type = graph::DataType::Float;
  result.tensor = node(op, PointwiseAttr().setMode(mode), std::move(tensors), own, result.type);
  return result;
}

bool GraphReader::pointwise(Operation *op, const PointwiseAttr &attr, const std::vector<GraphTensor> &inputs) {
  std::vector<graph::TensorPtr> tensors;
  for (const GraphTensor &input : inputs) {
    if (!input.tensor) {
      refuse(op, nameOf(op) + " reads a tensor that nothing was written to");
      return true;
    }
    tensors.push_back(input.tensor);
  }
  GraphTensor result;
  declared(op->getResult(0), result);
  Extents seen, own;
  if (!repeated(inputs, seen, own)) {
    refuse(op, "the tensors of " + nameOf(op) + " do not broadcast against each other", /*isInvalid=*/true);
  } else if (seen != result.dim) {
    refuse(op,
           nameOf(op) + " is declared to be " + shapeText(result.dim) + ", where its operands give " + shapeText(seen),
           /*isInvalid=*/true);
  } else {
    define(op, node(op, attr, std::move(tensors), own, result.type));
  }
  return true;
}

bool GraphReader::pointwise(Operation *op) {
  std::optional<PointwiseMode> mode = plainMode(op->getName().getStringRef());
  if (!mode)
    return false;
  std::vector<GraphTensor> inputs;
  for (int i = 0; i < inputCount(*mode); ++i)
    inputs.push_back(operand(op, i));
  return pointwise(op, *mode, inputs);
}

/// Ops with a scalar operand, and sums with a factor: a + alpha*b.
bool GraphReader::scalarOp(Operation *op) {
  using enum PointwiseMode;
  auto number = [&](unsigned index) -> std::optional<double> {
    std::optional<double> value = constantNumber(op->getOperand(index));
    if (!value)
      refuse(op, "operand " + std::to_string(index) + " of " + nameOf(op) + " is no constant");
    return value;
  };
  if (isa<AtenAddTensorOp, AtenSubTensorOp, AtenAddScalarOp, AtenSubScalarOp, AtenRsubScalarOp>(op)) {
    bool isScalar = isa<AtenAddScalarOp, AtenSubScalarOp, AtenRsubScalarOp>(op), isRsub = isa<AtenRsubScalarOp>(op);
    std::optional<double> alpha = number(2), value = alpha && isScalar ? number(1) : alpha;
    if (!value)
      return true;
    GraphTensor a = operand(op, 0), b = isScalar ? constant(*value, a) : operand(op, 1);
    PointwiseMode mode = isa<AtenAddTensorOp, AtenAddScalarOp>(op) ? ADD : SUB;
    if (*alpha == -1) {
      mode = mode == ADD ? SUB : ADD;
    } else if (*alpha != 1) {
      GraphTensor &scaled = isRsub ? a : b;
      if (!scaled.tensor || !a.tensor)
        return pointwise(op, mode, {a, b});
      scaled = isScalar && !isRsub ? constant(*value * *alpha, a) : step(op, MUL, {scaled, constant(*alpha, scaled)});
    }
    return isRsub ? pointwise(op, mode, {b, a}) : pointwise(op, mode, {a, b});
  }
  static const llvm::StringMap<PointwiseMode> modes = {
      {"torch.aten.mul.Scalar", MUL},   {"torch.aten.div.Scalar", DIV},   {"torch.aten.pow.Tensor_Scalar", POW},
      {"torch.aten.fmod.Scalar", MOD},  {"torch.aten.eq.Scalar", CMP_EQ}, {"torch.aten.ne.Scalar", CMP_NEQ},
      {"torch.aten.lt.Scalar", CMP_LT}, {"torch.aten.le.Scalar", CMP_LE}, {"torch.aten.gt.Scalar", CMP_GT},
      {"torch.aten.ge.Scalar", CMP_GE},
  };
  if (auto found = modes.find(op->getName().getStringRef()); found != modes.end()) {
    if (std::optional<double> value = number(1)) {
      GraphTensor x = operand(op, 0);
      return pointwise(op, found->second, {x, constant(*value, x)});
    }
    return true;
  }
  if (isa<AtenSquareOp>(op))
    return pointwise(op, MUL, {operand(op, 0), operand(op, 0)});
  if (isa<AtenWhereScalarOtherOp, AtenWhereScalarSelfOp>(op)) {
    bool isOther = isa<AtenWhereScalarOtherOp>(op);
    if (std::optional<double> value = number(isOther ? 2 : 1)) {
      GraphTensor x = operand(op, isOther ? 1 : 2), other = constant(*value, x);
      return pointwise(op, BINARY_SELECT, {operand(op, 0), isOther ? x : other, isOther ? other : x});
    }
    return true;
  }
  return false;
}

/// Activations: the parameters that operands say.
bool GraphReader::activation(Operation *op) {
  using enum PointwiseMode;
  bool isKnown = true;
  auto number = [&](unsigned index, double otherwise) {
    if (isNone(op->getOperand(index)))
      return otherwise;
    std::optional<double> value = constantNumber(op->getOperand(index));
    if (!value) {
      isKnown = false;
      refuse(op, "operand " + std::to_string(index) + " of " + nameOf(op) + " is no constant");
    }
    return value.value_or(otherwise);
  };
  PointwiseAttr attr;
  if (isa<AtenClampOp, AtenHardtanhOp>(op)) {
    attr.setMode(RELU_FWD).setReluLowerClip(number(1, -INFINITY)).setReluUpperClip(number(2, INFINITY));
  } else if (isa<AtenRelu6Op>(op)) {
    attr.setMode(RELU_FWD).setReluUpperClip(6);
  } else if (isa<AtenClampMinOp>(op)) {
    attr.setMode(RELU_FWD).setReluLowerClip(number(1, -INFINITY));
  } else if (isa<AtenClampMaxOp>(op)) {
    attr.setMode(RELU_FWD).setReluLowerClip(-INFINITY).setReluUpperClip(number(1, INFINITY));
  } else if (isa<AtenThresholdOp>(op)) {
    double threshold = number(1, 0), value = number(2, 0);
    if (isKnown && threshold != value) {
      refuse(op, nameOf(op) + " is read where its value is its threshold; got " + std::to_string(value) + " and " +
                     std::to_string(threshold));
      return true;
    }
    attr.setMode(RELU_FWD).setReluLowerClip(threshold);
  } else if (isa<AtenLeakyReluOp>(op)) {
    attr.setMode(RELU_FWD).setReluLowerClipSlope(number(1, 0.01));
  } else if (isa<AtenSoftplusOp>(op)) {
    attr.setMode(SOFTPLUS_FWD).setSoftplusBeta(number(1, 1)).setSoftplusThreshold(number(2, 20));
  } else if (isa<AtenEluOp>(op)) {
    attr.setMode(ELU_FWD).setEluAlpha(number(1, 1));
    if (number(2, 1) != 1 || number(3, 1) != 1) {
      refuse(op, nameOf(op) + " is read with scale and input_scale 1");
      return true;
    }
  } else if (isa<AtenGeluOp>(op)) {
    auto word = op->getOperand(1).getDefiningOp<ConstantStrOp>();
    if (!word || (word.getValue() != "none" && word.getValue() != "tanh")) {
      refuse(op, nameOf(op) + " is read with approximate \"none\" or \"tanh\"");
      return true;
    }
    attr.setMode(word.getValue() == "none" ? GELU_FWD : GELU_APPROX_TANH_FWD);
  } else {
    return false;
  }
  return !isKnown || pointwise(op, attr, {operand(op, 0)});
}

/// Backward ops: (dy, x), x the forward's input. Those that take the forward's result are read where that is at hand.
bool GraphReader::backwardOp(Operation *op) {
  using enum PointwiseMode;
  bool isKnown = true;
  auto number = [&](unsigned index) {
    std::optional<double> value = constantNumber(op->getOperand(index));
    if (!value) {
      isKnown = false;
      refuse(op, "operand " + std::to_string(index) + " of " + nameOf(op) + " is no constant");
    }
    return value.value_or(0);
  };
  PointwiseAttr attr;
  unsigned input = 1;
  if (isa<AtenThresholdBackwardOp>(op)) {
    attr.setMode(RELU_BWD).setReluLowerClip(number(2));
  } else if (isa<AtenHardtanhBackwardOp>(op)) {
    attr.setMode(RELU_BWD).setReluLowerClip(number(2)).setReluUpperClip(number(3));
  } else if (isa<AtenLeakyReluBackwardOp>(op)) {
    // A result has the sign of the input where the slope is not negative, and only the sign counts.
    attr.setMode(RELU_BWD).setReluLowerClipSlope(number(2));
    if (isKnown && constantBool(op->getOperand(3)) != false && number(2) < 0) {
      refuse(op, nameOf(op) + " of a result with a negative slope");
      return true;
    }
  } else if (isa<AtenGeluBackwardOp>(op)) {
    auto word = op->getOperand(2).getDefiningOp<ConstantStrOp>();
    if (!word || (word.getValue() != "none" && word.getValue() != "tanh")) {
      refuse(op, nameOf(op) + " is read with approximate \"none\" or \"tanh\"");
      return true;
    }
    attr.setMode(word.getValue() == "none" ? GELU_BWD : GELU_APPROX_TANH_BWD);
  } else if (isa<AtenEluBackwardOp>(op)) {
    attr.setMode(ELU_BWD).setEluAlpha(number(1));
    input = 5;
    if (isKnown && (number(2) != 1 || number(3) != 1 || constantBool(op->getOperand(4)) != false)) {
      refuse(op, nameOf(op) + " is read with scale and input_scale 1, of the forward's input");
      return true;
    }
  } else if (isa<AtenSoftplusBackwardOp>(op)) {
    attr.setMode(SOFTPLUS_BWD).setSoftplusBeta(number(2)).setSoftplusThreshold(number(3));
  } else {
    return false;
  }
  return !isKnown || pointwise(op, attr, {operand(op, 0), operand(op, input)});
}

} // namespace orzo::torch
