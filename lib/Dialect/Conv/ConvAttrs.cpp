#include "Dialect/Conv/ConvDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

namespace orzo::conv {

GeometryAttr GeometryAttr::get(mlir::MLIRContext *context, const ConvSpec &spec) {
  llvm::SmallVector<int64_t> stride, dilation, padLow;
  llvm::SmallVector<bool> flip;
  for (const SpatialDim &dim : spec.spatial) {
    stride.push_back(dim.stride);
    dilation.push_back(dim.dilation);
    padLow.push_back(dim.padLow);
    flip.push_back(dim.flip);
  }
  auto letters = [&](Role role) { return text(spec.layout(role), role, spec.rank()); };
  return get(context, letters(Role::X), letters(Role::W), letters(Role::Y), stride, dilation, padLow, flip, spec.groups,
             elementType(context, spec.accumulate));
}

void GeometryAttr::print(mlir::AsmPrinter &printer) const {
  printer << "<x = \"" << getX() << "\", w = \"" << getW() << "\", y = \"" << getY() << "\"";
  if (rank() > 0) {
    printer << ", stride = [" << getStride() << "], dilation = [" << getDilation() << "], pad_low = [" << getPadLow()
            << "], flip = [";
    llvm::interleaveComma(getFlip(), printer, [&](bool flip) { printer << (flip ? "true" : "false"); });
    printer << "]";
  }
  printer << ", groups = " << getGroups() << ", acc = " << getAccumulate() << ">";
}

/// `, keyword = [...]` with `element` reading each entry.
static mlir::ParseResult parseList(mlir::AsmParser &parser, llvm::StringRef keyword,
                                   llvm::function_ref<mlir::ParseResult()> element) {
  if (parser.parseKeyword(keyword) || parser.parseEqual() ||
      parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, element) || parser.parseComma())
    return mlir::failure();
  return mlir::success();
}

mlir::Attribute GeometryAttr::parse(mlir::AsmParser &parser, mlir::Type) {
  std::string layouts[3];
  llvm::SmallVector<int64_t> stride, dilation, padLow;
  llvm::SmallVector<bool> flip;
  int64_t groups = 1;
  mlir::Type accumulate;
  llvm::SMLoc location = parser.getCurrentLocation();
  auto integerInto = [&](llvm::SmallVector<int64_t> &list) {
    return [&]() { return parser.parseInteger(list.emplace_back()); };
  };
  auto parseFlip = [&]() -> mlir::ParseResult {
    llvm::StringRef word;
    if (parser.parseKeyword(&word) || (word != "true" && word != "false"))
      return parser.emitError(parser.getCurrentLocation(), "expected true or false");
    flip.push_back(word == "true");
    return mlir::success();
  };
  if (parser.parseLess())
    return {};
  for (auto [keyword, letters] : llvm::zip_equal(std::array<llvm::StringRef, 3>{"x", "w", "y"}, layouts))
    if (parser.parseKeyword(keyword) || parser.parseEqual() || parser.parseString(&letters) || parser.parseComma())
      return {};
  if (mlir::failed(parser.parseOptionalKeyword("groups"))) {
    if (parseList(parser, "stride", integerInto(stride)) || parseList(parser, "dilation", integerInto(dilation)) ||
        parseList(parser, "pad_low", integerInto(padLow)) || parseList(parser, "flip", parseFlip) ||
        parser.parseKeyword("groups"))
      return {};
  }
  if (parser.parseEqual() || parser.parseInteger(groups) || parser.parseComma() || parser.parseKeyword("acc") ||
      parser.parseEqual() || parser.parseType(accumulate) || parser.parseGreater())
    return {};
  if (dilation.size() != stride.size() || padLow.size() != stride.size() || flip.size() != stride.size()) {
    parser.emitError(location, "stride, dilation, pad_low and flip need one entry per spatial dim each; got ")
        << stride.size() << ", " << dilation.size() << ", " << padLow.size() << " and " << flip.size();
    return {};
  }
  return get(parser.getContext(), layouts[0], layouts[1], layouts[2], stride, dilation, padLow, flip, groups,
             accumulate);
}

SpecAttr SpecAttr::get(mlir::MLIRContext *context, const ConvSpec &spec) { return get(context, text(spec)); }

ConvSpec SpecAttr::getSpec() const { return parseConvSpec(getText()).take(); }

mlir::LogicalResult SpecAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError, llvm::StringRef line) {
  Expected<ConvSpec> spec = parseConvSpec(line);
  if (!spec)
    return emitError() << spec.status().message();
  if (Status status = validate(*spec); !status.ok())
    return emitError() << status.message();
  return mlir::success();
}

} // namespace orzo::conv
