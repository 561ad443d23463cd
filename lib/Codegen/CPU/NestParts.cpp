#include "Codegen/CPU/NestParts.h"

#include "Codegen/CPU/Epilogue.h"
#include "Codegen/CPU/LinearForm.h"

using namespace mlir;

namespace orzo::cpu {

void NestWriter::function(ModuleOp module, const std::string &symbol, const std::function<void(Value)> &unit) {
  OpBuilder::InsertionGuard guard(w.b);
  w.b.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> types = {w.pointer(), w.i64(), w.i64(), w.pointer()};
  auto function = func::FuncOp::create(w.b, w.loc, symbol, w.b.getFunctionType(types, {}));
  Block *block = function.addEntryBlock();
  w.b.setInsertionPointToStart(block);
  slots = block->getArgument(0), scratch = block->getArgument(3);
  for (size_t i = 0; i < nest.types.size(); ++i)
    bases.push_back(w.at(slot(i), w.integer(nest.offsets[i]), storageOf(w, nest.types[i])));
  w.loop(block->getArgument(1), block->getArgument(2), 1, unit);
  func::ReturnOp::create(w.b, w.loc);
}

Value NestWriter::slot(size_t index) {
  return w.load(w.pointer(), w.at(slots, w.integer(static_cast<int64_t>(index)), w.pointer()), 8);
}

std::vector<Value> NestWriter::moved(std::vector<Value> pointers, const std::vector<GraphLoop> &loops,
                                     const std::vector<Value> &indices) {
  for (size_t i = 0; i < pointers.size(); ++i) {
    std::vector<int64_t> strides;
    for (const GraphLoop &loop : loops)
      strides.push_back(loop.strides[i]);
    pointers[i] = w.at(pointers[i], evaluate(w, w.integer(0), indices, strides), storageOf(w, nest.types[i]));
  }
  return pointers;
}

std::vector<Value> NestWriter::moved(const std::vector<Value> &pointers, const std::vector<GraphLoop> &loops,
                                     Value flat) {
  std::vector<Value> extents;
  for (const GraphLoop &loop : loops)
    extents.push_back(w.integer(loop.extent));
  return moved(pointers, loops, decompose(w, flat, extents));
}

NestRow NestWriter::row(std::vector<Value> pointers, const GraphLoop &along) {
  NestRow row{std::move(pointers), {}};
  for (size_t i = 0; i < result; ++i) {
    row.constants.push_back(nullptr);
    if (along.strides[i] == 0)
      row.constants[i] = load(row, i, along, w.integer(0), Shape::Scalar);
  }
  return row;
}

Value NestWriter::load(const NestRow &row, size_t operand, const GraphLoop &along, Value index, Shape shape,
                       Value mask) {
  if (row.constants.size() > operand && row.constants[operand])
    return row.constants[operand];
  ElementType type = nest.types[operand];
  Type stored = storageOf(w, type);
  auto bytes = static_cast<int64_t>(byteSize(type));
  int64_t stride = along.strides[operand];
  Value from = w.at(row.pointers[operand], w.mul(index, stride), stored);
  if (shape == Shape::Scalar)
    return widenElement(w, w.load(stored, from, bytes), type);
  VectorType vector = vectorOf(stored);
  if (stride == 1 && shape == Shape::Vector)
    return loadVector(operand, from);
  if (stride == 1) {
    Value loaded = LLVM::MaskedLoadOp::create(w.b, w.loc, vector, from, mask, w.zero(vector),
                                              w.b.getI32IntegerAttr(static_cast<int32_t>(bytes)));
    return widenElement(w, loaded, type);
  }
  Value gathered = w.zero(vector);
  for (int64_t lane = 0; lane < plan.lanes; ++lane) {
    Value element = w.load(stored, w.at(from, w.integer(lane * stride), stored), bytes);
    gathered = vector::InsertOp::create(w.b, w.loc, element, gathered, lane);
  }
  return widenElement(w, gathered, type);
}

Value NestWriter::loadVector(size_t operand, Value pointer) {
  ElementType type = nest.types[operand];
  Value loaded = w.load(vectorOf(storageOf(w, type)), pointer, static_cast<int64_t>(byteSize(type)));
  return widenElement(w, loaded, type);
}

Value NestWriter::compute(ValueRange operands, Shape shape) {
  Value value = inlineBody(w, &body, operands);
  if (shape == Shape::Scalar || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(w.b, w.loc, vectorOf(w.f32()), value);
}

Value NestWriter::compute(const NestRow &row, const GraphLoop &along, Value index, Shape shape, Value mask) {
  SmallVector<Value> operands;
  for (size_t i = 0; i < result; ++i)
    operands.push_back(load(row, i, along, index, shape, mask));
  return compute(operands, shape);
}

void NestWriter::store(const NestRow &row, const GraphLoop &along, Value index, Value value, Shape shape, Value mask) {
  ElementType type = nest.types[result];
  Type stored = storageOf(w, type);
  auto bytes = static_cast<int64_t>(byteSize(type));
  int64_t stride = along.strides[result];
  Value to = w.at(row.pointers[result], w.mul(index, stride), stored);
  value = narrowElement(w, value, type);
  if (shape == Shape::Scalar || (shape == Shape::Vector && stride == 1)) {
    w.store(value, to, bytes);
  } else if (shape == Shape::Masked) {
    LLVM::MaskedStoreOp::create(w.b, w.loc, value, to, mask, static_cast<uint32_t>(bytes));
  } else {
    for (int64_t lane = 0; lane < plan.lanes; ++lane)
      w.store(vector::ExtractOp::create(w.b, w.loc, value, lane), w.at(to, w.integer(lane * stride), stored), bytes);
  }
}

bool NestWriter::allowsMasks(const GraphLoop &along, bool storing) const {
  if (!plan.masks || (storing && along.strides[result] != 1))
    return false;
  for (size_t i = 0; i < result; ++i)
    if (along.strides[i] != 0 && along.strides[i] != 1)
      return false;
  return true;
}

Value NestWriter::firstLanes(Value count) {
  Value index = arith::IndexCastOp::create(w.b, w.loc, w.b.getIndexType(), w.opaque(count));
  return vector::CreateMaskOp::create(w.b, w.loc, vectorOf(w.i1()), index);
}

} // namespace orzo::cpu
