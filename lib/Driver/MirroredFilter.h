// MirroredFilter: a module that reads the filter mirrored where no convolution and no gradient of one does.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <optional>
#include <string>

namespace orzo::driver {

/// torch-mlir's lowering of convolution_backward flipped the filter only where more than one of its dims was longer
/// than 1.
inline constexpr const char *missingFlipCause = "torch-mlir before PR 4437 did this for 1xN, Nx1 and 1-D filters";

/// A warning where `spec` is under none of its names a plain convolution: a flip is left in its canonical form. With
/// stride 1 there is always such a name (an input backward without its flip is a forward convolution), and no warning.
std::optional<std::string> mirroredFilterWarning(const ConvSpec &spec);

} // namespace orzo::driver
