// Writer: the arithmetic, control flow and Hopper operations that kernels are written with.
//
// Integers are i32; shared memory is addressed by i32 and turned into a pointer at each use. It is also the arithmetic
// of Index.h.
#pragma once

#include "orzo/Support/DataType.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace orzo::gpu {

using mlir::Type;
using mlir::Value;
using mlir::ValueRange;

class Writer {
public:
  using Int = Value;

  Writer(mlir::OpBuilder &builder, mlir::Location location, std::string tableSymbol)
      : b(builder), loc(location), tableSymbol(std::move(tableSymbol)) {}

  mlir::OpBuilder &b;
  mlir::Location loc;

  Type i1() { return b.getI1Type(); }
  Type i32() { return b.getI32Type(); }
  Type i64() { return b.getI64Type(); }
  Type f32() { return b.getF32Type(); }
  Type pointer(unsigned space = 0) { return mlir::LLVM::LLVMPointerType::get(b.getContext(), space); }
  mlir::VectorType vector(int64_t lanes, Type element) { return mlir::VectorType::get({lanes}, element); }

  // Arithmetic; constants fold as they are written.
  Value integer(int64_t value);
  Value wide(int64_t value); ///< i64.
  Value add(Value x, Value y);
  Value add(Value x, int64_t y) { return add(x, integer(y)); }
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value mul(Value x, int64_t y) { return mul(x, integer(y)); }
  Value div(Value x, Value y);
  Value rem(Value x, Value y);
  Value min(Value x, Value y);
  Value selectLess(Value a, Value b, Value x, Value y);
  Value bitAnd(Value x, int64_t y);
  Value bitOr(Value x, Value y);
  Value bitXor(Value x, Value y);
  Value shiftRight(Value x, int64_t bits);
  Value less(Value x, Value y);
  Value equal(Value x, int64_t y);
  Value notEqual(Value x, int64_t y);
  Value both(Value x, Value y);
  Value select(Value condition, Value x, Value y);
  Value widen(Value x); ///< To i64, unsigned.
  static std::optional<int64_t> constant(Value value);

  /// values[phase]: a constant where all are equal, else read from the kernel's table in constant memory.
  Value byPhase(const std::vector<int64_t> &values, Value phase);
  /// Adds the table that byPhase() reads to `module`, if anything does.
  void emitTable(mlir::ModuleOp module);

  // Control flow.
  void when(Value condition, const std::function<void()> &then, const std::function<void()> &otherwise = nullptr);
  mlir::SmallVector<Value> loop(Value begin, Value end, Value step, ValueRange initial,
                                const std::function<mlir::SmallVector<Value>(Value, ValueRange)> &body);

  // Memory.
  Value shared(Value address); ///< Pointer to shared memory.
  Value load(Type type, Value pointer, unsigned alignment);
  void store(Value value, Value pointer, unsigned alignment);
  /// `pointer` (global) moved by `elements` (i32, not negative) of `element`.
  Value at(Value pointer, Value elements, Type element);

  // Barriers of shared memory (mbarrier), by address.
  void initBarrier(Value barrier, int64_t arrivals);
  void arrive(Value barrier);
  void expectBytes(Value barrier, int64_t bytes);
  void wait(Value barrier, Value parity);
  /// bar.sync of 128 threads.
  void syncWarpgroup(Value id);
  void syncWarp();

  // Warpgroups.
  Value laneZero(Value x); ///< x of the warp's lane 0, which the compiler then knows to be uniform.
  void setRegisters(int count, bool isIncrease);

  // Copies by tensor map.
  void loadBox(Value target, Value map, Value barrier, ValueRange coordinates, ValueRange offsets, bool isIm2col);
  void storeBox(Value map, Value source, ValueRange coordinates, bool isIm2col);
  void commitStores();
  void waitStores(int groupsLeft, bool isRead);
  void fenceStores(); ///< Shared memory written by this thread becomes visible to the copy engine.

  // Matrix products.
  /// One m64 x columns x k16 product added to `sums`, a struct of columns / 2 f32, or to zero.
  Value multiply(Value sums, Value lhs, Value rhs, int64_t columns, DataType type, bool lhsDepthInner,
                 bool rhsDepthInner, bool fromZero);
  Type sumsType(int64_t columns);
  /// Waits for every product (the first of a group) and gives the sums as values that depend on the wait.
  mlir::SmallVector<Value> finishSums(Value sums, int64_t columns, bool waits);
  void beginProducts();
  void endProducts();
  void waitProducts(int groupsLeft);

  /// Two f32 rounded to nearest even, `low` in the low half of an i32.
  Value pack(Value low, Value high, DataType type);
  void storeMatrix(Value address, ValueRange words);
  /// The four words that storeMatrix() would have stored.
  mlir::SmallVector<Value> loadMatrix(Value address);

private:
  std::string tableSymbol;
  std::vector<std::vector<int64_t>> table;
};

} // namespace orzo::gpu
