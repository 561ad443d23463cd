// Projection: the result's channels contracted with a random vector of +-1, which costs 1/channels of the whole result.
//
// A convolution is linear in each operand, so the contraction of the result along a channel axis is the convolution
// with the operand that carries this axis contracted instead:
//
//     fprop   sum_k v[k] y[n,k,p]  =  sum_c,r x[n,c,h] * (sum_k v[k] w[k,c,r])
//
// and every element of the actual result takes part in the comparison. With signs drawn independently of the data, a
// wrong element shows as itself, up to sign; errors of several elements cancel only by chance.
#pragma once

#include "Reference/Evaluate.h"

#include <vector>

namespace orzo::reference {

struct Projection {
  Axis axis = Axis::K;       ///< The contracted axis of the result: fprop K, dgrad C, wgrad the longer of both.
  std::vector<double> signs; ///< +-1, one per channel of a group.
  /// The projected values in the order of the result's memory with `axis` left out.
  std::vector<double> value;
  /// sqrt(L) * sqrt(sum over channels and products of the squared products); empty unless asked for.
  std::vector<double> spread;
};

/// The projection of the right result. `seed` draws the signs.
Projection project(const ConvSpec &spec, const Tensors &tensors, uint64_t seed, bool spread, int threads = 0);

/// The actual `result` contracted likewise: value[i] = sum of signs * result, and roundings[i] = sum of the squared
/// worst-case output roundings u*|result|, where u is the result type's unit roundoff. With `integers` elements that
/// the type holds exactly whenever they are integers (|result| <= 1/u) count as unrounded.
void projectResult(const ConvSpec &spec, const Projection &projection, const void *result, bool integers,
                   std::vector<double> &value, std::vector<double> &roundings, int threads = 0);

} // namespace orzo::reference
