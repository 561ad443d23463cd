// TorchText: a sample as a torch module, with permutes around a convolution in the order batch, channel, spatial dims.
#pragma once

#include "Sample.h"

namespace orzo::test {

struct TorchStyle {
  bool overwrites = true;  ///< Writes into the first argument; otherwise returns.
  bool transposed = false; ///< As a transposed convolution, or its gradients, where the sample's sizes allow any.
};

std::string torchText(const Sample &sample, TorchStyle style = {});

/// "!torch.vtensor<[2,3],f32>".
std::string torchType(const std::vector<int64_t> &shape, DataType type);

} // namespace orzo::test
