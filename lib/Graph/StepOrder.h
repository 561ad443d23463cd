// StepOrder: one numbering of a graph's values, whatever order its nodes were written in.
//
// Every value gets a colour: first what it is by itself (an input's type and size, a step's text), then, again and
// again, that together with the colours around it - its operands in order (sorted where the mode is commutative) and
// its uses. When the number of different colours stops growing, values of one colour look the same from everywhere,
// and which comes first makes no difference to the text. Outputs are then visited in order of colour, operands before
// the steps that read them, operands of commutative steps in order of colour, and numbered as they are met.
//
//     worked example   out1 = relu(a + b), out2 = abs(a + b), written in any order, with add(b, a) or add(a, b):
//     if a is bf16 and b is f32 their colours differ, so %0 and %1 are always the same of the two.
#pragma once

#include "orzo/Graph/GraphDefinition.h"

namespace orzo::graph {

/// `problem` renumbered; equal steps stay two steps.
GraphProblem inCanonicalOrder(GraphProblem problem);

} // namespace orzo::graph
