// Sequence: several kernels in one launch, in stages between which the threads of a run meet.
//
//     worked example   a product and two reductions, of what it reads and of what it writes, the latter in two stages
//     stage 0: units of the product, units of the first reduction      stage 1: units of the second reduction
//     stage 2: its other units
#pragma once

#include "Codegen/CPU/KernelEmitter.h"

namespace orzo::cpu {

/// One kernel of a sequence.
struct SequencePart {
  KernelInfo info;            ///< As its emitter returned it.
  std::vector<int64_t> slots; ///< Which slots of the sequence are its own; without shared scratch.
  std::vector<size_t> after;  ///< Numbers of earlier parts whose units are all done before any of it begins.
};

/// Appends to `kernels`, which hold the parts, the kernel `symbol` that runs them: `slotCount` slots, then the shared
/// scratch where KernelInfo asks for it. A part begins in the first stage that `after` allows. The parts become
/// private.
KernelInfo emitSequence(mlir::ModuleOp kernels, const std::string &symbol, const std::vector<SequencePart> &parts,
                        int64_t slotCount);

} // namespace orzo::cpu
