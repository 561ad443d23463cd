// Simulation: a whole kernel's index logic run on the CPU, on f64.
//
// It walks the tiles as the blocks of a launch do, fetches every box as the tensor memory accelerator defines it (out
// of a map's bounds reads zero, writes nothing), multiplies, and stores. Tables, plan and the arithmetic of Index.h are
// those that the emitted kernel has, down to each load of a gathered operand; what is not simulated is swizzling,
// barriers and rounding.
#pragma once

#include "Codegen/Common/Epilogue.h"
#include "Codegen/GPU/Plan.h"
#include "Codegen/GPU/Tables.h"
#include "orzo/Support/Status.h"

#include <span>

namespace orzo::gpu {

/// Computes `out` from `lhs` and `rhs`, each one value an element in the order of memory. Internal, with the tile, when
/// an address lies outside of its tensor, a walk starts outside of its bounds or an element is stored twice, or the
/// kernel would take another element of an extra of `epilogue` than its map says; bodies are not run. Elements never
/// stored keep their values.
Status simulate(const Tables &tables, const Plan &plan, std::span<const double> lhs, std::span<const double> rhs,
                std::span<double> out, const Epilogue &epilogue = {});

} // namespace orzo::gpu
