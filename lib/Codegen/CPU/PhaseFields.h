// PhaseFields: the nest's phases as read-only data of the kernel. Private to lib/Codegen/CPU.
#pragma once

#include "Codegen/CPU/KernelParts.h"

#include <optional>
#include <vector>

namespace orzo::cpu {

/// One row of fields a phase. A field that no phase changes is a constant and takes no room; without any other there is
/// no table.
class PhaseFields {
public:
  struct Field {
    std::optional<int64_t> constant;
    int64_t index = 0;
  };

  Field unitStart;    ///< First unit of the phase.
  Field segmentStart; ///< First segment - (batch, column block) - of the phase, counted over all phases.
  Field lhsBase, rhsBase, outBase;
  std::vector<Field> m, n, k, coordinateBase;
  std::vector<Field> extraBases; ///< Of the extras that have strides; else 0.

  /// Adds the table of the kernel `symbol` to `module`.
  PhaseFields(Writer &writer, mlir::ModuleOp module, const std::string &symbol, const Nest &nest, const Plan &plan,
              const std::vector<KernelExtra> &extras);

  /// The phase whose units hold `unit`: the last that starts at or before it (an empty phase starts where the next
  /// does).
  Value find(Value unit);

  Value read(const Field &field, Value phase);
  std::vector<Value> read(const std::vector<Field> &fields, Value phase);

private:
  template <typename Get> Field add(Get get);

  Writer &w;
  const Nest &nest;
  mlir::LLVM::GlobalOp table;
  int64_t fieldCount = 0;
  std::vector<int64_t> values; ///< Field by field, until the table is written phase by phase.
};

} // namespace orzo::cpu
