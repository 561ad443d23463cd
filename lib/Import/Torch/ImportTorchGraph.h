// From torch modules to graphs.
#pragma once

#include "Import/Binding/Binding.h"
#include "orzo/Graph/GraphDefinition.h"

namespace orzo {

/// A graph and how the source module is called.
struct ImportedGraph {
  /// Its values' tensors and nodes have made-up names.
  graph::GraphProblem problem;
  /// Entry, and arguments with their use: an operand's `tensor` counts the inputs of the spec in the order of values, a
  /// destination's the spec's outputs. `destinations` has, for each output of the spec, the argument it is written
  /// into, or -1: returned. An argument is the flat memory of its value, row by row. `problems` is empty.
  Binding binding;
  std::vector<int> returned; ///< For each result of the source function the output of the spec.
};

/// The one function of `source` as a graph, canonical: what it writes and returns, and what that depends on.
///
/// Read are convolutions in every form (transposed ones, output_padding, bias), convolution_backward with any mask, mm,
/// bmm, matmul, linear, addmm, baddbmm; pointwise ops and their backward ops, on tensors, scalars and literals;
/// reductions; casts; permute, transpose, t, view, reshape, flatten, squeeze, unsqueeze, slice, select, expand,
/// as_strided (of an argument), clone; constant_pad_nd around a convolution; overwrite.tensor.contents and return. How
/// it was spelled does not show: docs/Graph.md has the list of what is read as what.
///
/// Errors are MLIR errors at the op that stands in the way and say "unsupported: " where the input is legal. What is
/// never used is not looked at.
mlir::FailureOr<ImportedGraph> importTorchGraph(mlir::ModuleOp source);

} // namespace orzo
