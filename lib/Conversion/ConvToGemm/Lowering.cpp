#include "Conversion/ConvToGemm/Lowering.h"

#include "Conversion/ConvToGemm/ZeroInsert.h"

namespace orzo {

std::string_view name(Lowering lowering) {
  switch (lowering) {
  case Lowering::Contract:
    return "contract";
  case Lowering::Implicit:
    return "implicit";
  case Lowering::WGrad:
    return "wgrad";
  case Lowering::ZeroInsert:
    break;
  }
  return "zero-insert";
}

static std::string extents(const Contraction &contraction) {
  std::string line = std::to_string(contraction.extentOf(contraction.m)) + "x" +
                     std::to_string(contraction.extentOf(contraction.n)) + "x" +
                     std::to_string(contraction.extentOf(contraction.k));
  int64_t batch = contraction.extentOf(contraction.batch);
  return batch > 1 ? std::to_string(batch) + " of " + line : line;
}

/// Why `spec` has no contraction that a kernel computes without bounds checks; empty when it has one.
static std::string whyNoContraction(const std::optional<Contraction> &contraction) {
  if (!contraction)
    return "taps, padding, dilation, flips or groups keep it from being one strided matrix product";
  // The kernel of a contraction writes its products only; the implicit kernel writes the zeros as well.
  if (contraction->hasZeroTail)
    return "some elements of the result are reached by no product and must be written as zeros";
  return "";
}

static std::string implicitReason(const ConvSpec &spec) {
  if (spec.direction == Direction::FProp)
    return "an fprop gathers its input through one phase while packing";
  return "a dgrad computes each residue of the stride as its own phase, so no zero is inserted";
}

Expected<LoweringChoice> chooseLowering(const ConvSpec &spec, std::string_view forced) {
  std::optional<Contraction> contraction = collapse(spec);
  std::string obstacle = whyNoContraction(contraction);
  bool isWGrad = spec.direction == Direction::WGrad;
  std::string byForce = "forced: ";
  if (forced.empty()) {
    if (obstacle.empty())
      return LoweringChoice{Lowering::Contract,
                            "it is a strided matrix product " + extents(*contraction) + " (m, n, k)", contraction};
    if (isWGrad)
      return LoweringChoice{Lowering::WGrad, "a wgrad sums over batch and output positions; " + obstacle, {}};
    return LoweringChoice{Lowering::Implicit, implicitReason(spec) + "; " + obstacle, {}};
  }
  if (forced == name(Lowering::Contract)) {
    if (!obstacle.empty())
      return Status::invalidArgument("lowering 'contract' cannot compute this problem: " + obstacle + "; '" +
                                     (isWGrad ? "wgrad" : "implicit") + "' can");
    return LoweringChoice{Lowering::Contract, byForce + "a strided matrix product " + extents(*contraction),
                          contraction};
  }
  if (forced == name(Lowering::Implicit)) {
    if (isWGrad)
      return Status::invalidArgument("lowering 'implicit' computes fprop and dgrad, and this is a wgrad; 'wgrad' can");
    return LoweringChoice{Lowering::Implicit, byForce + implicitReason(spec), {}};
  }
  if (forced == name(Lowering::WGrad)) {
    if (!isWGrad)
      return Status::invalidArgument("lowering 'wgrad' computes wgrad, and this is a " +
                                     std::string(name(spec.direction)) + "; 'implicit' can");
    return LoweringChoice{Lowering::WGrad, byForce + "a wgrad sums over batch and output positions", {}};
  }
  if (forced == name(Lowering::ZeroInsert)) {
    if (Expected<ZeroInsertion> insertion = zeroInsertion(spec); !insertion)
      return insertion.status();
    return LoweringChoice{Lowering::ZeroInsert, byForce + "the baseline that inserts zeros in memory", {}};
  }
  return Status::invalidArgument("unknown lowering '" + std::string(forced) +
                                 "'; there are contract, implicit, wgrad and zero-insert");
}

} // namespace orzo
