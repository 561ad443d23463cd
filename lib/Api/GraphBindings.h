// GraphBindings: which tensor of a graph each binding of its artifact is, and the words for its values.
#pragma once

#include "orzo/Graph/GraphDefinition.h"
#include "orzo/Runtime/Module.h"

namespace orzo::graph {

/// The tensor of every binding. A graph that is one convolution has bindings by role, every other by the number of the
/// value in its text ("%0"). InvalidArgument, naming the binding or tensor, where they do not fit: another type, size
/// or use, none for a tensor, two for one.
Expected<std::vector<TensorPtr>> tensorsOf(std::span<const TensorBinding> bindings, const GraphProblem &problem);

/// `message` with every value's number explained: "%4 (tensor 'sum' of pointwise 'add')".
std::string inWordsOf(const GraphProblem &problem, std::string_view message);

} // namespace orzo::graph
