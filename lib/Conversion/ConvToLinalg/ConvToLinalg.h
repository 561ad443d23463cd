// ConvToLinalg: a convolution as linalg ops on the same tensors, for compilers that read linalg.
//
// Two forms, and each computes exactly what the conv op says:
//
//   source    one linalg.generic of the relation h = stride*p + dilation*r, with what it needs in front of it: x padded
//             or cropped; a dgrad's y spread over zeros and its filter mirrored. It says what the problem is, and is
//             read back as the same problem. It is also what front ends write, and multiplies by the zeros it inserted.
//
//   lowered   the canonical problem (orzo/Spec/Canonical.h), without inserted zeros where that is possible:
//             contraction   linalg.matmul, linalg.batch_matmul or a generic of matrix-product form, where the problem
//             is
//                           one (orzo/Spec/Contraction.h) and every tensor packed: reshapes and one product.
//             phases        a strided dgrad: for every phase (orzo/Spec/Phases.h) a sum of matrix products, one a tap,
//                           of shifted slices of y; each phase is inserted into the result at the stride.
//             window        everything else: the source form.
//
//     worked example   dgrad, stride 2, filter 3, padLow 1: the even h have one tap, r = 1, at p = h/2; the odd ones
//     two,
//                      r = 0 and 2, at p = (h+1)/2 and (h-1)/2. Two phases, three products; the source form has three
//                      taps at every h, half of them on zeros.
//
// Accumulation is in f32 in each of them, rounded once to the result's type.
#pragma once

#include "Dialect/Conv/ConvDialect.h"

#include <string>
#include <string_view>

namespace orzo {

enum class LinalgForm : uint8_t { Source, Lowered };

/// "source", "lowered"; InvalidArgument lists them.
Expected<LinalgForm> parseLinalgForm(std::string_view text);

/// What a convolution was written as, and why, in one sentence for people.
struct LinalgChoice {
  std::string_view form; ///< "contraction", "phases" or "window".
  std::string reason;
};

/// The choice for `spec` in the lowered form.
LinalgChoice chooseLinalg(const ConvSpec &spec);

/// Replaces `conv` by linalg ops in `form`.
LinalgChoice convToLinalg(conv::ConvOpInterface conv, LinalgForm form);

} // namespace orzo
