// TorchOps: the torch ops of one node of a graph, and the constants that they take.
#pragma once

#include "Graph/Strides.h"
#include "Graph/TorchText.h"
#include "orzo/Graph/Node.h"

namespace orzo::graph {

/// A tensor value of torch IR.
struct TorchTensor {
  TorchValue value;
  Extents dim;
  DataType type = DataType::NotSet;
  operator TorchValue() const { return value; }
};

/// "bf16", "si32", "i1": how torch spells element types; and the number of each in constant operands.
std::string_view torchName(DataType type);
int64_t torchScalarType(DataType type);
std::string torchType(const Extents &dim, DataType type, bool isMutable = false);

class TorchOps {
public:
  /// Constants are named after what they say and `node`.
  TorchOps(TorchText &text, std::string node) : text(text), node(std::move(node)) {}

  TorchValue none() {
    if (noneName.empty())
      noneName = text.none("none_" + node);
    return {noneName, "!torch.none"};
  }
  TorchValue boolean(const std::string &name, bool value) {
    return {text.boolean(name + "_" + node, value), "!torch.bool"};
  }
  TorchValue integer(const std::string &name, int64_t value) {
    return {text.integer(name + "_" + node, value), "!torch.int"};
  }
  TorchValue real(const std::string &name, double value) {
    return {text.real(name + "_" + node, value), "!torch.float"};
  }
  TorchValue word(const std::string &name, const std::string &value) {
    return {text.word(name + "_" + node, value), "!torch.str"};
  }
  TorchValue integers(const std::string &name, const std::vector<int64_t> &values) {
    return {text.integers(name + "_" + node, values), "!torch.list<int>"};
  }
  TorchValue booleans(const std::string &name, const std::vector<bool> &values) {
    return {text.booleans(name + "_" + node, values), "!torch.list<bool>"};
  }

  TorchTensor tensor(const std::string &mnemonic, const std::vector<TorchValue> &operands, const std::string &name,
                     const Extents &dim, DataType type) {
    return {text.op(mnemonic, operands, name, torchType(dim, type)), dim, type};
  }
  /// Dim i of the result is dim order[i] of `from`.
  TorchTensor permute(const TorchTensor &from, const std::vector<int> &order, const std::string &name);
  /// The same elements under dims that differ in 1s: at `at` one comes or goes.
  TorchTensor unsqueeze(const TorchTensor &from, int64_t at, const std::string &name);
  TorchTensor squeeze(const TorchTensor &from, int64_t at, const std::string &name);

  TorchText &text;
  const std::string node;

private:
  std::string noneName; ///< One serves the whole node.
};

/// The pointwise node `node` over `inputs`. Unsupported names it: a mode or parameters that torch cannot say.
Expected<TorchTensor> emitPointwise(TorchOps &ops, const Node &node, const std::vector<TorchTensor> &inputs);

/// To the type of the node's result; a copy where that is the input's.
TorchTensor emitCast(TorchOps &ops, const Node &node, const TorchTensor &x);

/// A convolution of any direction.
TorchTensor emitConvolution(TorchOps &ops, const Node &node, const std::vector<TorchTensor> &inputs);

/// The reduction node `node` of `x`.
TorchTensor emitReduction(TorchOps &ops, const Node &node, const TorchTensor &x);

} // namespace orzo::graph
