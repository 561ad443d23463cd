// Evaluate: the right number. Naive sums in f64 over a ConvSpec.
//
// Operands are widened exactly (f32, bf16 and f16 are subsets of f64) and products summed in f64: for the f32 sums that
// kernels make, 29 bits more than they have. On integers the sums are exact.
//
// Beside each value stands its *spread*, sqrt(L) * sqrt(sum of squared products) with L the number of products: times a
// small constant and 2^-24 it bounds what rounding in an f32 accumulator may do (docs/Numerics.md).
#pragma once

#include "Reference/Operand.h"
#include "orzo/Spec/ConvSpec.h"

#include <array>
#include <cstdint>
#include <span>

namespace orzo::reference {

/// The three tensors' memory by Role; the result's entry is ignored.
using Tensors = std::array<const void *, 3>;

/// Every element of the result of `spec` (which must satisfy validate()), in the order of its memory: elementCount()
/// values and, unless `spread` is null, as many spreads. `threads` 0 takes every core; the numbers do not depend on it.
void evaluate(const ConvSpec &spec, const Tensors &tensors, double *value, double *spread = nullptr, int threads = 0);

/// The same for the result's elements `elements` alone (indices into its memory): value[i] and spread[i] belong to
/// elements[i]. Costs the reduction length each; neighbours along a channel axis are cheaper together.
void sample(const ConvSpec &spec, const Tensors &tensors, std::span<const int64_t> elements, double *value,
            double *spread = nullptr, int threads = 0);

/// The same as evaluate() over operands already widened: `a` and `b` as nestAxes(spec) names them.
void evaluateOperands(const ConvSpec &spec, const Operand &a, const Operand &b, double *value, double *spread,
                      int threads);

/// The same as sample() over such operands.
void sampleOperands(const ConvSpec &spec, const Operand &a, const Operand &b, std::span<const int64_t> elements,
                    double *value, double *spread, int threads);

/// The most products any element of the result sums.
int64_t reductionLength(const ConvSpec &spec);

/// About how long evaluate() takes on `threads` threads, from constants measured on one x86 core; good to a factor
/// of 2.
double estimateSeconds(const ConvSpec &spec, int threads = 0);

} // namespace orzo::reference
