// Constants: numbers, flags and lists of them, as torch modules spell them.
#pragma once

#include "mlir/IR/Value.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace orzo::torch {

/// The constant that makes `value`; nullopt for anything else.
std::optional<int64_t> constantInt(mlir::Value value);
std::optional<bool> constantBool(mlir::Value value);
/// A float, an int or a bool, as a number.
std::optional<double> constantNumber(mlir::Value value);
/// The elements of a ListConstruct of constants.
std::optional<std::vector<int64_t>> constantInts(mlir::Value value);
std::optional<std::vector<bool>> constantBools(mlir::Value value);
bool isNone(mlir::Value value);

/// The element type that a dtype operand says (c10's ScalarType numbers); null for none and for types unknown here.
mlir::Type scalarType(mlir::Value value);

} // namespace orzo::torch
