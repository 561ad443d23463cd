// The phases of a compilation and the passes of each. Pipeline.cpp is the only file that lists passes in order.
#pragma once

#include "orzo/Support/Status.h"

#include "mlir/Pass/PassManager.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace orzo {

/// In order. Import and Target are not made of passes over one module: the first makes the module, Kernel and Target
/// run once per ISA (lib/Compiler/BuildImage.h).
enum class Phase : uint8_t { Import, Conv, Dispatch, Kernel, Target };

inline constexpr std::array<Phase, 5> allPhases = {Phase::Import, Phase::Conv, Phase::Dispatch, Phase::Kernel,
                                                   Phase::Target};

/// "import", "conv", "dispatch", "kernel", "target".
std::string_view name(Phase phase);
/// One sentence for people: what holds after the phase.
std::string_view sentence(Phase phase);
/// The reverse of name(); InvalidArgument lists the five.
Expected<Phase> parsePhase(std::string_view text);

struct RaiseReport;

struct PipelineOptions {
  std::string lowering;          ///< A forced lowering, or empty.
  RaiseReport *raised = nullptr; ///< Receives what the conv phase raised; may be null.
};

/// Appends the passes of the dispatch phase for func.func @problem that stays linalg on tensors, with `orzo.linalg` and
/// `orzo.reason` for its program: one launch of plain loops.
void addLinalgDispatch(mlir::OpPassManager &passes);

/// Appends the passes of `phase` (Conv or Dispatch; the others have none) to a pass manager of builtin.module.
void addPhase(mlir::OpPassManager &passes, Phase phase, const PipelineOptions &options);

} // namespace orzo
