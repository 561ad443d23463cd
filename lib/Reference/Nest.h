// Nest: the loops of one problem over widened operands, straight from the relation h = stride*p + dilation*r - padLow.
//
// Per spatial dim the relation is walked once, for every p and every r: where h lies inside, (h, r, p) is one product,
// and it is filed under the index that the result has (p, h or r). What is left is the same for the three directions: a
// result is the sum over the product of its dims' lists and over the reduced axes. No residues, no phases, no offsets
// by formula: this is what those are checked against.
//
//     worked example   in 5, filter 3, out 3, stride 2, dilation 1, padLow 1: h = 2p + r - 1
//     (p, r) inside: (0,1)h0 (0,2)h1 (1,0)h1 (1,1)h2 (1,2)h3 (2,0)h3 (2,1)h4
//     fprop, p = 0: (h0,r1) (h1,r2)     dgrad, h = 1: (p0,r2) (p1,r0)     wgrad, r = 0: (p1,h1) (p2,h3)
#pragma once

#include "Reference/Operand.h"
#include "Reference/RowSum.h"
#include "orzo/Spec/ConvSpec.h"

#include <vector>

namespace orzo::reference {

/// The axes a nest reduces and walks. The lane axis is the result's channel axis whose neighbours are computed
/// together.
struct NestAxes {
  Role a, b;    ///< a is one value per product, b a row along the lanes.
  Axis lane;    ///< Channel axis of b and of the result.
  Axis reduced; ///< fprop C, dgrad K, wgrad N.
  bool hasRow;  ///< wgrad: the result's other channel axis, carried by a, is an axis of rows.
  Axis row = Axis::N;
};

/// fprop: lanes K; dgrad: lanes C; wgrad: the longer of C and K.
NestAxes nestAxes(const ConvSpec &spec);

/// The order in which `role` should be widened for nestAxes(spec).
std::vector<Axis> operandOrder(const ConvSpec &spec, Role role);

class Nest {
public:
  /// `a` and `b` are the operands that `axes` names; they must outlive the nest.
  Nest(const ConvSpec &spec, const NestAxes &axes, const Operand &a, const Operand &b);

  int64_t rowCount() const { return rows; }
  int64_t laneCount() const { return lanes; }

  /// Where lane 0 of row `index` lies in the result, and the distance of its lanes (elements, in the result's layout).
  int64_t resultOffset(int64_t index) const;
  int64_t resultLane() const { return laneDistance; }

  /// The row and the lane of the result's element `element` (an index into its memory).
  std::pair<int64_t, int64_t> locate(int64_t element) const;

  /// Row `index`, whose pairs live in `storage`; `storageKey` remembers what `storage` holds from call to call (begin
  /// with -1).
  Row row(int64_t index, std::vector<Pair> &storage, int64_t &storageKey) const;

private:
  const ConvSpec &spec;
  NestAxes axes;
  const Operand &a, &b;
  std::vector<Axis> rowAxes;                         ///< Slowest first.
  std::vector<std::vector<std::vector<Pair>>> pairs; ///< By spatial dim and result index.
  int64_t rows = 1, lanes = 1, laneDistance = 0;
};

} // namespace orzo::reference
