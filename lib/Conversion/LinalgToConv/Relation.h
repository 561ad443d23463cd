// Relation: from the indices at which a product reads its operands and writes its result to the ConvSpec that says the
// same.
//
// A product is  out[io] += a[ia] * b[ib]  over a box of loops, with every index an affine function of the loops, and
// reads outside of what is present being zero. Root dims that share a loop belong together: one *component* is either
// an axis of the convolution or a spatial dim.
//
// - An axis (n, c, k, g) is one loop that is the index itself in two tensors, or in all three.
// - A spatial dim has up to three indices, functions of up to two loops. Two of them are a loop each, but for a sign
// and a
//   constant; the third follows from the two: c1*i1 + c2*i2 + c3*i3 = c0. That is h = stride*p + dilation*r - padLow
//   under other names. Loops must run over all index pairs for which the third is inside; pairs that they leave out
//   must lie outside for every partner.
// - What is neither (group and channel in one dim) is taken apart like the digits of a number.
//
// Which tensor is x, w and y is not in the source: every assignment for which there is a ConvSpec is a spelling of
// the same problem. The one with the best canonical form is taken, and of those the one whose direction is the first.
//
//     worked example   a zero-inserted, flipped product: out[q] += dy[(q + s - 1)/2] * w[1 - s], q < 512, s < 2
//     indices          io = q, ia = (q + s - 1)/2, ib = 1 - s;  2*ia = io - ib,  so  io = 2*ia + ib
//     as a ConvSpec    h = 2*p + r with x = out, y = a, w = b: dgrad, stride 2, padLow 0. Without the flip (ib = s):
//                      io = 2*ia - ib + 1 = 2*ia + (1 - ib): the same, w flipped.
#pragma once

#include "Conversion/LinalgToConv/Access.h"
#include "orzo/Spec/ConvSpec.h"

#include <array>

namespace orzo {

/// The convolution that a product is, as said by the tensors in the order a, b, out.
struct Related {
  ConvSpec spec;
  std::array<Role, 3> roles;                  ///< Of a, b and out.
  std::array<std::vector<int>, 3> sourceDims; ///< By a, b, out: for each axis of the role's layout, the root dim.
};

/// `system` holds the accesses a, b and out, each arrived at a root; `types` are their element types. `location` is the
/// product's.
OrRefusal<Related> relate(IndexSystem system, std::array<DataType, 3> types, mlir::Location location);

} // namespace orzo
