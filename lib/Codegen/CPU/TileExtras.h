// TileExtras: the extras of an epilogue, read beside a register tile. Private to lib/Codegen/CPU.
#pragma once

#include "Codegen/CPU/KernelParts.h"

namespace orzo::cpu {

/// Reads for a tile's rows and columns what belongs to them. The tile's function takes, behind its other arguments,
/// what arguments() makes where it is called.
class TileExtras {
public:
  TileExtras(Writer &writer, const Kernel &kernel) : w(writer), kernel(kernel) {}

  /// Types of the arguments.
  mlir::SmallVector<Type> types() const;

  /// The arguments for a tile at (row, column) of its block: `pointers` of the extras, each moved to phase and batch,
  /// or, without strides, the extra's first element; `outElement` the number of the result's element there.
  static mlir::SmallVector<Value> arguments(Writer &writer, const Kernel &kernel, Value scratch, Value outElement,
                                            const std::vector<Value> &pointers, Value row, Value column);

  /// To be called at the beginning of the tile's function: `given` are its arguments, the others are the tile's.
  void take(ValueRange given, Value rowOffsets, Value columnOffsets);

  /// Asks for the cache lines that the rows of a tile will read, for a tile that is still to be multiplied: they lie a
  /// whole row of the result apart, which no processor foresees.
  void prefetch(Value rows);

  /// Of the element (row, column) of the tile, one f32 an extra.
  mlir::SmallVector<Value> element(Value row, Value column);

  /// Before rows are read: gathers what lies apart, and reads what no row changes. `masks`, one a register, where the
  /// columns do not fill the tile; empty: they do.
  void beginRows(Value rows, Value columns, const mlir::SmallVector<Value> &masks);

  /// Before the registers of a row are read.
  void beginRow(Value row);

  /// Of register `vector` of the row, one vector or scalar of f32 an extra.
  mlir::SmallVector<Value> registers(int64_t vector);

private:
  struct Memory {
    const KernelExtra &extra;
    Value pointer, rows, columns, staging;
    Value rowOffset;                     ///< Of the row begun.
    mlir::SmallVector<Value> ofEveryRow; ///< Its registers, where no row changes them.
    bool staysInRows() const { return extra.strides && extra.rows == KernelExtra::Walk::Still; }
  };

  Value rowOffsetOf(const Memory &memory, Value row);
  Value columnOffsetOf(const Memory &memory, Value column);
  Value elementOf(const Memory &memory, Value row, Value column);
  Value registerOf(const Memory &memory, int64_t vector);
  void gather(const Memory &memory, Value rows, Value columns);

  Writer &w;
  const Kernel &kernel;
  std::vector<Memory> extras;
  Value outElement, rowOffsets, columnOffsets, columnCount, rowBegun;
  mlir::SmallVector<Value> masks;
};

} // namespace orzo::cpu
