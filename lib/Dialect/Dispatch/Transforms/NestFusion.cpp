#include "Dialect/Dispatch/Transforms/NestFusion.h"

#include "Spec/ElementMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

#include <algorithm>

namespace orzo::dispatch {

namespace {

/// A column of loops: what is read, and how it moves.
struct Column {
  mlir::Value tensor;
  std::vector<int64_t> strides; ///< By loop.
  int64_t offset = 0;
  bool operator==(const Column &) const = default;
};

} // namespace

/// The loops in the order of column `column`, innermost last, when they visit each of `elements` once.
static std::optional<std::vector<GraphLoop>> inOrderOf(const NestOp &nest, size_t column, int64_t elements) {
  if (nest.offsets[column] != 0 || !elementMap(nest.loops, column, column, elements, 0))
    return std::nullopt;
  std::vector<GraphLoop> loops = nest.loops;
  std::ranges::stable_sort(loops, std::greater(), [&](const GraphLoop &loop) { return loop.strides[column]; });
  return loops;
}

/// Splits both lists of loops, which visit the same elements in the same order, so that their extents agree. False
/// where an extent is no multiple of what it would be split by.
static bool refine(std::vector<GraphLoop> &a, std::vector<GraphLoop> &b) {
  auto split = [](std::vector<GraphLoop> &loops, size_t fromEnd, int64_t inner) {
    auto loop = loops.end() - 1 - static_cast<int64_t>(fromEnd);
    GraphLoop outer = *loop;
    outer.extent /= inner;
    for (int64_t &stride : outer.strides)
      stride *= inner;
    loop->extent = inner;
    loops.insert(loop, outer);
  };
  for (size_t i = 0; i < a.size() || i < b.size(); ++i) {
    if (i >= a.size() || i >= b.size())
      return false;
    int64_t &extentA = a[a.size() - 1 - i].extent, &extentB = b[b.size() - 1 - i].extent;
    if (extentA > extentB && extentA % extentB == 0)
      split(a, i, extentB);
    else if (extentB > extentA && extentB % extentA == 0)
      split(b, i, extentA);
    else if (extentA != extentB)
      return false;
  }
  return true;
}

/// What `value` is once it has been stored as `type` and read again, as far as that is no matter of precision.
static mlir::Value held(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value, ElementType type) {
  if (type != ElementType::Boolean)
    return value;
  auto constant = [&](float number) -> mlir::Value {
    return mlir::arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(number));
  };
  mlir::Value isTrue =
      mlir::arith::CmpFOp::create(builder, location, mlir::arith::CmpFPredicate::UNE, value, constant(0));
  return mlir::arith::SelectOp::create(builder, location, isTrue, constant(1), constant(0));
}

mlir::Value inlined(mlir::OpBuilder &builder, mlir::Block &body, mlir::ValueRange inputs) {
  mlir::IRMapping mapping;
  mapping.map(body.getArguments(), inputs);
  for (mlir::Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
}

mlir::Block *addBody(mlir::OpBuilder &builder, mlir::OperationState &state, size_t inputs) {
  llvm::SmallVector<mlir::Type> types(inputs, builder.getF32Type());
  llvm::SmallVector<mlir::Location> locations(inputs, state.location);
  return builder.createBlock(state.addRegion(), {}, types, locations);
}

/// Columns of `nest` but for `without`, in its loops `loops`.
static std::vector<Column> columnsOf(const NestOp &nest, const std::vector<GraphLoop> &loops, size_t without) {
  std::vector<Column> columns;
  for (size_t column = 0; column < nest.offsets.size(); ++column) {
    if (column == without)
      continue;
    Column result{nest.op->getOperand(static_cast<unsigned>(column)), {}, nest.offsets[column]};
    for (const GraphLoop &loop : loops)
      result.strides.push_back(loop.strides[column]);
    columns.push_back(std::move(result));
  }
  return columns;
}

/// The loops of `consumer` in the extents of `to`, with columns for `operands` and `result`.
static nest::LoopsAttr loopsOf(const NestOp &consumer, const std::vector<GraphLoop> &to,
                               const std::vector<Column> &operands, const Column &result) {
  std::vector<GraphLoop> loops;
  std::vector<int64_t> offsets;
  for (size_t loop = 0; loop < to.size(); ++loop) {
    loops.push_back({to[loop].extent, {}});
    for (const Column &each : operands)
      loops.back().strides.push_back(each.strides[loop]);
    loops.back().strides.push_back(result.strides[loop]);
  }
  for (const Column &each : operands)
    offsets.push_back(each.offset);
  offsets.push_back(result.offset);
  // A map's result is written in order; a reduction reads its operand in order.
  if (mlir::isa<nest::MapOp>(consumer.op))
    std::ranges::stable_sort(loops, std::greater(), [](const GraphLoop &loop) { return loop.strides.back(); });
  return nest::LoopsAttr::get(consumer.op->getContext(), merged(std::move(loops)), offsets);
}

static mlir::Operation *merge(const NestOp &producer, const std::vector<GraphLoop> &from, const NestOp &consumer,
                              const std::vector<GraphLoop> &to, size_t column) {
  std::vector<Column> made = columnsOf(producer, from, producer.resultColumn());
  std::vector<Column> columns = columnsOf(consumer, to, column);
  Column result = columns.back();
  columns.pop_back();
  // Operands in the order of the consumer's, those of the map in place of its result, each but once.
  std::vector<Column> operands;
  auto numberOf = [&](const Column &each) {
    auto found = std::ranges::find(operands, each);
    auto number = found - operands.begin();
    if (found == operands.end())
      operands.push_back(each);
    return static_cast<size_t>(number);
  };
  std::vector<size_t> consumerInputs, producerInputs;
  for (size_t input = 0; input < columns.size() + 1; ++input) {
    if (input == column)
      for (const Column &each : made)
        producerInputs.push_back(numberOf(each));
    else
      consumerInputs.push_back(numberOf(columns[input < column ? input : input - 1]));
  }

  mlir::OpBuilder builder(consumer.op);
  mlir::OperationState state(consumer.op->getLoc(), consumer.op->getName());
  for (const Column &each : operands)
    state.addOperands(each.tensor);
  state.addOperands(result.tensor);
  state.addTypes(consumer.op->getResultTypes());
  state.addAttributes(consumer.op->getAttrs());
  state.attributes.set("loops", loopsOf(consumer, to, operands, result));
  mlir::Block *body = addBody(builder, state, operands.size());
  auto argumentsOf = [&](const std::vector<size_t> &inputs) {
    return llvm::map_to_vector(inputs, [&](size_t input) -> mlir::Value { return body->getArgument(input); });
  };
  mlir::Value value = inlined(builder, producer.body(), argumentsOf(producerInputs));
  value = held(builder, state.location, value, nest::typeOf(producer.op->getResult(0)));
  llvm::SmallVector<mlir::Value> inputs = argumentsOf(consumerInputs);
  inputs.insert(inputs.begin() + static_cast<int64_t>(column), value);
  nest::YieldOp::create(builder, state.location, inlined(builder, consumer.body(), inputs));
  builder.setInsertionPoint(consumer.op);
  mlir::Operation *fused = builder.create(state);
  consumer.op->replaceAllUsesWith(fused->getResults());
  return fused;
}

mlir::Operation *mergeNests(nest::MapOp map, const NestOp &consumer, size_t column) {
  NestOp producer(map);
  int64_t elements = nest::elementsOf(map->getResult(0));
  if (elements == 0) // Nothing is computed, and extents of 0 are no multiples of anything.
    return nullptr;
  auto from = inOrderOf(producer, producer.resultColumn(), elements);
  auto to = inOrderOf(consumer, column, elements);
  if (!from || !to || !refine(*from, *to))
    return nullptr;
  return merge(producer, *from, consumer, *to, column);
}

} // namespace orzo::dispatch
