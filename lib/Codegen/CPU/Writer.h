// Writer: arithmetic, memory and control flow in the few forms that the kernel emitter uses.
//
// All integers are i64 and all memory is reached through !llvm.ptr; constants fold as they are written.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "orzo/Support/DataType.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace orzo::cpu {

using mlir::Type;
using mlir::Value;
using mlir::ValueRange;

class Writer {
public:
  Writer(mlir::OpBuilder &builder, mlir::Location location) : b(builder), loc(location) {}

  mlir::OpBuilder &b;
  mlir::Location loc;

  Type i1() { return b.getI1Type(); }
  Type i32() { return b.getI32Type(); }
  Type i64() { return b.getI64Type(); }
  Type f32() { return b.getF32Type(); }
  Type pointer() { return mlir::LLVM::LLVMPointerType::get(b.getContext()); }
  /// How an element lies in memory: f32, or i16 for the 16-bit types. (As floats, LLVM would carry them through f32
  /// registers and library calls on processors without such registers.)
  Type storage(DataType type);
  mlir::VectorType vector(int64_t lanes, Type element) { return mlir::VectorType::get({lanes}, element); }

  Value integer(int64_t value);
  Value zero(Type type); ///< Of a scalar or vector of integers or floats.
  Value add(Value x, Value y);
  Value add(Value x, int64_t y) { return add(x, integer(y)); }
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value mul(Value x, int64_t y) { return mul(x, integer(y)); }
  Value div(Value x, Value y); ///< Of non-negative x by positive y.
  Value rem(Value x, Value y);
  Value ceilDiv(Value x, int64_t y) { return div(add(x, y - 1), integer(y)); }
  Value min(Value x, Value y);
  Value max(Value x, Value y);
  Value both(Value x, Value y); ///< Logical and.
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y);
  Value less(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::slt, x, y); }
  Value equal(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::eq, x, y); }
  /// 0 <= x < y, for y >= 0.
  Value inRange(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::ult, x, y); }
  Value select(Value condition, Value x, Value y);
  /// The value of an integer() constant, if it is one.
  static std::optional<int64_t> constant(Value value);

  /// `value`, which the optimiser knows nothing about afterwards. For the bounds of masks: where a mask is known to
  /// have one lane, LLVM 22 makes a masked store of truncated i32 (and the like) a scalar store of the wide element,
  /// which writes beyond the lane.
  Value opaque(Value value);

  /// `pointer` moved by `index` elements of `element`.
  Value at(Value pointer, Value index, Type element);
  Value load(Type type, Value pointer, int64_t alignment);
  void store(Value value, Value pointer, int64_t alignment);
  /// Asks for the cache line of `pointer`, which need not be memory at all.
  void prefetch(Value pointer);
  Value loadInteger(Value table, Value index) { return load(i64(), at(table, index, i64()), 8); }
  void storeInteger(Value value, Value table, Value index) { store(value, at(table, index, i64()), 8); }

  /// Transposes a square of values in registers: `rows` are as many vectors as they have lanes.
  void transpose(mlir::SmallVectorImpl<Value> &rows);

  /// Widens a scalar or vector of storage(from) to f32, exactly.
  Value widen(Value value, DataType from);
  /// Rounds an f32 scalar or vector to storage(to): nearest, ties to even, a NaN stays a NaN, denormals are kept.
  Value narrow(Value value, DataType to);

  void loop(Value begin, Value end, int64_t step, const std::function<void(Value)> &body);
  mlir::SmallVector<Value> loop(Value begin, Value end, int64_t step, ValueRange initial,
                                const std::function<mlir::SmallVector<Value>(Value, ValueRange)> &body);
  void when(Value condition, const std::function<void()> &then, const std::function<void()> &otherwise = nullptr);
  mlir::SmallVector<Value> choose(Value condition, mlir::TypeRange types,
                                  const std::function<mlir::SmallVector<Value>()> &then,
                                  const std::function<mlir::SmallVector<Value>()> &otherwise);
};

} // namespace orzo::cpu
