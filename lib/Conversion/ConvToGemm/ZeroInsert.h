// ZeroInsert: a convolution as a dense one over tensors with zeros written into memory - the baseline.
//
// Every spreading is, per spatial dim of one operand, "element i of the source goes to element begin + step*i of a
// larger tensor of zeros", for those i in [first, first + count) that land inside. The rest is a convolution without
// padding:
//
//   fprop   x' = x padded: begin = padLow, step 1, extent (P-1)*stride + (R-1)*dilation + 1; then padLow 0.
//   wgrad   x' likewise; y' = y spread by the stride: begin 0, step = stride, extent (P-1)*stride + 1; then stride 1.
//   dgrad   y' = y spread: begin = dilation*(R-1) - padLow, step = stride, extent H + dilation*(R-1); w' = w mirrored;
//           then the stride-1 fprop of y' with w', C and K swapped, gives x:
//
//     x[h] = sum over p, r with stride*p + dilation*r - padLow = h of y[p] * w[r]
//          = sum over r' of y'[h + dilation*r'] * w[R-1-r'],   because stride*p + begin = h + dilation*(R-1-r).
//
//     worked example   the seed, H 512, R 2, stride 2: y' has 512 + 1 positions, y[p] at 2p + 1, every other one zero;
//                      2 taps for each of 512 outputs instead of 1: twice the multiply-adds.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <array>
#include <vector>

namespace orzo {

/// One dim of a spread: source elements first, first+1, ... (count of them) go to begin, begin+step, ...
struct SpreadDim {
  int64_t first = 0, count = 0, begin = 0;
  int64_t step = 1;    ///< In the target.
  bool mirror = false; ///< Source elements are taken from the far end.
};

/// How one operand is rewritten; not at all when `needed` is false.
struct Spread {
  bool needed = false;
  bool fill = false;           ///< Some element of the target is not written by the copy.
  std::vector<SpreadDim> dims; ///< Per spatial dim.
};

struct ZeroInsertion {
  ConvSpec dense;                 ///< The convolution that is left, of the rewritten tensors.
  std::array<Role, 3> denseRoles; ///< For each of its roles, the role in the source problem.
  std::array<Spread, 3> spreads;  ///< By role in the source problem.
};

/// InvalidArgument when there is no zero to insert and nothing to mirror: the problem is dense already.
Expected<ZeroInsertion> zeroInsertion(const ConvSpec &spec);

} // namespace orzo
