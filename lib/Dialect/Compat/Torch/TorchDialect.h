// The torch dialect: types and ops of torch-mlir that orzo reads and prints, and nothing else.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Dialect/Compat/Torch/TorchDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Dialect/Compat/Torch/TorchTypes.h.inc"

#define GET_OP_CLASSES
#include "Dialect/Compat/Torch/TorchOps.h.inc"
