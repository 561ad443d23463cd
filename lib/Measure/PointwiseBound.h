// PointwiseBound: what one element of a pointwise step may be off by.
#pragma once

#include "orzo/Spec/ElementType.h"
#include "orzo/Spec/Pointwise.h"

#include <span>

namespace orzo {

/// A value of the oracle and how far the computed one may be from it; infinite where nothing can be said (a comparison
/// of two values that differ by less than their error, a sum that overflows f32).
struct BoundedValue {
  double value = 0, error = 0;
};

/// The result of `mode` over `inputs`, in f32: the inputs' errors carried through it, and its own rounding.
BoundedValue boundedPointwise(PointwiseMode mode, const PointwiseParameters &parameters,
                              std::span<const BoundedValue> inputs);

/// `exact` as f32 arithmetic has it, where `steps` roundings by 2^-24 lead to it: no error where it needs none.
BoundedValue roundedInF32(BoundedValue exact, double roundings);

/// `exact` as it is after it may have been stored in `type` or not: a float in between may or may not be rounded; what
/// is no float holds what its type holds.
BoundedValue storedAs(ElementType type, BoundedValue exact);

} // namespace orzo
