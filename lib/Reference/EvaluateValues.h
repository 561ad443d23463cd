// EvaluateValues: a convolution over operands that are f64 already, as they are inside of a graph.
#pragma once

#include "Reference/Evaluate.h"

#include <vector>

namespace orzo::reference {

using Values = std::vector<double>;

/// evaluate() over the two operands of `spec` in role order, each in the order of its own memory.
void evaluateValues(const ConvSpec &spec, const Values &first, const Values &second, double *value, double *spread,
                    int threads);

/// The same for the elements `elements` of the result alone; value[i] and spread[i] belong to elements[i].
void sampleValues(const ConvSpec &spec, const Values &first, const Values &second, std::span<const int64_t> elements,
                  double *value, double *spread, int threads);

} // namespace orzo::reference
