// EdgeValues: operands of pointwise modes, edges and random ones, and the distance of a result from the reference.
#pragma once

#include "BodyKernels.h"

#include <cstdint>
#include <vector>

namespace orzo::nest {

/// Zeros, denormals, infinities, NaN, ties, ends of ranges; crossed with each other for `count` operands (of three, the
/// first few of them), padded to a multiple of 16.
std::vector<std::vector<float>> edgeInputs(int count);

/// `size` values an operand: a third over all bit patterns, a third uniform in [-12, 12], a third of any magnitude
/// between 2^-20 and 2^20.
std::vector<std::vector<float>> randomInputs(int count, size_t size, uint64_t seed);

/// How far `got` is from lib/Reference's value, in units in the last place of f32 (of 2^-149 below the normal range,
/// and infinity counted as 2^128); infinite where one of them is NaN alone, or where they are zeros that differ in
/// sign.
double distance(const BodyCase &each, float got, const std::vector<std::vector<float>> &inputs, size_t index);

} // namespace orzo::nest
