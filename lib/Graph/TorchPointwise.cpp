// Pointwise modes in torch. Most are one op. The others are compositions that no sequence of nodes prints as well (they
// have ops on scalars where nodes have literals), so that lib/Import/Torch reads each back as the one mode that it is.
#include "Graph/NodeRules.h"
#include "Graph/TorchOps.h"

#include <algorithm>
#include <cmath>

namespace orzo::graph {

namespace {

/// Modes that are one torch op on the node's inputs and nothing else; null for the others.
const char *plainOp(PointwiseMode mode) {
  switch (mode) {
    using enum PointwiseMode;
  case ABS:
    return "aten.abs";
  case CEIL:
    return "aten.ceil";
  case CMP_EQ:
    return "aten.eq.Tensor";
  case CMP_GE:
    return "aten.ge.Tensor";
  case CMP_GT:
    return "aten.gt.Tensor";
  case CMP_LE:
    return "aten.le.Tensor";
  case CMP_LT:
    return "aten.lt.Tensor";
  case CMP_NEQ:
    return "aten.ne.Tensor";
  case COS:
    return "aten.cos";
  case DIV:
    return "aten.div.Tensor";
  case ERF:
    return "aten.erf";
  case EXP:
    return "aten.exp";
  case FLOOR:
    return "aten.floor";
  case LOG:
    return "aten.log";
  case LOGICAL_AND:
    return "aten.logical_and";
  case LOGICAL_NOT:
    return "aten.logical_not";
  case LOGICAL_OR:
    return "aten.logical_or";
  case MAX_OP:
    return "aten.maximum";
  case MIN_OP:
    return "aten.minimum";
  case MOD:
    return "aten.fmod.Tensor";
  case MUL:
    return "aten.mul.Tensor";
  case NEG:
    return "aten.neg";
  case POW:
    return "aten.pow.Tensor_Tensor";
  case RECIPROCAL:
    return "aten.reciprocal";
  case RSQRT:
    return "aten.rsqrt";
  case SIGMOID_FWD:
    return "aten.sigmoid";
  case SIN:
    return "aten.sin";
  case SQRT:
    return "aten.sqrt";
  case TAN:
    return "aten.tan";
  case TANH_FWD:
    return "aten.tanh";
  default:
    return nullptr;
  }
}

class PointwiseEmission {
public:
  PointwiseEmission(TorchOps &ops, const Node &node, const std::vector<TorchTensor> &in)
      : ops(ops), node(node), in(in), mode(std::get<PointwiseAttr>(node.attr).getMode()),
        p(std::get<PointwiseAttr>(node.attr).getParameters()), type(node.output->getDataType()),
        between(isFloat(type) ? type : DataType::Float) {}

  Expected<TorchTensor> run() {
    if (const char *plain = plainOp(mode))
      return result(plain, {in.begin(), in.end()});
    switch (mode) {
      using enum PointwiseMode;
    case ADD:
    case SUB:
      return result(mode == ADD ? "aten.add.Tensor" : "aten.sub.Tensor", {in[0], in[1], ops.integer("alpha", 1)});
    case ADD_SQUARE:
      return result("aten.add.Tensor", {in[0], step("aten.square", {in[1]}, in[1].dim), ops.integer("alpha", 1)});
    case BINARY_SELECT:
      return result("aten.where.self",
                    {in[0].type == DataType::Boolean ? in[0] : test("aten.ne.Scalar", in[0], 0), in[1], in[2]});
    case IDENTITY:
      return identity();
    case ELU_FWD:
      return result("aten.elu",
                    {in[0], ops.real("alpha", p.eluAlpha), ops.integer("scale", 1), ops.integer("input_scale", 1)});
    case ELU_BWD:
      return result("aten.elu_backward", {in[0], ops.real("alpha", p.eluAlpha), ops.integer("scale", 1),
                                          ops.integer("input_scale", 1), ops.boolean("is_result", false), in[1]});
    case GELU_FWD:
    case GELU_APPROX_TANH_FWD:
      return result("aten.gelu", {in[0], ops.word("approximate", mode == GELU_FWD ? "none" : "tanh")});
    case GELU_BWD:
    case GELU_APPROX_TANH_BWD:
      return result("aten.gelu_backward", {in[0], in[1], ops.word("approximate", mode == GELU_BWD ? "none" : "tanh")});
    case RELU_FWD:
      return relu();
    case RELU_BWD:
      return reluBackward();
    case SIGMOID_BWD: {
      TorchTensor s = step("aten.sigmoid", {in[1]}, in[1].dim);
      return result("aten.mul.Tensor", {in[0], step("aten.mul.Tensor", {s, oneMinus(s)}, s.dim)});
    }
    case TANH_BWD:
      return result("aten.tanh_backward", {in[0], step("aten.tanh", {in[1]}, in[1].dim)});
    case SOFTPLUS_FWD:
      return result("aten.softplus",
                    {in[0], ops.real("beta", p.softplusBeta), ops.real("threshold", p.softplusThreshold)});
    case SOFTPLUS_BWD: {
      TorchTensor x = scaled(in[1], p.softplusBeta), s = step("aten.sigmoid", {x}, x.dim);
      return result("aten.where.self", {test("aten.gt.Scalar", x, p.softplusThreshold), in[0],
                                        step("aten.mul.Tensor", {in[0], s}, both(in[0], s))});
    }
    case SWISH_FWD: {
      if (p.swishBeta == 1)
        return result("aten.silu", {in[0]});
      TorchTensor x = scaled(in[0], p.swishBeta);
      return result("aten.mul.Tensor", {in[0], step("aten.sigmoid", {x}, x.dim)});
    }
    case SWISH_BWD: {
      TorchTensor x = scaled(in[1], p.swishBeta), s = step("aten.sigmoid", {x}, x.dim);
      TorchTensor rest = step("aten.mul.Tensor", {x, oneMinus(s)}, x.dim);
      TorchTensor sum = step("aten.add.Scalar", {rest, ops.integer("one", 1), ops.integer("alpha", 1)}, x.dim);
      return result("aten.mul.Tensor", {in[0], step("aten.mul.Tensor", {s, sum}, x.dim)});
    }
    default:
      return unsupported(node, *node.output, "mode " + std::string(name(mode)) + " has no torch op");
    }
  }

private:
  TorchTensor result(const std::string &mnemonic, const std::vector<TorchValue> &operands) {
    return ops.tensor(mnemonic, operands, node.output->getName(), node.output->getDim(), type);
  }
  TorchTensor step(const std::string &mnemonic, const std::vector<TorchValue> &operands, const Extents &dim) {
    return ops.tensor(mnemonic, operands, ops.node + "_step", dim, between);
  }
  TorchTensor test(const std::string &mnemonic, const TorchTensor &x, double value) {
    return ops.tensor(mnemonic, {x, ops.real("bound", value)}, ops.node + "_test", x.dim, DataType::Boolean);
  }
  TorchTensor scaled(const TorchTensor &x, double factor) {
    return factor == 1 ? x : step("aten.mul.Scalar", {x, ops.real("beta", factor)}, x.dim);
  }
  TorchTensor oneMinus(const TorchTensor &x) {
    return step("aten.rsub.Scalar", {x, ops.integer("one", 1), ops.integer("alpha", 1)}, x.dim);
  }
  static Extents both(const TorchTensor &a, const TorchTensor &b) { return broadcast(a.dim, b.dim).value_or(a.dim); }

  TorchTensor identity() {
    if (in[0].type == type)
      return result("aten.clone", {in[0], ops.none()});
    return emitCast(ops, node, in[0]);
  }

  /// As few ops as the parameters allow; below the lower clip lower + slope*(x - lower).
  Expected<TorchTensor> relu() {
    const TorchTensor &x = in[0];
    double lower = p.reluLowerClip, upper = p.reluUpperClip, slope = p.reluLowerClipSlope;
    auto bound = [&](const char *name, double value) { return std::isinf(value) ? ops.none() : ops.real(name, value); };
    if (slope == 0 && lower == 0 && upper == INFINITY)
      return result("aten.relu", {x});
    if (slope == 0 && lower < INFINITY && upper > -INFINITY && (lower > -INFINITY || upper < INFINITY))
      return result("aten.clamp", {x, bound("lower", lower), bound("upper", upper)});
    if (lower == 0 && upper == INFINITY && std::isfinite(slope))
      return result("aten.leaky_relu", {x, ops.real("slope", slope)});
    if (!std::isfinite(lower) || !std::isfinite(slope) || upper == -INFINITY)
      return unsupported(node, *node.output, "torch has no relu with these infinite parameters");
    TorchTensor above = upper == INFINITY ? x : step("aten.clamp_max", {x, ops.real("upper", upper)}, x.dim);
    TorchTensor shifted = step("aten.sub.Scalar", {x, ops.real("lower", lower), ops.integer("alpha", 1)}, x.dim);
    TorchTensor leak = step("aten.mul.Scalar", {shifted, ops.real("slope", slope)}, x.dim);
    TorchTensor below = step("aten.add.Scalar", {leak, ops.real("lower", lower), ops.integer("alpha", 1)}, x.dim);
    return result("aten.where.self", {test("aten.gt.Scalar", x, lower), above, below});
  }

  Expected<TorchTensor> reluBackward() {
    const TorchTensor &dy = in[0], &x = in[1];
    double lower = p.reluLowerClip, upper = p.reluUpperClip, slope = p.reluLowerClipSlope;
    if (!std::isfinite(lower) || !std::isfinite(slope) || upper == -INFINITY)
      return unsupported(node, *node.output, "torch has no relu backward with these infinite parameters");
    if (slope == 0 && upper == INFINITY)
      return result("aten.threshold_backward", {dy, x, ops.real("threshold", lower)});
    if (slope == 0)
      return result("aten.hardtanh_backward", {dy, x, ops.real("lower", lower), ops.real("upper", upper)});
    TorchTensor inside = dy;
    if (upper != INFINITY)
      inside = step("aten.where.ScalarSelf", {test("aten.ge.Scalar", x, upper), ops.real("zero", 0), dy}, both(dy, x));
    TorchTensor below = step("aten.mul.Scalar", {dy, ops.real("slope", slope)}, dy.dim);
    return result("aten.where.self", {test("aten.le.Scalar", x, lower), below, inside});
  }

  TorchOps &ops;
  const Node &node;
  const std::vector<TorchTensor> &in;
  PointwiseMode mode;
  PointwiseParameters p;
  DataType type, between; ///< Of the result, and of what is computed on the way.
};

} // namespace

TorchTensor emitCast(TorchOps &ops, const Node &node, const TorchTensor &x) {
  DataType type = node.output->getDataType();
  TorchValue none = ops.none(), no = ops.boolean("no", false);
  if (x.type == type)
    return ops.tensor("aten.clone", {x, none}, node.output->getName(), x.dim, type);
  TorchValue number = ops.integer("dtype", torchScalarType(type));
  return ops.tensor("aten.to.dtype", {x, number, no, no, none}, node.output->getName(), x.dim, type);
}

Expected<TorchTensor> emitPointwise(TorchOps &ops, const Node &node, const std::vector<TorchTensor> &inputs) {
  return PointwiseEmission(ops, node, inputs).run();
}

} // namespace orzo::graph
