// CppText: a convolution as a C++ program of the graph API.
#pragma once

#include "orzo/Graph/GraphDefinition.h"

namespace orzo::graph {

/// A graph of one node that computes `spec`, which must satisfy orzo::validate(): tensors "x", "w", "y", the result
/// "dx", "dw" or "y", gradients read "dy"; everything is set, nothing left to infer. Unsupported: a flipped filter,
/// groups whose channels do not lie side by side, an accumulate type other than f32.
Expected<GraphDefinition> graphOf(const ConvSpec &spec);

/// A program that builds the graph of graphOf(), compiles it for this machine's CPU, and prints its canonical text.
Expected<std::string> cppText(const ConvSpec &spec);

} // namespace orzo::graph
