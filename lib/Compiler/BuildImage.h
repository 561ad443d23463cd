// BuildImage: the kernel and target phases - from a module of kernels and program to the image of one ISA.
#pragma once

#include "Dialect/Gemm/GemmDialect.h"
#include "Runtime/CPU/Isa.h"
#include "Runtime/Core/Artifact.h"
#include "orzo/Support/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace orzo {

struct ImageRequest {
  Isa isa = Isa::AVX2;
  int threads = 1;
  /// The text of a plan for the main kernel, the convolution with the most work; empty, and for the others: the cost
  /// model's.
  std::string plan;
  /// Products count. The program then begins with a fill of one more workspace slot, int64_t[2], which every dispatch
  /// of a product takes behind its arguments: after a run it holds the valid and the tile multiply-adds of all of them.
  bool countMultiplyAdds = false;
  /// Stop when the kernels are emitted: the image has steps, slots and plan, and no code.
  bool emitOnly = false;
};

/// The IR on the way, as text; what is asked for only.
struct ImageText {
  bool wantKernel = false, wantTarget = false, wantListing = false;
  std::string kernel;         ///< After the kernel phase: scf, arith, vector.
  std::string target;         ///< After the target phase: the LLVM dialect.
  std::string llvm, assembly; ///< The listing: optimised LLVM IR, and assembly.
};

/// Emits each dispatch.func of `dispatched` for one ISA, links them and writes the program's steps over its slots.
/// `dispatched` is what the dispatch phase leaves, and is not changed. Errors are those of the emitter and the target,
/// InvalidArgument for a plan that does not parse; Internal when the lowering fails (MLIR's diagnostics say where).
Expected<ArtifactImage> buildImage(mlir::ModuleOp dispatched, const ImageRequest &request, ImageText &text);

/// The convolution of `dispatched` with the most work; null where there is none.
gemm::GemmOpInterface mainKernel(mlir::ModuleOp dispatched);

} // namespace orzo
