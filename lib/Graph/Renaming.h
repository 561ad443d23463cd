// Renaming: nodes whose result is their input under another name.
#pragma once

#include "Graph/Strides.h"
#include "orzo/Graph/Node.h"

namespace orzo::graph {

/// Whether the node says nothing but where the elements of its input are seen: transposed, under other dims of extent
/// 1, or once more (a copy without conversion).
bool isRenaming(const Node &node);

/// Strides along the dims of a renaming's result as strides along those of its input, and the reverse. Those of dims of
/// extent 1 may become 0.
Extents toSource(const Node &node, const Extents &stride);
Extents fromSource(const Node &node, const Extents &stride);

} // namespace orzo::graph
