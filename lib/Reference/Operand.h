// Operand: one tensor of a problem widened to f64, in the dimension order that the oracle's loops like.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace orzo::reference {

/// An f64 tensor. Axes of extent 1 are left out of `order`; their stride is 0. Rows along the innermost axis are
/// packed, or `pitch` elements apart with zeros between: a power of two as distance would map a column of rows to one
/// cache set.
struct Operand {
  std::vector<Axis> order; ///< Outermost first.
  std::array<int64_t, 7> extents = {1, 1, 1, 1, 1, 1, 1};
  std::array<int64_t, 7> strides = {}; ///< Elements, by Axis.
  int64_t count = 1;                   ///< Elements of memory, the zeros between rows included.
  int64_t pitch = 1;                   ///< Elements from one row along the innermost axis to the next.
  std::unique_ptr<double[]> values;

  int64_t extent(Axis axis) const { return extents[static_cast<int>(axis)]; }
  int64_t stride(Axis axis) const { return strides[static_cast<int>(axis)]; }
};

enum class Rows { Packed, Staggered };

/// The tensor `role` of `spec`, whose memory is `data`, widened exactly and copied to `order`, which must name every
/// axis of extent other than 1.
Operand widen(const ConvSpec &spec, Role role, std::vector<Axis> order, const void *data, Rows rows, int threads);

/// `operand` contracted along `axis` with `weights` (one per index along it): sum of weights[i] * value, or with
/// `squares` of weights[i] * value^2. The result's rows are staggered.
Operand contract(const Operand &operand, Axis axis, std::span<const double> weights, bool squares, int threads);

/// `operand` with every value squared.
Operand squared(const Operand &operand, int threads);

} // namespace orzo::reference
