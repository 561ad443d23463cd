#include "Dialect/Nest/NestDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

#include "Dialect/Nest/NestDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Nest/NestAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "Dialect/Nest/NestOps.cpp.inc"

namespace orzo::nest {

void NestDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Dialect/Nest/NestAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Dialect/Nest/NestOps.cpp.inc"
      >();
}

mlir::Type elementType(mlir::MLIRContext *context, ElementType type) {
  mlir::Builder builder(context);
  switch (type) {
  case ElementType::Half:
    return builder.getF16Type();
  case ElementType::BFloat16:
    return builder.getBF16Type();
  case ElementType::Float:
  case ElementType::NotSet:
    break;
  case ElementType::Double:
    return builder.getF64Type();
  case ElementType::Uint8:
    return builder.getIntegerType(8, /*isSigned=*/false);
  case ElementType::Int8:
    return builder.getI8Type();
  case ElementType::Int16:
    return builder.getI16Type();
  case ElementType::Int32:
    return builder.getI32Type();
  case ElementType::Int64:
    return builder.getI64Type();
  case ElementType::Boolean:
    return builder.getI1Type();
  }
  return builder.getF32Type();
}

ElementType elementType(mlir::Type type) {
  for (auto candidate = ElementType::Half; candidate <= ElementType::Boolean;
       candidate = static_cast<ElementType>(static_cast<int>(candidate) + 1))
    if (type == elementType(type.getContext(), candidate))
      return candidate;
  return ElementType::NotSet;
}

std::optional<ReductionMode> reductionMode(llvm::StringRef name) {
  for (ReductionMode mode : allReductionModes())
    if (llvm::StringRef(orzo::name(mode)) == name)
      return mode;
  return std::nullopt;
}

int64_t elementsOf(mlir::Value value) { return mlir::cast<mlir::ShapedType>(value.getType()).getNumElements(); }

ElementType typeOf(mlir::Value value) {
  return elementType(mlir::cast<mlir::ShapedType>(value.getType()).getElementType());
}

void collectEffects(mlir::DestinationStyleOpInterface op,
                    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects) {
  for (mlir::OpOperand &operand : op->getOpOperands())
    if (mlir::isa<mlir::MemRefType>(operand.get().getType())) {
      if (op.isDpsInit(&operand))
        effects.emplace_back(mlir::MemoryEffects::Write::get(), &operand);
      else
        effects.emplace_back(mlir::MemoryEffects::Read::get(), &operand);
    }
}

/// One past the last element that column `column` of the loops reaches; 0 where nothing is reached, -1 beyond 2^62 or
/// below 0. A reduction writes what it keeps (`isKept`) although there is nothing to reduce.
static int64_t reach(const std::vector<GraphLoop> &loops, size_t column, int64_t offset, bool isKept) {
  __int128 first = offset, last = offset; // The attribute may hold any numbers.
  for (const GraphLoop &loop : loops) {
    if (isKept && loop.strides[column] == 0)
      continue;
    if (loop.extent == 0)
      return 0;
    (loop.strides[column] < 0 ? first : last) += __int128(loop.extent - 1) * loop.strides[column];
  }
  return first < 0 || last >= __int128(1) << 62 ? -1 : static_cast<int64_t>(last) + 1;
}

mlir::LogicalResult verifyNestOp(mlir::Operation *op, LoopsAttr loops, mlir::Region &body) {
  bool onTensors = mlir::isa<mlir::RankedTensorType>(op->getOperand(op->getNumOperands() - 1).getType());
  if (loops.getTensorCount() != op->getNumOperands())
    return op->emitOpError() << "has " << op->getNumOperands() << " operands, but strides of "
                             << loops.getTensorCount();
  std::vector<GraphLoop> list = loops.getLoops();
  for (const GraphLoop &loop : list)
    if (loop.extent < 0)
      return op->emitOpError("has a loop of negative extent");
  for (auto [column, operand] : llvm::enumerate(op->getOperands())) {
    auto type = mlir::cast<mlir::ShapedType>(operand.getType());
    if (!mlir::isa<mlir::RankedTensorType, mlir::MemRefType>(type) || !type.hasStaticShape() ||
        mlir::isa<mlir::RankedTensorType>(type) != onTensors)
      return op->emitOpError("needs all operands to be tensors, or all to be memrefs, of static shape");
    if (elementType(type.getElementType()) == ElementType::NotSet)
      return op->emitOpError() << "has no use for elements of type " << type.getElementType();
    bool isKept = mlir::isa<ReduceOp>(op) && column + 1 == op->getNumOperands();
    int64_t end = reach(list, column, loops.getOffsets()[column], isKept);
    if (end < 0 || end > type.getNumElements())
      return op->emitOpError() << "operand " << column << " has " << type.getNumElements()
                               << " elements, but the loops leave it";
  }
  mlir::Block &block = body.front();
  if (block.getNumArguments() + 1 != op->getNumOperands() ||
      !llvm::all_of(block.getArgumentTypes(), [](mlir::Type type) { return type.isF32(); }))
    return op->emitOpError("body takes one f32 of every input");
  if (block.empty() || !mlir::isa<YieldOp>(block.back()))
    return op->emitOpError("body ends with nest.yield");
  if (auto reduce = mlir::dyn_cast<ReduceOp>(op); reduce && !reductionMode(reduce.getMode()))
    return op->emitOpError() << "mode \"" << reduce.getMode() << "\" is no reduction";
  return mlir::success();
}

LoopsAttr LoopsAttr::get(mlir::MLIRContext *context, const std::vector<GraphLoop> &loops,
                         const std::vector<int64_t> &offsets) {
  llvm::SmallVector<int64_t> numbers;
  for (const GraphLoop &loop : loops) {
    numbers.push_back(loop.extent);
    numbers.append(loop.strides.begin(), loop.strides.end());
  }
  return get(context, llvm::ArrayRef<int64_t>(numbers), llvm::ArrayRef<int64_t>(offsets));
}

std::vector<GraphLoop> LoopsAttr::getLoops() const {
  std::vector<GraphLoop> loops;
  for (llvm::ArrayRef<int64_t> numbers = getNumbers(); !numbers.empty();
       numbers = numbers.drop_front(1 + getTensorCount()))
    loops.push_back({numbers[0], numbers.slice(1, getTensorCount()).vec()});
  return loops;
}

void LoopsAttr::print(mlir::AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getLoops(), printer, [&](const GraphLoop &loop) {
    printer << loop.extent << "(";
    llvm::interleaveComma(loop.strides, printer);
    printer << ")";
  });
  printer << "], from = [";
  llvm::interleaveComma(getOffsets(), printer);
  printer << "]>";
}

mlir::Attribute LoopsAttr::parse(mlir::AsmParser &parser, mlir::Type) {
  using Delimiter = mlir::AsmParser::Delimiter;
  llvm::SmallVector<int64_t> numbers, offsets;
  llvm::SmallVector<size_t> columns;
  llvm::SMLoc location = parser.getCurrentLocation();
  auto parseLoop = [&]() -> mlir::ParseResult {
    size_t before = numbers.size();
    auto number = [&] { return parser.parseInteger(numbers.emplace_back()); };
    if (number() || parser.parseCommaSeparatedList(Delimiter::Paren, number))
      return mlir::failure();
    columns.push_back(numbers.size() - before - 1);
    return mlir::success();
  };
  if (parser.parseLess() || parser.parseCommaSeparatedList(Delimiter::Square, parseLoop) || parser.parseComma() ||
      parser.parseKeyword("from") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(Delimiter::Square, [&] { return parser.parseInteger(offsets.emplace_back()); }) ||
      parser.parseGreater())
    return {};
  if (llvm::any_of(columns, [&](size_t count) { return count != offsets.size(); })) {
    parser.emitError(location, "every loop needs as many strides as there are numbers in `from`");
    return {};
  }
  return get(parser.getContext(), llvm::ArrayRef<int64_t>(numbers), llvm::ArrayRef<int64_t>(offsets));
}

} // namespace orzo::nest
