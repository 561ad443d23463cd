// The hal dialect: types and ops at the border of IREE's input modules that orzo reads and prints, and nothing else.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Dialect/Compat/HAL/HALDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Dialect/Compat/HAL/HALTypes.h.inc"

#define GET_OP_CLASSES
#include "Dialect/Compat/HAL/HALOps.h.inc"
