// Strides: how a tensor lies in memory. Dims of extent 1 never matter here.
#pragma once

#include "orzo/Support/Status.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace orzo::graph {

using Extents = std::vector<int64_t>;

/// Product of `dim`, or nullopt beyond 2^62.
std::optional<int64_t> volume(const Extents &dim);

/// One past the last element that an index reaches, or nullopt beyond 2^62; 0 for an empty tensor.
std::optional<int64_t> span(const Extents &dim, const Extents &stride);

/// Dims of extent other than 1, outermost (largest stride) first.
std::vector<int> memoryOrder(const Extents &dim, const Extents &stride);

/// Whether the elements lie side by side without gap or overlap.
bool isPacked(const Extents &dim, const Extents &stride);

/// Whether two indices share an element; false as well where this simple test cannot tell (interleaved strides).
bool isInjective(const Extents &dim, const Extents &stride);

/// Strides of a packed tensor whose dims lie in `order` (every dim once), outermost first.
Extents packedInOrder(const Extents &dim, const std::vector<int> &order);

/// Row by row.
Extents packedRows(const Extents &dim);

/// An order of all dims that agrees with `stride`, for a tensor made from one of `dim`: row by row where that agrees,
/// else channels last (dim 1 innermost) where that does, else dims of extent 1 just before the dim that follows them.
std::vector<int> fullOrder(const Extents &dim, const Extents &stride);

/// "16x2048x1x256".
std::string text(const Extents &values);

} // namespace orzo::graph
