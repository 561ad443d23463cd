#include "Codegen/CPU/Writer.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace orzo::cpu {

Type Writer::storage(DataType type) { return type == DataType::F32 ? Type(b.getF32Type()) : b.getI16Type(); }

Value Writer::integer(int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }
Value Writer::zero(Type type) { return arith::ConstantOp::create(b, loc, b.getZeroAttr(type)); }

Value Writer::add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
Value Writer::sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }
Value Writer::mul(Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); }
Value Writer::div(Value x, Value y) { return b.createOrFold<arith::DivUIOp>(loc, x, y); }
Value Writer::rem(Value x, Value y) { return b.createOrFold<arith::RemUIOp>(loc, x, y); }
Value Writer::min(Value x, Value y) { return b.createOrFold<arith::MinSIOp>(loc, x, y); }
Value Writer::max(Value x, Value y) { return b.createOrFold<arith::MaxSIOp>(loc, x, y); }
Value Writer::both(Value x, Value y) { return b.createOrFold<arith::AndIOp>(loc, x, y); }

Value Writer::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
}

Value Writer::select(Value condition, Value x, Value y) {
  return b.createOrFold<arith::SelectOp>(loc, condition, x, y);
}

std::optional<int64_t> Writer::constant(Value value) {
  APInt known;
  if (matchPattern(value, m_ConstantInt(&known)))
    return known.getSExtValue();
  return std::nullopt;
}

Value Writer::opaque(Value value) {
  auto dialect = LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
  auto launder = LLVM::InlineAsmOp::create(b, loc, value.getType(), ValueRange{value}, /*asm_string=*/"",
                                           /*constraints=*/"=r,0", /*has_side_effects=*/false,
                                           /*is_align_stack=*/false, LLVM::TailCallKind::None, dialect,
                                           /*operand_attrs=*/ArrayAttr());
  return launder.getResult(0);
}

Value Writer::at(Value pointer, Value index, Type element) {
  if (constant(index) == 0)
    return pointer;
  return LLVM::GEPOp::create(b, loc, this->pointer(), element, pointer, ArrayRef<LLVM::GEPArg>{index});
}

Value Writer::load(Type type, Value pointer, int64_t alignment) {
  return LLVM::LoadOp::create(b, loc, type, pointer, static_cast<unsigned>(alignment));
}

void Writer::store(Value value, Value pointer, int64_t alignment) {
  LLVM::StoreOp::create(b, loc, value, pointer, static_cast<unsigned>(alignment));
}

void Writer::prefetch(Value pointer) { LLVM::Prefetch::create(b, loc, pointer, /*rw=*/0, /*hint=*/3, /*cache=*/1); }

/// By halving: at distance d, rows i and i+d exchange their off-diagonal d-wide blocks (Eklundh's algorithm).
void Writer::transpose(SmallVectorImpl<Value> &rows) {
  auto size = static_cast<int64_t>(rows.size());
  for (int64_t distance = 1; distance < size; distance *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < size; ++lane) {
      bool odd = (lane / distance) % 2;
      low.push_back(odd ? size + lane - distance : lane);
      high.push_back(odd ? size + lane : lane + distance);
    }
    for (int64_t row = 0; row < size; ++row) {
      if ((row / distance) % 2)
        continue;
      Value a = rows[row], c = rows[row + distance];
      rows[row] = vector::ShuffleOp::create(b, loc, a, c, low);
      rows[row + distance] = vector::ShuffleOp::create(b, loc, a, c, high);
    }
  }
}

static Type withElement(Type shape, Type element) {
  auto vector = dyn_cast<VectorType>(shape);
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

Value Writer::widen(Value value, DataType from) {
  if (from == DataType::F32)
    return value;
  Type f32Shape = withElement(value.getType(), f32());
  if (from == DataType::F16) {
    Value half = arith::BitcastOp::create(b, loc, withElement(value.getType(), b.getF16Type()), value);
    return arith::ExtFOp::create(b, loc, f32Shape, half);
  }
  // A bf16 is the upper half of an f32; spelled in integers so that no target takes a detour.
  Type i32Shape = withElement(value.getType(), i32());
  Value wide = arith::ExtUIOp::create(b, loc, i32Shape, value);
  Value sixteen = arith::ConstantOp::create(
      b, loc,
      isa<VectorType>(i32Shape) ? TypedAttr(DenseElementsAttr::get(cast<ShapedType>(i32Shape), APInt(32, 16)))
                                : TypedAttr(b.getI32IntegerAttr(16)));
  return arith::BitcastOp::create(b, loc, f32Shape, arith::ShLIOp::create(b, loc, wide, sixteen));
}

Value Writer::narrow(Value value, DataType to) {
  if (to == DataType::F32)
    return value;
  if (to == DataType::F16) {
    Value half = arith::TruncFOp::create(b, loc, withElement(value.getType(), b.getF16Type()), value);
    return arith::BitcastOp::create(b, loc, withElement(value.getType(), b.getI16Type()), half);
  }
  Type i32Shape = withElement(value.getType(), i32());
  auto splat = [&](uint32_t bits) -> Value {
    TypedAttr attribute = b.getI32IntegerAttr(static_cast<int32_t>(bits));
    if (auto shaped = dyn_cast<ShapedType>(i32Shape))
      attribute = DenseElementsAttr::get(shaped, APInt(32, bits));
    return arith::ConstantOp::create(b, loc, attribute);
  };
  // Adding half of the dropped part's unit, less one unless the kept part is odd, rounds to nearest, ties to even; the
  // carry out of the mantissa is the right exponent, up to infinity. A NaN would carry into the sign: it is set apart.
  Value bits = arith::BitcastOp::create(b, loc, i32Shape, value);
  Value odd = arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, bits, splat(16)), splat(1));
  Value rounded = arith::AddIOp::create(b, loc, arith::AddIOp::create(b, loc, bits, splat(0x7fff)), odd);
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value, value);
  Value quiet = arith::OrIOp::create(b, loc, bits, splat(0x400000));
  Value kept = arith::ShRUIOp::create(b, loc, arith::SelectOp::create(b, loc, isNaN, quiet, rounded), splat(16));
  return arith::TruncIOp::create(b, loc, withElement(value.getType(), b.getI16Type()), kept);
}

void Writer::loop(Value begin, Value end, int64_t step, const std::function<void(Value)> &body) {
  scf::ForOp::create(b, loc, begin, end, integer(step), ValueRange(),
                     [&](OpBuilder &inner, Location, Value index, ValueRange) {
                       OpBuilder::InsertionGuard guard(b);
                       b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
                       body(index);
                       scf::YieldOp::create(b, loc);
                     });
}

SmallVector<Value> Writer::loop(Value begin, Value end, int64_t step, ValueRange initial,
                                const std::function<SmallVector<Value>(Value, ValueRange)> &body) {
  auto loop = scf::ForOp::create(b, loc, begin, end, integer(step), initial,
                                 [&](OpBuilder &inner, Location, Value index, ValueRange carried) {
                                   OpBuilder::InsertionGuard guard(b);
                                   b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
                                   scf::YieldOp::create(b, loc, body(index, carried));
                                 });
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> Writer::choose(Value condition, TypeRange types, const std::function<SmallVector<Value>()> &then,
                                  const std::function<SmallVector<Value>()> &otherwise) {
  if (std::optional<int64_t> known = constant(condition))
    return *known ? then() : otherwise();
  auto branch = scf::IfOp::create(b, loc, types, condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  scf::YieldOp::create(b, loc, then());
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  scf::YieldOp::create(b, loc, otherwise());
  return SmallVector<Value>(branch.getResults());
}

void Writer::when(Value condition, const std::function<void()> &then, const std::function<void()> &otherwise) {
  if (std::optional<int64_t> known = constant(condition)) {
    if (*known)
      then();
    else if (otherwise)
      otherwise();
    return;
  }
  auto branch = scf::IfOp::create(b, loc, TypeRange(), condition, true, otherwise != nullptr);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  then();
  scf::YieldOp::create(b, loc);
  if (otherwise) {
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    otherwise();
    scf::YieldOp::create(b, loc);
  }
}

} // namespace orzo::cpu
