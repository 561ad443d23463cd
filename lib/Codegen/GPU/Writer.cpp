#include "Codegen/GPU/Writer.h"

#include "mlir/IR/Matchers.h"

#include <algorithm>

using namespace mlir;

namespace orzo::gpu {

Value Writer::integer(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}
Value Writer::wide(int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }

Value Writer::add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
Value Writer::sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }
Value Writer::mul(Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); }
Value Writer::div(Value x, Value y) { return b.createOrFold<arith::DivUIOp>(loc, x, y); }
Value Writer::rem(Value x, Value y) { return b.createOrFold<arith::RemUIOp>(loc, x, y); }
Value Writer::min(Value x, Value y) { return b.createOrFold<arith::MinSIOp>(loc, x, y); }
Value Writer::bitAnd(Value x, int64_t y) { return b.createOrFold<arith::AndIOp>(loc, x, integer(y)); }
Value Writer::bitOr(Value x, Value y) { return b.createOrFold<arith::OrIOp>(loc, x, y); }
Value Writer::bitXor(Value x, Value y) { return b.createOrFold<arith::XOrIOp>(loc, x, y); }
Value Writer::shiftRight(Value x, int64_t bits) { return b.createOrFold<arith::ShRUIOp>(loc, x, integer(bits)); }
Value Writer::both(Value x, Value y) { return b.createOrFold<arith::AndIOp>(loc, x, y); }
Value Writer::select(Value condition, Value x, Value y) {
  return b.createOrFold<arith::SelectOp>(loc, condition, x, y);
}
Value Writer::widen(Value x) { return b.createOrFold<arith::ExtUIOp>(loc, i64(), x); }

static Value compare(Writer &w, arith::CmpIPredicate predicate, Value x, Value y) {
  return w.b.createOrFold<arith::CmpIOp>(w.loc, predicate, x, y);
}
Value Writer::less(Value x, Value y) { return compare(*this, arith::CmpIPredicate::slt, x, y); }
Value Writer::equal(Value x, int64_t y) { return compare(*this, arith::CmpIPredicate::eq, x, integer(y)); }
Value Writer::notEqual(Value x, int64_t y) { return compare(*this, arith::CmpIPredicate::ne, x, integer(y)); }
Value Writer::selectLess(Value a, Value b, Value x, Value y) { return select(less(a, b), x, y); }

std::optional<int64_t> Writer::constant(Value value) {
  APInt known;
  if (matchPattern(value, m_ConstantInt(&known)))
    return known.getSExtValue();
  return std::nullopt;
}

Value Writer::byPhase(const std::vector<int64_t> &values, Value phase) {
  bool isUniform = std::all_of(values.begin(), values.end(), [&](int64_t value) { return value == values.front(); });
  if (isUniform)
    return integer(values.front());
  if (std::optional<int64_t> known = constant(phase))
    return integer(values[*known]);
  auto found = std::find(table.begin(), table.end(), values);
  int64_t field = found - table.begin();
  if (found == table.end())
    table.push_back(values);
  Value base = LLVM::AddressOfOp::create(b, loc, pointer(4), tableSymbol);
  Value index = widen(add(phase, field * static_cast<int64_t>(values.size())));
  Value address = LLVM::GEPOp::create(b, loc, pointer(4), i32(), base, ArrayRef<LLVM::GEPArg>{index});
  return load(i32(), address, 4);
}

void Writer::emitTable(ModuleOp module) {
  if (table.empty())
    return;
  SmallVector<int32_t> values;
  for (const std::vector<int64_t> &field : table)
    for (int64_t value : field)
      values.push_back(static_cast<int32_t>(value));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto type = LLVM::LLVMArrayType::get(i32(), values.size());
  LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, tableSymbol,
                         b.getI32TensorAttr(values), /*alignment=*/4, /*addrSpace=*/4);
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

SmallVector<Value> Writer::loop(Value begin, Value end, Value step, ValueRange initial,
                                const std::function<SmallVector<Value>(Value, ValueRange)> &body) {
  auto loop = scf::ForOp::create(b, loc, begin, end, step, initial,
                                 [&](OpBuilder &inner, Location, Value index, ValueRange carried) {
                                   OpBuilder::InsertionGuard guard(b);
                                   b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
                                   scf::YieldOp::create(b, loc, body(index, carried));
                                 });
  return SmallVector<Value>(loop.getResults());
}

Value Writer::shared(Value address) { return LLVM::IntToPtrOp::create(b, loc, pointer(3), address); }
Value Writer::load(Type type, Value pointer, unsigned alignment) {
  return LLVM::LoadOp::create(b, loc, type, pointer, alignment);
}
void Writer::store(Value value, Value pointer, unsigned alignment) {
  LLVM::StoreOp::create(b, loc, value, pointer, alignment);
}
Value Writer::at(Value pointer, Value elements, Type element) {
  return LLVM::GEPOp::create(b, loc, pointer.getType(), element, pointer, ArrayRef<LLVM::GEPArg>{widen(elements)});
}

void Writer::initBarrier(Value barrier, int64_t arrivals) {
  NVVM::MBarrierInitOp::create(b, loc, shared(barrier), integer(arrivals), Value());
}
void Writer::arrive(Value barrier) { NVVM::MBarrierArriveOp::create(b, loc, i64(), shared(barrier), Value()); }
void Writer::expectBytes(Value barrier, int64_t bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(b, loc, Type(), shared(barrier), integer(bytes), NVVM::MemScopeKind::CTA,
                                         /*relaxed=*/false, Value());
}

void Writer::wait(Value barrier, Value parity) {
  Value pointer = shared(barrier);
  auto loop = scf::WhileOp::create(b, loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&loop.getBefore());
  Value done = NVVM::MBarrierTryWaitOp::create(b, loc, i1(), pointer, parity, Value());
  Value isOpen = b.createOrFold<arith::XOrIOp>(loc, done, arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
  scf::ConditionOp::create(b, loc, isOpen, ValueRange());
  b.createBlock(&loop.getAfter());
  scf::YieldOp::create(b, loc);
}

void Writer::syncWarpgroup(Value id) {
  NVVM::BarrierOp::create(b, loc, Type(), id, integer(128), NVVM::BarrierReductionAttr(), Value());
}

void Writer::syncWarp() { NVVM::SyncWarpOp::create(b, loc, integer(-1)); }

Value Writer::laneZero(Value x) {
  return NVVM::ShflOp::create(b, loc, i32(), integer(-1), x, integer(0), integer(31), NVVM::ShflKind::idx, UnitAttr());
}

void Writer::setRegisters(int count, bool isIncrease) {
  NVVM::SetMaxRegisterOp::create(b, loc, static_cast<uint32_t>(count),
                                 isIncrease ? NVVM::SetMaxRegisterAction::increase
                                            : NVVM::SetMaxRegisterAction::decrease);
}

void Writer::loadBox(Value target, Value map, Value barrier, ValueRange coordinates, ValueRange offsets,
                     bool isIm2col) {
  // The cluster form of the address is the one that PTX 8.0 has.
  Value address = LLVM::AddrSpaceCastOp::create(b, loc, pointer(7), shared(target));
  SmallVector<Value> narrow;
  if (isIm2col)
    for (Value offset : offsets)
      narrow.push_back(b.createOrFold<arith::TruncIOp>(loc, b.getI16Type(), offset));
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(b, loc, address, map, coordinates, shared(barrier), narrow,
                                                         Value(), Value(),
                                                         isIm2col ? NVVM::TMALoadMode::IM2COL : NVVM::TMALoadMode::TILE,
                                                         /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), Value());
}

void Writer::storeBox(Value map, Value source, ValueRange coordinates, bool isIm2col) {
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(b, loc, map, shared(source), coordinates, Value(),
                                                     isIm2col ? NVVM::TMAStoreMode::IM2COL : NVVM::TMAStoreMode::TILE,
                                                     Value());
}

void Writer::commitStores() { NVVM::CpAsyncBulkCommitGroupOp::create(b, loc); }
void Writer::waitStores(int groupsLeft, bool isRead) {
  NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, static_cast<uint32_t>(groupsLeft),
                                       isRead ? b.getUnitAttr() : UnitAttr());
}
void Writer::fenceStores() {
  NVVM::FenceProxyOp::create(b, loc, NVVM::ProxyKind::async_shared,
                             NVVM::SharedSpaceAttr::get(b.getContext(), NVVM::SharedSpace::shared_cta));
}

Type Writer::sumsType(int64_t columns) {
  return LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(columns / 2, f32()));
}

Value Writer::multiply(Value sums, Value lhs, Value rhs, int64_t columns, DataType type, bool lhsDepthInner,
                       bool rhsDepthInner, bool fromZero) {
  auto element = type == DataType::BF16 ? NVVM::WGMMATypes::bf16 : NVVM::WGMMATypes::f16;
  auto shape = NVVM::MMAShapeAttr::get(b.getContext(), 64, static_cast<int>(columns), 16);
  return NVVM::WgmmaMmaAsyncOp::create(
      b, loc, sums.getType(), sums, lhs, rhs, shape, element, element, NVVM::WGMMATypes::f32,
      fromZero ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one, NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
      lhsDepthInner ? NVVM::MMALayout::row : NVVM::MMALayout::col,
      rhsDepthInner ? NVVM::MMALayout::col : NVVM::MMALayout::row, NVVM::MMAIntOverflowAttr());
}

SmallVector<Value> Writer::finishSums(Value sums, int64_t columns, bool waits) {
  int64_t count = columns / 2;
  SmallVector<Value> values;
  std::string constraints;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(LLVM::ExtractValueOp::create(b, loc, sums, i));
    constraints += "=f,";
  }
  for (int64_t i = 0; i < count; ++i)
    constraints += std::to_string(i) + ",";
  constraints += "~{memory}";
  // Nothing else orders arithmetic on the sums after the wait: they pass through it.
  Value done = LLVM::InlineAsmOp::create(b, loc, sums.getType(), values,
                                         b.getStringAttr(waits ? "wgmma.wait_group.sync.aligned 0;" : ""),
                                         b.getStringAttr(constraints), b.getUnitAttr(), UnitAttr(),
                                         LLVM::TailCallKindAttr::get(b.getContext(), LLVM::TailCallKind::None),
                                         LLVM::AsmDialectAttr(), ArrayAttr())
                   .getRes();
  for (int64_t i = 0; i < count; ++i)
    values[i] = LLVM::ExtractValueOp::create(b, loc, done, i);
  return values;
}

void Writer::beginProducts() { NVVM::WgmmaFenceAlignedOp::create(b, loc); }
void Writer::endProducts() { NVVM::WgmmaGroupSyncAlignedOp::create(b, loc); }
void Writer::waitProducts(int groupsLeft) {
  NVVM::WgmmaWaitGroupSyncOp::create(b, loc, static_cast<uint64_t>(groupsLeft));
}

Value Writer::pack(Value low, Value high, DataType type) {
  Value pair;
  if (type == DataType::BF16)
    pair = NVVM::ConvertF32x2ToBF16x2Op::create(b, loc, vector(2, b.getBF16Type()), high, low, Value(),
                                                NVVM::FPRoundingMode::RN);
  else
    pair = NVVM::ConvertF32x2ToF16x2Op::create(b, loc, vector(2, b.getF16Type()), high, low, Value(),
                                               NVVM::FPRoundingMode::RN);
  return LLVM::BitcastOp::create(b, loc, i32(), pair);
}

void Writer::storeMatrix(Value address, ValueRange words) {
  NVVM::StMatrixOp::create(b, loc, shared(address), words, NVVM::MMALayout::row,
                           NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8), NVVM::LdStMatrixEltType::B16);
}

SmallVector<Value> Writer::loadMatrix(Value address) {
  Type words = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(4, i32()));
  Value loaded =
      NVVM::LdMatrixOp::create(b, loc, words, shared(address), uint32_t(4), NVVM::MMALayout::row,
                               NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8), NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> result;
  for (int64_t i = 0; i < 4; ++i)
    result.push_back(LLVM::ExtractValueOp::create(b, loc, loaded, i));
  return result;
}

} // namespace orzo::gpu
