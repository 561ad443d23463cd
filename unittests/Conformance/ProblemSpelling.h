// ProblemSpelling: problems as people say them - symmetric padding, transposed convolutions, layouts by family.
#pragma once

#include "orzo/Spec/ConvSpec.h"

namespace orzo::conformance {

/// Families of dimension orders, outermost first (s: the spatial dims, g just before the channels it splits):
///   Last       x n s g c   w g k s c   y n s g k
///   First      x n g c s   w g k c s   y n g k s
///   BatchLast  x g c s n   w g c s k   y g k s n
///   ChannelsInner (depthwise filters)  w s g c k; x and y as Last
enum class LayoutOrder : uint8_t { Last, First, BatchLast, ChannelsInner };

Layout layoutOf(Role role, int rank, LayoutOrder order);

/// All three tensors in one family.
void setLayouts(ConvSpec &spec, LayoutOrder order);

/// A dim by what a user gives: input extent, filter, and the two paddings; out follows.
SpatialDim window(int64_t in, int64_t filter, int64_t stride = 1, int64_t padLow = 0, int64_t padHigh = 0,
                  int64_t dilation = 1);

/// A dim of a transposed convolution: its input is y, of extent `out`; its output is x, of extent
/// (out-1)*stride - 2*pad + dilation*(filter-1) + 1 + outputPadding.
SpatialDim transposedWindow(int64_t input, int64_t filter, int64_t stride, int64_t pad, int64_t outputPadding,
                            int64_t dilation = 1);

/// The extent of the output of a transposed convolution that leaves `dim` with this padHigh, by the spelling with
/// output padding: as much of it as there may be (less than the stride), the rest as padding at the high end.
int64_t transposedExtent(const SpatialDim &dim, int64_t padHigh);

} // namespace orzo::conformance
