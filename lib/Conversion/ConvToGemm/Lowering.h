// Lowering: which gemm ops compute a convolution, and why.
//
// - contract: the convolution is a plain strided matrix product (Spec's collapse()): no index logic at all.
// - implicit: an fprop or dgrad whose input is gathered through the phase table while it is packed.
// - wgrad: a filter gradient, a product over batch and output positions.
// - zero-insert: never chosen. The baseline that writes zeros into memory (padding, strides) and then convolves
// densely;
//   its fills, copies and extra multiply-adds are what the others avoid.
#pragma once

#include "orzo/Spec/Contraction.h"
#include "orzo/Spec/ConvSpec.h"

#include <optional>
#include <string>
#include <string_view>

namespace orzo {

enum class Lowering : uint8_t { Contract, Implicit, WGrad, ZeroInsert };

/// "contract", "implicit", "wgrad", "zero-insert".
std::string_view name(Lowering lowering);

struct LoweringChoice {
  Lowering lowering = Lowering::Implicit;
  std::string reason;                     ///< One sentence.
  std::optional<Contraction> contraction; ///< Of a contract.
};

/// The lowering of `spec`: `forced`, or where that is empty the best. InvalidArgument when `forced` is no lowering, or
/// one that cannot compute `spec`; the message says why and what would work.
Expected<LoweringChoice> chooseLowering(const ConvSpec &spec, std::string_view forced);

} // namespace orzo
