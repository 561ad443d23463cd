// GraphVerification: are these the right results of a graph?
//
//   full      every element of every output
//   sample    the first, the last and random elements of every output, as many as the oracle has time for; what a
//             sampled element is made of is computed, however many steps before it
//   auto      full where the oracle takes under `fullSeconds` by its estimate, else sample
//   off       nothing
//
// Elements lie within the bound that the graph's steps add up to (GraphBound.h); where that is 0 - integers - they
// equal the exact value rounded once. Elements that nothing can be said about are counted. In every mode, off too, all
// of the outputs is searched for left poison, their gaps for what does not belong there, and the canaries are looked
// at.
#pragma once

#include "Measure/Verification.h"
#include "orzo/Spec/GraphSpec.h"

#include <vector>

namespace orzo {

struct GraphVerifyResult : VerifyResult {
  int64_t unbounded = 0; ///< Elements that nothing can be said about: overflows, comparisons within the error.
};

/// `memory` by value of `graph`: inputs and outputs. Project is sample here; options.exact does not matter.
GraphVerifyResult verify(const GraphSpec &graph, const std::vector<const void *> &memory, const VerifyOptions &options,
                         std::span<const NamedBuffer> buffers = {});

/// How a right element of `type` may differ from the oracle's `value`, itself up to `error` off: what it should be, and
/// by how much it may miss that.
struct Allowance {
  double expected, allowed;
};
Allowance allowanceOf(ElementType type, double value, double error);

} // namespace orzo
