// The util dialect: ops of IREE's input modules that orzo reads and prints, and nothing else.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Dialect/Compat/Util/UtilDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Compat/Util/UtilAttrs.h.inc"

#define GET_OP_CLASSES
#include "Dialect/Compat/Util/UtilOps.h.inc"
