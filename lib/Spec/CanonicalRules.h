// The rules of the canonical form, one function each. All of them are renamings: they change names and numbers in the
// spec, never where an element lies, so the same bytes give the same result bytes before and after.
//
// Two families:
//
//   normalising rules   rewrite one problem in place; each is idempotent. normalise() applies all of them. They take
//                       every spelling of one (problem, direction) pair to one spelling.
//   orbit steps         (T) and (F) give another problem of the same memory. On normalised problems each is its own
//                       inverse where it applies, and its result is normalised again but for the order of the spatial
//                       dims. So "reachable by steps" is an equivalence relation, and every member of a class finds
//                       the same class: this is why the representative does not depend on the spelling one starts from.
//
//     worked example   fprop, rank 0, x:nc w:kc y:nk  (a matrix product)
//     T: w <-> y, N <-> C     wgrad  x:cn w:ck y:kn
//     F: x <-> y, C <-> K     dgrad  x:nc w:ck y:nk
//     T F T: x <-> w          fprop  x:nc w:kc y:kn
//     six members in all, for the six orders of three tensors.
#pragma once

#include "orzo/Spec/Canonical.h"

#include <optional>

namespace orzo {

/// `spec` under its own names.
Canonical sourceView(const ConvSpec &spec);

/// P == 1: no second window, so stride is 1.
void resetIdleStride(ConvSpec &spec);

/// R == 1: no second tap, so dilation is 1.
void resetIdleDilation(ConvSpec &spec);

/// R == 1: its own mirror image, so flip is false.
void resetIdleFlip(ConvSpec &spec);

/// Leaves axes of extent 1 out of the layouts.
void dropUnitLetters(Canonical &problem);

/// Drops dims with H = P = R = 1 and padLow 0. (With another padLow the one window reads padding alone: that stays.)
/// Needs dropUnitLetters first.
void dropUnitDims(Canonical &problem);

/// Orders the spatial dims: those longer than 1 in x by x's memory order, outermost first; then those longer than 1 in
/// w by w's; then those longer than 1 in y by y's; the rest by (in, f, out, s, d, p). Needs dropUnitLetters first.
void orderSpatialDims(Canonical &problem);

/// All of the above, in this order.
void normalise(Canonical &problem);

/// (T) Swaps w and y, N and C/G, stride and dilation, R and P. fprop <-> wgrad, dgrad <-> dgrad. nullopt where a dim is
/// flipped (the new result would be stored mirrored) and where n is 0 (the new problem would have no channels, which
/// constraint C2 forbids).
std::optional<Canonical> swapFilterAndOutput(const Canonical &problem);

/// (F) Swaps x and y, C/G and K/G, H and P; padLow becomes dilation*(R-1) - padLow; toggles the flips of dims with
/// R > 1. fprop <-> dgrad, wgrad <-> wgrad. nullopt where a stride is not 1.
std::optional<Canonical> swapInputAndOutput(const Canonical &problem);

} // namespace orzo
