// The relation, evaluated as it is written: one loop per index, in double. Shares no code with lib/Spec but the struct.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace orzo::test {

using Bytes = std::vector<uint8_t>;

/// Elements of `role`, counted here.
int64_t naiveCount(const ConvSpec &spec, Role role);

/// Small random whole numbers in the memory of a tensor of `spec`.
Bytes randomTensor(const ConvSpec &spec, Role role, std::mt19937 &random);

/// The result of `spec`, rounded once to its type. `tensors` is indexed by Role; the result's own entry is not read.
Bytes evaluate(const ConvSpec &spec, const std::array<Bytes, 3> &tensors);

/// Pairs (result element, product) inside the image, counted one by one.
int64_t naiveProducts(const ConvSpec &spec);

/// The elements of a tensor of `type`, widened.
std::vector<double> widened(const Bytes &bytes, DataType type);

} // namespace orzo::test
