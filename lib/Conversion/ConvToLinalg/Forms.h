// Forms: the three ways a convolution is written in linalg; see ConvToLinalg.h. Each gives the result tensor.
#pragma once

#include "Conversion/ConvToLinalg/LinalgBuilder.h"
#include "orzo/Spec/Contraction.h"

#include <array>
#include <optional>

namespace orzo {

/// The operands of a problem by Role; the result's entry is empty.
using RoleValues = std::array<mlir::Value, 3>;

/// A contraction's dims, grouped by the tensor that they lie in, outermost first; nullopt where a tensor is not
/// packed, so that reshapes alone do not give it those dims, or where the contraction leaves a tail.
struct PackedContraction {
  Contraction contraction;
  std::vector<ContractionDim> dims; ///< Loops: batch, m, n, k.
  /// For lhs, rhs and out: the loops it is indexed by, outermost in memory first.
  std::array<std::vector<unsigned>, 3> axes;
};
std::optional<PackedContraction> packedContraction(const ConvSpec &spec);

/// Reshapes, one product, and the reshape back.
mlir::Value buildContraction(LinalgBuilder &linalg, const ConvSpec &spec, const PackedContraction &packed,
                             const RoleValues &tensors);

/// A dgrad by phases.
mlir::Value buildPhases(LinalgBuilder &linalg, const ConvSpec &spec, const RoleValues &tensors);

/// The source form of any problem.
mlir::Value buildWindow(LinalgBuilder &linalg, const ConvSpec &spec, const RoleValues &tensors);

} // namespace orzo
