#include "Dialect/Compat/Torch/TorchDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

namespace orzo::torch {

// `list<int>` is `list<!torch.int>`; it nests: `list<optional<vtensor<[1],f32>>>`.
static mlir::ParseResult parseBareType(mlir::AsmParser &parser, mlir::Type &type);
static void printBareType(mlir::AsmPrinter &printer, mlir::Type type);

namespace {

struct TensorParts {
  bool hasSizes = false;
  llvm::SmallVector<int64_t> sizes;
  mlir::Type elementType;
};

/// What follows the mnemonic of both tensor types.
mlir::ParseResult parseTensor(mlir::AsmParser &parser, TensorParts &parts) {
  if (failed(parser.parseOptionalLess()))
    return mlir::success();
  if (failed(parser.parseOptionalStar())) {
    parts.hasSizes = true;
    auto size = [&]() -> mlir::ParseResult {
      int64_t &extent = parts.sizes.emplace_back(mlir::ShapedType::kDynamic);
      if (succeeded(parser.parseOptionalQuestion()))
        return mlir::success();
      llvm::SMLoc location = parser.getCurrentLocation();
      if (parser.parseInteger(extent))
        return mlir::failure();
      if (extent < 0)
        return parser.emitError(location, "a size is at least 0, or ?; got ") << extent;
      return mlir::success();
    };
    if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, size))
      return mlir::failure();
  }
  if (parser.parseComma())
    return mlir::failure();
  if (failed(parser.parseOptionalKeyword("unk")) && parser.parseType(parts.elementType))
    return mlir::failure();
  return parser.parseGreater();
}

template <typename TensorType> mlir::Type parseTensorType(mlir::AsmParser &parser) {
  TensorParts parts;
  if (parseTensor(parser, parts))
    return {};
  return TensorType::get(parser.getContext(), parts.hasSizes, parts.sizes, parts.elementType);
}

template <typename TensorType> void printTensorType(TensorType type, mlir::AsmPrinter &printer) {
  if (!type.getHasSizes() && !type.getElementType())
    return;
  printer << "<";
  if (type.getHasSizes()) {
    printer << "[";
    llvm::interleave(
        type.getSizes(), printer.getStream(),
        [&](int64_t size) {
          if (mlir::ShapedType::isDynamic(size))
            printer << "?";
          else
            printer << size;
        },
        ",");
    printer << "]";
  } else {
    printer << "*";
  }
  printer << ",";
  if (type.getElementType())
    printer << type.getElementType();
  else
    printer << "unk";
  printer << ">";
}

} // namespace
} // namespace orzo::torch

#define GET_TYPEDEF_CLASSES
#include "Dialect/Compat/Torch/TorchTypes.cpp.inc"

namespace orzo::torch {

static mlir::ParseResult parseBareType(mlir::AsmParser &parser, mlir::Type &type) {
  llvm::StringRef mnemonic;
  llvm::SMLoc location = parser.getCurrentLocation();
  mlir::OptionalParseResult result = generatedTypeParser(parser, &mnemonic, type);
  if (result.has_value())
    return *result;
  return parser.emitError(location, "unknown torch type '") << mnemonic << "'";
}

static void printBareType(mlir::AsmPrinter &printer, mlir::Type type) { (void)generatedTypePrinter(type, printer); }

mlir::Type VTensorType::parse(mlir::AsmParser &parser) { return parseTensorType<VTensorType>(parser); }
void VTensorType::print(mlir::AsmPrinter &printer) const { printTensorType(*this, printer); }
mlir::Type NonValueTensorType::parse(mlir::AsmParser &parser) { return parseTensorType<NonValueTensorType>(parser); }
void NonValueTensorType::print(mlir::AsmPrinter &printer) const { printTensorType(*this, printer); }

void TorchDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "Dialect/Compat/Torch/TorchTypes.cpp.inc"
      >();
}

mlir::Type TorchDialect::parseType(mlir::DialectAsmParser &parser) const {
  llvm::StringRef mnemonic;
  llvm::SMLoc location = parser.getCurrentLocation();
  mlir::Type type;
  if (generatedTypeParser(parser, &mnemonic, type).has_value())
    return type;
  parser.emitError(location, "unknown torch type '") << mnemonic << "'";
  return {};
}

void TorchDialect::printType(mlir::Type type, mlir::DialectAsmPrinter &printer) const { printBareType(printer, type); }

} // namespace orzo::torch
