// Contraction: the problems that are a plain (batched) matrix product over strided memory, and need no bounds checks.
//
//     out[b, m, n] = sum over k of  lhs[b, m, k] * rhs[b, k, n]
//
// where b, m, n, k are each a list of dims, outermost first, merged as far as memory allows. A 1x1 stride-1 unpadded
// convolution is one in any layout. With C innermost in x and w, S next, groups 1, dilation 1 along S, no padding read
// along it and no flip along it, (s, c) is one contiguous dim (DESIGN: "Collapse to a contraction"): fprop and wgrad
// with any stride, dgrad when filter == stride or out == 1 along that dim.
//
//     worked example   dgrad, x: n h c = 16 x 512 x 2048, w: k r c = 2048 x 2 x 2048, y: n p k = 16 x 256 x 2048,
//     stride 2 x[n, 2p + r, c] = sum over k of y[n, p, k] * w[k, r, c] m = (n, p) = 4096 at pitch 4096 in x and 2048 in
//     y;  n = (r, c) = 4096, contiguous in x and w;  k = 2048 so  x[4096 x 4096] = y[4096 x 2048] * w[2048 x 4096],
//     row-major.
//
// A Contraction is canonical: n holds the result's innermost dim (so a problem and its transpose are one contraction),
// dims of extent 1 are dropped, neighbouring dims merge where all tensors that have them allow it.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <optional>
#include <string>
#include <vector>

namespace orzo {

/// One loop dim: its extent, and the elements between neighbours along it in each tensor (0 where it has no such dim).
struct ContractionDim {
  int64_t extent = 1;
  int64_t lhs = 0, rhs = 0, out = 0;
  bool operator==(const ContractionDim &) const = default;
};

struct Contraction {
  std::vector<ContractionDim> batch, m, n, k;       ///< Each outermost first.
  Role lhs = Role::X, rhs = Role::W, out = Role::Y; ///< Which tensors of the ConvSpec they are.
  /// Elements of the result that no product reaches (strided dgrad's tail columns) are zero. They are the result
  /// elements outside the image of (batch, m, n); true when there are any.
  bool hasZeroTail = false;

  int64_t extentOf(const std::vector<ContractionDim> &dims) const {
    int64_t product = 1;
    for (const ContractionDim &dim : dims)
      product *= dim.extent;
    return product;
  }
  bool operator==(const Contraction &) const = default;
};

/// The contraction that `spec` is, or nullopt where it is none. `spec` must satisfy validate(). Every tensor that has a
/// dim has one of element stride 1; element 0 of each tensor belongs to index 0 of every dim.
std::optional<Contraction> collapse(const ConvSpec &spec);

/// One line of extents and lhs:rhs:out strides, e.g. "m 4096:2048:0:4096 n 4096:0:1:1 k 2048:1:4096:0", with "b ..."
/// in front where there are batch dims and "tail" at the end where hasZeroTail. It does not say which tensors lhs, rhs
/// and out are: equal texts are one computation over three arrays.
std::string text(const Contraction &contraction);

} // namespace orzo
