#include "Codegen/CPU/LaneExtras.h"

#include "Codegen/CPU/Element.h"

using namespace mlir;

namespace orzo::cpu {

LaneExtras::LaneExtras(Writer &writer, const std::vector<Extra> &given, const Nest &nest, int64_t lanes, int64_t width)
    : w(writer), lanes(lanes), width(width), outStride(nest.batch.back().out) {
  for (const Extra &extra : given)
    extras.emplace_back(extra, nest, lanes);
}

void LaneExtras::reserveTables(int64_t rows, int64_t columns, const std::function<int64_t(int64_t)> &reserve) {
  for (KernelExtra &extra : extras) {
    extra.rowTable = reserve(rows * 8);
    extra.columnTable = reserve(columns * 8);
  }
}

const ExtraStrides::Part *LaneExtras::lanePart(const KernelExtra &extra) const {
  if (!extra.strides)
    return nullptr;
  const ExtraStrides::Part &part = extra.strides->batch.back();
  return part.isOutermost || part.extent % width == 0 ? &part : nullptr;
}

void LaneExtras::beginUnit(PhaseFields &phases, Value phase, const std::vector<Value> &batch, Value outElement,
                           const std::vector<Value> &firsts, Value scratch) {
  this->outElement = outElement, this->scratch = scratch;
  pointers = firsts;
  for (auto [index, extra] : llvm::enumerate(extras))
    if (lanePart(extra)) {
      Value offset = w.add(phases.read(phases.extraBases[index], phase), offsetOf(w, extra.strides->batch, batch));
      pointers[index] = w.at(pointers[index], offset, storageOf(w, extra.extra.type));
    }
}

void LaneExtras::fillRows(Value begin, Value count, const std::vector<Value> &extents) {
  for (const KernelExtra &extra : extras)
    if (lanePart(extra))
      fillExtraTable(w, begin, count, extents, extra.strides->m, table(extra.rowTable));
}

void LaneExtras::fillColumns(Value begin, Value count, const std::vector<Value> &extents) {
  for (const KernelExtra &extra : extras)
    if (lanePart(extra))
      fillExtraTable(w, begin, count, extents, extra.strides->n, table(extra.columnTable));
}

Value LaneExtras::registerOf(size_t index, Value row, Value column, Value outOffset, int64_t v) {
  const KernelExtra &extra = extras[index];
  ElementType type = extra.extra.type;
  const ExtraStrides::Part *part = lanePart(extra);
  Value offset;
  if (part)
    offset = w.add(w.loadInteger(table(extra.rowTable), row), w.loadInteger(table(extra.columnTable), column));
  if (part && part->stride == 0)
    return loadElement(w, pointers[index], offset, type);
  if (part && part->stride == 1) {
    Value source = w.at(pointers[index], w.add(offset, v * lanes), storageOf(w, type));
    Value loaded = w.load(w.vector(lanes, storageOf(w, type)), source, static_cast<int64_t>(byteSize(type)));
    return widenElement(w, loaded, type);
  }
  SmallVector<Value> elements;
  for (int64_t lane = v * lanes; lane < (v + 1) * lanes; ++lane) {
    Value element = part ? w.add(offset, lane * part->stride)
                         : mappedElement(w, extra.extra.map, w.add(outElement, w.add(outOffset, lane * outStride)));
    elements.push_back(loadElement(w, pointers[index], element, type));
  }
  return vector::FromElementsOp::create(w.b, w.loc, w.vector(lanes, w.f32()), elements);
}

} // namespace orzo::cpu
