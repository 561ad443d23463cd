// Nest: the loop nest of one dispatch - a matrix product over strided, possibly padded operands - as plain data.
//
// Every gemm op means, for every phase and every batch index,
//
//     out[m, n] = sum over k of  lhs[m, k] * rhs[k, n]
//
// where batch, m, n and k are lists of dims, outermost first. A tensor's address is the phase's base plus the sum of
// index * stride over the dims. One operand may be padded: it has coordinates, each again a phase's base plus a sum of
// index * coefficient over the dims; where a coordinate leaves [0, extent), the operand reads as 0 (and is not
// touched).
//
// n holds the result's innermost dim, so that the emitter stores along it; lhs and rhs are swapped to make it so.
//
//     worked example   dgrad, stride 2, filter 3, one spatial dim, x: n h c, w: k r c, y: n p k
//     m = (n, i), n = (c), k = (t, k)    lhs = y, padded along coordinate 0 = p = i + offset(t)
//     two phases (h even, h odd) with their own extents of i and t and their own bases; see orzo/Spec/Phases.h.
#pragma once

#include "orzo/Spec/Contraction.h"
#include "orzo/Spec/ConvSpec.h"
#include "orzo/Spec/Phases.h"

#include <array>
#include <cstdint>
#include <vector>

namespace orzo {

struct NestDim {
  int64_t lhs = 0, rhs = 0, out = 0;             ///< Elements between neighbours; 0 where a tensor has no such dim.
  std::array<int64_t, 3> coordinate = {0, 0, 0}; ///< Coefficient in each coordinate of the padded operand.
};

/// The numbers of one phase. Extents are in the order of the nest's dims.
struct NestPhase {
  std::vector<int64_t> m, n, k;
  int64_t lhsBase = 0, rhsBase = 0, outBase = 0; ///< Elements; may be negative before indices are added.
  std::array<int64_t, 3> coordinateBase = {0, 0, 0};
};

struct Nest {
  enum class Padded : uint8_t { None, Lhs, Rhs };

  std::vector<NestDim> batch, m, n, k;
  std::vector<int64_t> batchExtents;
  std::vector<NestPhase> phases; ///< At least one.

  Padded padded = Padded::None;
  std::vector<int64_t> coordinateExtents; ///< One per coordinate, at most three; empty when nothing is padded.

  Role lhs = Role::X, rhs = Role::W, out = Role::Y; ///< Which tensors of the problem they are: the slots' order.
  DataType lhsType = DataType::F32, rhsType = DataType::F32, outType = DataType::F32;

  int64_t batchCount() const;
  int64_t rows(const NestPhase &phase) const;    ///< Product of the m extents.
  int64_t columns(const NestPhase &phase) const; ///< Product of the n extents.
  int64_t depth(const NestPhase &phase) const;   ///< Product of the k extents; 0 in a phase without taps.
  int64_t maxRows() const;
  int64_t maxColumns() const;
  int64_t maxDepth() const;
};

/// The nest of a gemm.implicit (fprop, dgrad) or gemm.wgrad.
Nest nestOf(const ConvSpec &spec);

/// The nest of a gemm.contract over tensors of these element types. `contraction.hasZeroTail` must be false.
Nest nestOf(const Contraction &contraction, DataType lhs, DataType rhs, DataType out);

} // namespace orzo
