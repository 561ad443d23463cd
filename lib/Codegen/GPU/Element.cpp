#include "Codegen/GPU/Element.h"

#include <algorithm>

using namespace mlir;

namespace orzo::gpu {

Status checkElement(ElementType type, bool isRead, const std::string &what) {
  if (type == ElementType::Double || type == ElementType::Int64 || (isRead && type == ElementType::Int32))
    return Status::unsupported(what + " of type " + std::string(name(type)) +
                               ", which f32 does not hold; on this target f32, bf16, f16, u8, i8, i16 and bool work" +
                               (isRead ? "" : ", and i32"));
  return Status::success();
}

static bool isHalf(ElementType type) { return type == ElementType::BFloat16 || type == ElementType::Half; }

static Type storageOf(Writer &w, ElementType type) {
  return type == ElementType::Float ? w.f32() : Type(w.b.getIntegerType(static_cast<unsigned>(8 * byteSize(type))));
}

static Value number(Writer &w, Type type, double value) {
  return arith::ConstantOp::create(w.b, w.loc, w.b.getFloatAttr(type, value));
}

/// One 16-bit float in the low half of an i32, whatever is above it.
static Value widenHalf(Writer &w, Value word, ElementType type) {
  if (type == ElementType::BFloat16)
    return arith::BitcastOp::create(w.b, w.loc, w.f32(), w.mul(word, 65536));
  Value half = arith::TruncIOp::create(w.b, w.loc, w.b.getI16Type(), word);
  half = arith::BitcastOp::create(w.b, w.loc, w.b.getF16Type(), half);
  return arith::ExtFOp::create(w.b, w.loc, w.f32(), half);
}

std::pair<Value, Value> unpack(Writer &w, Value word, ElementType type) {
  Value high = type == ElementType::BFloat16
                   ? arith::BitcastOp::create(w.b, w.loc, w.f32(), w.bitAnd(word, -65536)).getResult()
                   : widenHalf(w, w.shiftRight(word, 16), type);
  return {widenHalf(w, word, type), high};
}

static Value widen(Writer &w, Value value, ElementType type) {
  if (type == ElementType::Float)
    return value;
  if (isHalf(type))
    return widenHalf(w, arith::ExtUIOp::create(w.b, w.loc, w.i32(), value), type);
  if (type == ElementType::Boolean) {
    Value zero = arith::ConstantOp::create(w.b, w.loc, w.b.getI8IntegerAttr(0));
    Value isSet = arith::CmpIOp::create(w.b, w.loc, arith::CmpIPredicate::ne, value, zero);
    return w.select(isSet, number(w, w.f32(), 1), number(w, w.f32(), 0));
  }
  Value wide = type == ElementType::Uint8 ? arith::ExtUIOp::create(w.b, w.loc, w.i32(), value).getResult()
                                          : arith::ExtSIOp::create(w.b, w.loc, w.i32(), value).getResult();
  return arith::SIToFPOp::create(w.b, w.loc, w.f32(), wide);
}

SmallVector<Value> loadElements(Writer &w, Value memory, Value element, ElementType type, int64_t count,
                                bool isAligned) {
  auto bytes = static_cast<int64_t>(byteSize(type));
  Type storage = storageOf(w, type);
  int64_t atOnce = isAligned ? std::min(count, 16 / bytes) : 1;
  Value first = w.at(memory, element, storage);
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; i += atOnce) {
    Value from = i == 0 ? first : w.at(first, w.integer(i), storage);
    if (atOnce == 1) {
      values.push_back(widen(w, w.load(storage, from, static_cast<unsigned>(bytes)), type));
      continue;
    }
    if (isHalf(type)) { // As words: narrow registers cost a move each.
      auto words = w.vector(atOnce / 2, w.i32());
      Value data = w.load(words, from, static_cast<unsigned>(bytes * atOnce));
      for (int64_t word = 0; word < atOnce / 2; ++word) {
        auto [low, high] = unpack(w, LLVM::ExtractElementOp::create(w.b, w.loc, data, w.integer(word)), type);
        values.append({low, high});
      }
      continue;
    }
    Value data = w.load(w.vector(atOnce, storage), from, static_cast<unsigned>(bytes * atOnce));
    for (int64_t lane = 0; lane < atOnce; ++lane)
      values.push_back(widen(w, LLVM::ExtractElementOp::create(w.b, w.loc, data, w.integer(lane)), type));
  }
  return values;
}

/// Of an integer type, or bool.
static Value narrow(Writer &w, Value value, ElementType type) {
  Type real = value.getType(), storage = storageOf(w, type);
  auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) -> Value {
    return arith::CmpFOp::create(w.b, w.loc, predicate, x, y);
  };
  if (type == ElementType::Boolean)
    return arith::ExtUIOp::create(w.b, w.loc, storage, compare(arith::CmpFPredicate::UNE, value, number(w, real, 0)));
  double least = type == ElementType::Uint8 ? 0 : -double(int64_t(1) << (8 * byteSize(type) - 1));
  double end = type == ElementType::Uint8 ? 256 : -least; // One past the largest: that of i32 is no f32.
  Value isTooLarge = compare(arith::CmpFPredicate::OGE, value, number(w, real, end));
  Value isNaN = compare(arith::CmpFPredicate::UNO, value, value);
  Value inside =
      w.select(compare(arith::CmpFPredicate::OLT, value, number(w, real, least)), number(w, real, least), value);
  inside = w.select(arith::OrIOp::create(w.b, w.loc, isTooLarge, isNaN), number(w, real, 0), inside);
  Value integer = arith::FPToSIOp::create(w.b, w.loc, w.i32(), inside);
  integer = w.select(isTooLarge, w.integer(static_cast<int64_t>(end) - 1), integer);
  return storage == w.i32() ? integer : arith::TruncIOp::create(w.b, w.loc, storage, integer).getResult();
}

void storeElements(Writer &w, Value memory, Value element, ElementType type, ValueRange values, bool isAligned) {
  SmallVector<Value> reals(values);
  bool isFloat = orzo::isFloat(type);
  if (isFloat)
    for (Value &value : reals)
      if (value.getType().isF64())
        value = arith::TruncFOp::create(w.b, w.loc, w.f32(), value);
  auto count = static_cast<int64_t>(reals.size()), bytes = static_cast<int64_t>(byteSize(type));
  Type storage = storageOf(w, type);
  SmallVector<Value> pieces; // Of `storage`, or words of two halves.
  bool isPaired = isHalf(type) && isAligned && count > 1;
  auto dataType = isHalf(type) ? *toDataType(type) : DataType::BF16;
  if (isPaired) {
    for (int64_t i = 0; i < count; i += 2)
      pieces.push_back(w.pack(reals[i], reals[i + 1], dataType));
  } else if (isHalf(type)) {
    for (Value value : reals)
      pieces.push_back(arith::TruncIOp::create(w.b, w.loc, storage, w.pack(value, value, dataType)));
  } else {
    for (Value value : reals)
      pieces.push_back(type == ElementType::Float ? value : narrow(w, value, type));
  }
  auto pieceBytes = isPaired ? int64_t(4) : bytes;
  Type piece = isPaired ? w.i32() : storage;
  int64_t atOnce = isAligned ? std::min<int64_t>(static_cast<int64_t>(pieces.size()), 16 / pieceBytes) : 1;
  Value first = w.at(memory, element, storage);
  for (int64_t i = 0; i < static_cast<int64_t>(pieces.size()); i += atOnce) {
    Value to = i == 0 ? first : w.at(first, w.integer(i), piece);
    Value data = pieces[i];
    if (atOnce > 1) {
      data = LLVM::UndefOp::create(w.b, w.loc, w.vector(atOnce, piece));
      for (int64_t lane = 0; lane < atOnce; ++lane)
        data = LLVM::InsertElementOp::create(w.b, w.loc, data, pieces[i + lane], w.integer(lane));
    }
    w.store(data, to, static_cast<unsigned>(pieceBytes * atOnce));
  }
}

} // namespace orzo::gpu
