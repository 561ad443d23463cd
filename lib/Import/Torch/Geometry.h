// Geometry: what the forms of a torch convolution say besides their tensors, one for all of them.
#pragma once

#include "Dialect/Compat/Torch/TorchDialect.h"

#include <optional>
#include <string>
#include <vector>

namespace orzo::torch {

/// Entries per spatial dim, lists expanded.
struct Geometry {
  std::vector<int64_t> stride, padLow, padHigh, dilation, outputPadding;
  int64_t groups = 1;
  bool transposed = false; ///< The sizes are those of a transposed convolution: what is left over is output_padding.
};

/// Why an op cannot be read.
struct Complaint {
  bool isInvalid = false; ///< Not legal torch; else legal, and not read.
  std::string reason;
};

/// Of aten.convolution, _convolution, conv1d to conv3d, their padding forms, conv_transpose1d to conv_transpose3d with
/// a weight of shape `weight` (3 to 5 dims).
std::optional<Complaint> readConvolution(mlir::Operation *op, llvm::ArrayRef<int64_t> weight, Geometry &out);

/// Of convolution_backward, whose tensors have `rank` spatial dims.
std::optional<Complaint> readBackward(AtenConvolutionBackwardOp op, int rank, Geometry &out);

} // namespace orzo::torch
