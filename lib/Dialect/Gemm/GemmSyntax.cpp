#include "Dialect/Gemm/GemmDialect.h"
#include "orzo/Spec/Phases.h"

#include "mlir/IR/Builders.h"

namespace orzo::gemm {

/// Makes `region` the identity epilogue.
static void buildIdentity(mlir::OpBuilder &builder, mlir::Location location, mlir::Region &region) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *block = builder.createBlock(&region, region.end(), builder.getF32Type(), location);
  YieldOp::create(builder, location, block->getArgument(0));
}

void buildGemmOp(mlir::OpBuilder &builder, mlir::OperationState &state, mlir::Value lhs, mlir::Value rhs,
                 mlir::Value out) {
  state.addOperands({lhs, rhs, out});
  if (mlir::isa<mlir::TensorType>(out.getType()))
    state.addTypes(out.getType());
  buildIdentity(builder, state.location, *state.addRegion());
}

/// gemm.x ins(%lhs, %rhs : t, t) outs(%out : t) (extras(%e : t, ... by [maps]))? (phases(n))? problem (-> t)?
///   (epilogue(%acc: f32, %e: f32, ...) {...})? attributes
mlir::ParseResult parseGemmOp(mlir::OpAsmParser &parser, mlir::OperationState &result) {
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> ins, outs;
  llvm::SmallVector<mlir::Type> inTypes, outTypes;
  llvm::SMLoc location = parser.getCurrentLocation();
  auto parseOperands = [&](llvm::StringRef keyword, auto &operands, auto &types) -> mlir::ParseResult {
    return mlir::failure(parser.parseKeyword(keyword) || parser.parseLParen() || parser.parseOperandList(operands) ||
                         parser.parseColonTypeList(types) || parser.parseRParen());
  };
  if (parseOperands("ins", ins, inTypes) || parseOperands("outs", outs, outTypes))
    return mlir::failure();
  if (ins.size() != 2 || outs.size() != 1)
    return parser.emitError(location, "expected two operands in ins and one in outs");
  if (parser.resolveOperands(ins, inTypes, location, result.operands) ||
      parser.resolveOperands(outs, outTypes, location, result.operands))
    return mlir::failure();

  if (mlir::succeeded(parser.parseOptionalKeyword("extras"))) {
    llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> extras;
    llvm::SmallVector<mlir::Type> types;
    mlir::ArrayAttr maps;
    if (parser.parseLParen() || parser.parseOperandList(extras) || parser.parseColonTypeList(types) ||
        parser.parseKeyword("by") || parser.parseAttribute(maps, "extra_maps", result.attributes) ||
        parser.parseRParen() || parser.resolveOperands(extras, types, location, result.operands))
      return mlir::failure();
  }
  std::optional<int64_t> phaseCount;
  llvm::SMLoc phaseLocation = parser.getCurrentLocation();
  if (mlir::succeeded(parser.parseOptionalKeyword("phases")))
    if (parser.parseLParen() || parser.parseInteger(phaseCount.emplace()) || parser.parseRParen())
      return mlir::failure();
  mlir::Attribute problem;
  if (parser.parseAttribute(problem, "problem", result.attributes))
    return mlir::failure();
  auto spec = mlir::dyn_cast<conv::SpecAttr>(problem);
  if (phaseCount &&
      (!spec || spec.getSpec().direction == Direction::WGrad || phases(spec.getSpec()).phaseCount() != *phaseCount))
    return parser.emitError(phaseLocation, "the problem does not have ") << *phaseCount << " phases";

  llvm::SmallVector<mlir::Type> resultTypes;
  if (parser.parseOptionalArrowTypeList(resultTypes))
    return mlir::failure();
  result.addTypes(resultTypes);
  mlir::Region *epilogue = result.addRegion();
  if (mlir::succeeded(parser.parseOptionalKeyword("epilogue"))) {
    llvm::SmallVector<mlir::OpAsmParser::Argument> arguments;
    if (parser.parseArgumentList(arguments, mlir::OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
        parser.parseRegion(*epilogue, arguments))
      return mlir::failure();
  } else {
    mlir::OpBuilder builder(parser.getContext());
    buildIdentity(builder, parser.getEncodedSourceLoc(location), *epilogue);
  }
  return parser.parseOptionalAttrDict(result.attributes);
}

void printGemmOp(mlir::OpAsmPrinter &printer, mlir::Operation *op) {
  auto gemm = mlir::cast<GemmOpInterface>(op);
  printer << " ins(" << gemm.getLhsValue() << ", " << gemm.getRhsValue() << " : " << gemm.getLhsValue().getType()
          << ", " << gemm.getRhsValue().getType() << ") outs(" << gemm.getOutValue() << " : "
          << gemm.getOutValue().getType() << ") ";
  if (mlir::OperandRange extras = gemm.getExtraValues(); !extras.empty())
    printer << "extras(" << extras << " : " << extras.getTypes() << " by " << op->getAttr("extra_maps") << ") ";
  Problem problem = gemm.problem();
  if (const auto *spec = std::get_if<ConvSpec>(&problem); spec && spec->direction != Direction::WGrad)
    printer << "phases(" << phases(*spec).phaseCount() << ") ";
  printer << op->getAttr("problem");
  printer.printOptionalArrowTypeList(op->getResultTypes());
  if (!gemm.hasIdentityEpilogue()) {
    mlir::Region &epilogue = gemm.getEpilogueRegion();
    printer << " epilogue(";
    llvm::interleaveComma(epilogue.getArguments(), printer,
                          [&](mlir::BlockArgument argument) { printer.printRegionArgument(argument); });
    printer << ") ";
    printer.printRegion(epilogue, /*printEntryBlockArgs=*/false);
  }
  printer.printOptionalAttrDict(op->getAttrs(), {"problem", "extra_maps"});
}

} // namespace orzo::gemm
