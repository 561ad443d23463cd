// ProgramWriter: from the program of the dispatch phase to the slots and steps of an artifact's image, for any target.
#pragma once

#include "Codegen/Common/Epilogue.h"
#include "Codegen/Common/Nest.h"
#include "Dialect/Dispatch/DispatchDialect.h"
#include "Dialect/Gemm/GemmDialect.h"
#include "Runtime/Core/Artifact.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <functional>
#include <vector>

namespace orzo {

/// Element type of an operand or of the result of a convolution.
DataType elementOf(mlir::Value value);

/// `status`, of a graph with the value that `op` computes in front ("%4: ...").
Status atValueOf(mlir::Operation *op, Status status);

/// The loop nest of a gemm op.
Nest nestOfKernel(gemm::GemmOpInterface kernel);

/// The epilogue of a gemm op, and how it reads the op's extras.
Epilogue epilogueOf(gemm::GemmOpInterface kernel);

/// For each slot of `kernel`'s emitted code, the argument of its dispatch.func: the three that `slots` gives by role,
/// then the extras.
llvm::SmallVector<unsigned> kernelArguments(gemm::GemmOpInterface kernel, const std::array<Role, 3> &slots);

class ProgramWriter {
public:
  /// Called for each run of a kernel, with the slots of its operands: it appends the steps that the target needs.
  using AddRun = std::function<void(dispatch::RunOp, const std::vector<int32_t> &)>;

  /// Appends to `image`, which must outlive the writer.
  ProgramWriter(ArtifactImage &image, AddRun addRun) : image(image), addRun(std::move(addRun)) {}

  void write(dispatch::ProgramOp program);

private:
  void addSlot(mlir::Value value, ArtifactSlot slot);
  void addFill(dispatch::FillOp fill);
  void addCopy(dispatch::CopyOp copy);

  ArtifactImage &image;
  AddRun addRun;
  llvm::DenseMap<mlir::Value, int32_t> slotOf;
};

} // namespace orzo
