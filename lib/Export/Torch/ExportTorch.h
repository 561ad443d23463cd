// ExportTorch: a problem as torch IR, in the form that torch front ends hand to their compilers.
//
// One func.func @main that writes its result into its first argument and takes the operands behind it: tensors in the
// memory order of the layouts, permuted to N C H W, aten.convolution or aten.convolution_backward with a mask of one
// gradient, and permuted back:
//
//     worked example   dgrad x:nhwc  ->  (%dx_, %dy, %w): %dy and %w by aten.permute [0, 3, 1, 2]; an empty tensor that
//                      says the shape of x; convolution_backward with mask [true, false, false]; its first result by
//                      [0, 2, 3, 1] into %dx_ by torch.overwrite.tensor.contents.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <string>

namespace orzo {

/// `spec` (which must satisfy validate()) as torch IR. Unsupported, saying why: mixed element types, flips, padding
/// that is not the same on both sides, groups apart from the channels that they split. A problem of no spatial dim has
/// one of extent 1.
Expected<std::string> exportTorch(const ConvSpec &spec);

} // namespace orzo
