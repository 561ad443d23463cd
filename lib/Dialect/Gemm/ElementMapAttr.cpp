#include "Dialect/Gemm/GemmDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

namespace orzo::gemm {

ElementMapAttr ElementMapAttr::get(mlir::MLIRContext *context, const ElementMap &map) {
  llvm::SmallVector<int64_t> digits;
  for (const ElementMap::Digit &digit : map.digits)
    digits.append({digit.extent, digit.stride});
  return get(context, llvm::ArrayRef<int64_t>(digits), map.offset);
}

ElementMap ElementMapAttr::getMap() const {
  ElementMap map;
  map.offset = getOffset();
  for (llvm::ArrayRef<int64_t> digits = getDigits(); !digits.empty(); digits = digits.drop_front(2))
    map.digits.push_back({digits[0], digits[1]});
  return map;
}

void ElementMapAttr::print(mlir::AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getMap().digits, printer,
                        [&](const ElementMap::Digit &digit) { printer << digit.extent << "(" << digit.stride << ")"; });
  printer << "], from = " << getOffset() << ">";
}

mlir::Attribute ElementMapAttr::parse(mlir::AsmParser &parser, mlir::Type) {
  llvm::SmallVector<int64_t> digits;
  int64_t offset = 0;
  auto parseDigit = [&]() -> mlir::ParseResult {
    int64_t extent, stride;
    if (parser.parseInteger(extent) || parser.parseLParen() || parser.parseInteger(stride) || parser.parseRParen())
      return mlir::failure();
    digits.append({extent, stride});
    return mlir::success();
  };
  if (parser.parseLess() || parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, parseDigit) ||
      parser.parseComma() || parser.parseKeyword("from") || parser.parseEqual() || parser.parseInteger(offset) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), llvm::ArrayRef<int64_t>(digits), offset);
}

} // namespace orzo::gemm
