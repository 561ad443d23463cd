#include "Codegen/CPU/PhaseFields.h"

using namespace mlir;

namespace orzo::cpu {

template <typename Get> PhaseFields::Field PhaseFields::add(Get get) {
  Field field;
  field.constant = sameInEveryPhase(nest, get);
  if (!field.constant) {
    field.index = fieldCount++;
    for (const NestPhase &phase : nest.phases)
      values.push_back(get(phase));
  }
  return field;
}

PhaseFields::PhaseFields(Writer &writer, ModuleOp module, const std::string &symbol, const Nest &nest, const Plan &plan,
                         const std::vector<KernelExtra> &extras)
    : w(writer), nest(nest) {
  std::vector<int64_t> ranges = unitRanges(nest, plan), starts, segments;
  int64_t start = 0, segment = 0;
  for (size_t phase = 0; phase < ranges.size(); ++phase) {
    starts.push_back(start), segments.push_back(segment);
    start += ranges[phase];
    segment += nest.batchCount() * ((nest.columns(nest.phases[phase]) + plan.blockColumns - 1) / plan.blockColumns);
  }
  auto indexOf = [&](const NestPhase &phase) { return &phase - nest.phases.data(); };
  unitStart = add([&](const NestPhase &phase) { return starts[indexOf(phase)]; });
  segmentStart = add([&](const NestPhase &phase) { return segments[indexOf(phase)]; });
  for (auto [extents, fields] :
       {std::pair(&NestPhase::m, &m), std::pair(&NestPhase::n, &n), std::pair(&NestPhase::k, &k)})
    for (size_t dim = 0; dim < (nest.phases.front().*extents).size(); ++dim)
      fields->push_back(add([&](const NestPhase &phase) { return (phase.*extents)[dim]; }));
  lhsBase = add([](const NestPhase &phase) { return phase.lhsBase; });
  rhsBase = add([](const NestPhase &phase) { return phase.rhsBase; });
  outBase = add([](const NestPhase &phase) { return phase.outBase; });
  for (size_t c = 0; c < nest.coordinateExtents.size(); ++c)
    coordinateBase.push_back(add([&](const NestPhase &phase) { return phase.coordinateBase[c]; }));
  for (const KernelExtra &extra : extras)
    extraBases.push_back(
        add([&](const NestPhase &phase) { return extra.strides ? extra.strides->bases[indexOf(phase)] : 0; }));
  if (fieldCount == 0)
    return;

  auto count = static_cast<int64_t>(nest.phases.size());
  std::vector<int64_t> rows(values.size());
  for (int64_t field = 0; field < fieldCount; ++field)
    for (int64_t phase = 0; phase < count; ++phase)
      rows[phase * fieldCount + field] = values[field * count + phase];
  OpBuilder::InsertionGuard guard(w.b);
  w.b.setInsertionPointToStart(module.getBody());
  auto shape = RankedTensorType::get({static_cast<int64_t>(rows.size())}, w.i64());
  table = LLVM::GlobalOp::create(w.b, w.loc, LLVM::LLVMArrayType::get(w.i64(), rows.size()), /*isConstant=*/true,
                                 LLVM::Linkage::Internal, symbol + "_phases",
                                 DenseElementsAttr::get(shape, ArrayRef<int64_t>(rows)));
}

Value PhaseFields::find(Value unit) {
  if (nest.phases.size() == 1)
    return w.integer(0);
  return w.loop(w.integer(1), w.integer(nest.phases.size()), 1, ValueRange{w.integer(0)},
                [&](Value candidate, ValueRange found) -> SmallVector<Value> {
                  return {w.select(w.less(unit, read(unitStart, candidate)), found[0], candidate)};
                })[0];
}

Value PhaseFields::read(const Field &field, Value phase) {
  if (field.constant)
    return w.integer(*field.constant);
  Value rows = LLVM::AddressOfOp::create(w.b, w.loc, table);
  return w.loadInteger(rows, w.add(w.mul(phase, fieldCount), field.index));
}

std::vector<Value> PhaseFields::read(const std::vector<Field> &fields, Value phase) {
  std::vector<Value> read;
  for (const Field &field : fields)
    read.push_back(this->read(field, phase));
  return read;
}

} // namespace orzo::cpu
