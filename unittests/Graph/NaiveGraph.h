// A graph evaluated from its nodes, index by index over logical dims: no canonical form, no loops over memory, nothing
// shared with lib/Graph or lib/Reference but the scalar functions.
#pragma once

#include "orzo/Graph/GraphDefinition.h"

#include <map>

namespace orzo::graph::test {

/// Values of a tensor, row by row over its logical dims.
using Logical = std::vector<double>;

/// Every tensor of `graph` (validated) from `inputs`, nothing rounded but to integers and Booleans.
std::map<const TensorAttr *, Logical> naive(const GraphDefinition &graph, std::map<const TensorAttr *, Logical> inputs);

/// The position of each logical element of `tensor` in its memory.
std::vector<int64_t> positions(const TensorAttr &tensor);

} // namespace orzo::graph::test
