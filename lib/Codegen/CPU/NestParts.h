// NestParts: what the kernels of a StridedNest are written from. Private to lib/Codegen/CPU.
#pragma once

#include "Codegen/CPU/Element.h"
#include "Codegen/CPU/KernelEmitter.h"
#include "Codegen/CPU/NestPlan.h"
#include "Codegen/CPU/Writer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace orzo::cpu {

/// One element at a time, a whole vector of them, or the first lanes of a vector.
enum class Shape : uint8_t { Scalar, Vector, Masked };

/// A place in the iteration space, ready to be walked along one loop.
struct NestRow {
  std::vector<Value> pointers;  ///< Of each operand, then of the result.
  std::vector<Value> constants; ///< As f32, of the operands that do not move along the loop; null for others.
};

/// The function of a kernel and how it reaches its operands.
class NestWriter {
public:
  NestWriter(Writer &writer, const StridedNest &nest, const NestPlan &plan, mlir::Region &body)
      : w(writer), nest(nest), plan(plan), body(body), result(nest.operands()) {}

  /// Writes the kernel's function; `unit` writes one work unit. The insertion point is restored.
  void function(mlir::ModuleOp module, const std::string &symbol, const std::function<void(Value)> &unit);

  /// The memory of slot `index`.
  Value slot(size_t index);

  /// `pointers` moved to the index of each of `loops`.
  std::vector<Value> moved(std::vector<Value> pointers, const std::vector<GraphLoop> &loops,
                           const std::vector<Value> &indices);
  /// The same, with the indices divided out of a flat one.
  std::vector<Value> moved(const std::vector<Value> &pointers, const std::vector<GraphLoop> &loops, Value flat);

  NestRow row(std::vector<Value> pointers, const GraphLoop &along);

  /// What the body computes of the operands at `index` along the row, as f32 of `shape`.
  Value compute(const NestRow &row, const GraphLoop &along, Value index, Shape shape, Value mask = nullptr);
  /// The same of values that have been loaded.
  Value compute(mlir::ValueRange operands, Shape shape);
  /// One operand at `index` along the row.
  Value load(const NestRow &row, size_t operand, const GraphLoop &along, Value index, Shape shape,
             Value mask = nullptr);
  /// A vector of `operand`'s contiguous elements from `pointer`, as f32.
  Value loadVector(size_t operand, Value pointer);
  /// Stores an f32 or f64 of `shape` to the result at `index` along the row.
  void store(const NestRow &row, const GraphLoop &along, Value index, Value value, Shape shape, Value mask = nullptr);

  /// Whether a row along `along` can be walked with masks.
  bool allowsMasks(const GraphLoop &along, bool storing) const;
  /// The first `count` lanes, 0 < count < lanes.
  Value firstLanes(Value count);
  mlir::VectorType vectorOf(Type element) { return w.vector(plan.lanes, element); }

  Writer &w;
  const StridedNest &nest;
  const NestPlan &plan;
  mlir::Region &body;
  const size_t result;      ///< The result's place among operands and result.
  std::vector<Value> bases; ///< First element of each operand, then of the result.
  Value slots, scratch;
};

/// Both append `symbol` to `kernels` and fill in what `info` says of units and scratch.
void emitMapKernel(NestWriter &nest, mlir::ModuleOp kernels, KernelInfo &info);
void emitReduceKernel(NestWriter &nest, mlir::ModuleOp kernels, KernelInfo &info);

} // namespace orzo::cpu
