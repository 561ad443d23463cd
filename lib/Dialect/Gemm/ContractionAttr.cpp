#include "Dialect/Gemm/GemmDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

namespace orzo::gemm {

static llvm::SmallVector<int64_t> flat(const std::vector<ContractionDim> &dims) {
  llvm::SmallVector<int64_t> values;
  for (const ContractionDim &dim : dims)
    values.append({dim.extent, dim.lhs, dim.rhs, dim.out});
  return values;
}

static std::vector<ContractionDim> dimsOf(llvm::ArrayRef<int64_t> values) {
  std::vector<ContractionDim> dims;
  for (; !values.empty(); values = values.drop_front(4))
    dims.push_back({values[0], values[1], values[2], values[3]});
  return dims;
}

ContractionAttr ContractionAttr::get(mlir::MLIRContext *context, const Contraction &contraction) {
  return get(context, contraction.lhs, contraction.rhs, contraction.out, flat(contraction.batch), flat(contraction.m),
             flat(contraction.n), flat(contraction.k), contraction.hasZeroTail);
}

Contraction ContractionAttr::getContraction() const {
  Contraction contraction;
  contraction.batch = dimsOf(getBatch());
  contraction.m = dimsOf(getM());
  contraction.n = dimsOf(getN());
  contraction.k = dimsOf(getK());
  contraction.lhs = getLhs();
  contraction.rhs = getRhs();
  contraction.out = getOut();
  contraction.hasZeroTail = getZeroTail();
  return contraction;
}

static void printDims(mlir::AsmPrinter &printer, llvm::StringRef keyword, llvm::ArrayRef<int64_t> values) {
  printer << ", " << keyword << " = [";
  for (size_t i = 0; i < values.size(); i += 4)
    printer << (i ? ", " : "") << values[i] << "(" << values[i + 1] << ", " << values[i + 2] << ", " << values[i + 3]
            << ")";
  printer << "]";
}

void ContractionAttr::print(mlir::AsmPrinter &printer) const {
  printer << "<" << orzo::name(getOut()).data() << " = " << orzo::name(getLhs()).data() << " * "
          << orzo::name(getRhs()).data();
  printDims(printer, "batch", getBatch());
  printDims(printer, "m", getM());
  printDims(printer, "n", getN());
  printDims(printer, "k", getK());
  printer << (getZeroTail() ? ", zero_tail>" : ">");
}

static mlir::ParseResult parseRole(mlir::AsmParser &parser, Role &role) {
  llvm::SMLoc location = parser.getCurrentLocation();
  llvm::StringRef word;
  if (parser.parseKeyword(&word))
    return mlir::failure();
  for (Role candidate : {Role::X, Role::W, Role::Y})
    if (word == llvm::StringRef(orzo::name(candidate))) {
      role = candidate;
      return mlir::success();
    }
  return parser.emitError(location, "expected x, w or y");
}

static mlir::ParseResult parseDims(mlir::AsmParser &parser, llvm::StringRef keyword,
                                   llvm::SmallVector<int64_t> &values) {
  auto parseDim = [&]() -> mlir::ParseResult {
    int64_t extent, lhs, rhs, out;
    if (parser.parseInteger(extent) || parser.parseLParen() || parser.parseInteger(lhs) || parser.parseComma() ||
        parser.parseInteger(rhs) || parser.parseComma() || parser.parseInteger(out) || parser.parseRParen())
      return mlir::failure();
    values.append({extent, lhs, rhs, out});
    return mlir::success();
  };
  return mlir::failure(parser.parseComma() || parser.parseKeyword(keyword) || parser.parseEqual() ||
                       parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, parseDim));
}

mlir::Attribute ContractionAttr::parse(mlir::AsmParser &parser, mlir::Type) {
  Role lhs, rhs, out;
  llvm::SmallVector<int64_t> batch, m, n, k;
  if (parser.parseLess() || parseRole(parser, out) || parser.parseEqual() || parseRole(parser, lhs) ||
      parser.parseStar() || parseRole(parser, rhs) || parseDims(parser, "batch", batch) || parseDims(parser, "m", m) ||
      parseDims(parser, "n", n) || parseDims(parser, "k", k))
    return {};
  bool zeroTail = mlir::succeeded(parser.parseOptionalComma());
  if ((zeroTail && parser.parseKeyword("zero_tail")) || parser.parseGreater())
    return {};
  return get(parser.getContext(), lhs, rhs, out, batch, m, n, k, zeroTail);
}

} // namespace orzo::gemm
