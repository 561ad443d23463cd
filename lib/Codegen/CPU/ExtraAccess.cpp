#include "Codegen/CPU/ExtraAccess.h"

#include "Codegen/CPU/Element.h"

#include <algorithm>

using namespace mlir;

namespace orzo::cpu {

static KernelExtra::Walk walkOf(const Parts &parts, const std::vector<NestDim> &dims) {
  if (std::ranges::all_of(parts, [](const ExtraStrides::Part &part) { return part.stride == 0; }))
    return KernelExtra::Walk::Still;
  bool asResult = parts.size() == dims.size() && std::ranges::all_of(parts, [&](const ExtraStrides::Part &part) {
                    return part.stride == dims[part.dim].out || part.extent <= 1;
                  });
  return asResult ? KernelExtra::Walk::AsResult : KernelExtra::Walk::Table;
}

/// Columns, counted from any that is a multiple of the result, along which the extra moves by `step` each; nullopt
/// where that are all of `phase`.
static std::optional<int64_t> runOf(const Parts &parts, const NestPhase &phase, int64_t step) {
  int64_t run = 1;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    int64_t extent = part->isOutermost ? (phase.n[part->dim] + part->divisor - 1) / part->divisor : part->extent;
    if (extent > 1 && part->stride != run * step)
      return run;
    run *= extent;
  }
  return std::nullopt;
}

KernelExtra::KernelExtra(const Extra &extra, const Nest &nest, int64_t vectorLanes)
    : extra(extra), strides(extraStrides(extra.map, nest)) {
  if (!strides)
    return;
  rows = walkOf(strides->m, nest.m);
  columns = walkOf(strides->n, nest.n);
  for (auto [step, kind] : {std::pair(0, Lanes::Same), std::pair(1, Lanes::Neighbours)}) {
    bool fits = true, all = true;
    for (const NestPhase &phase : nest.phases)
      if (std::optional<int64_t> run = runOf(strides->n, phase, step)) {
        fits &= *run % vectorLanes == 0;
        all = false;
      }
    if (lanes == Lanes::Apart && fits) {
      lanes = kind;
      isOneRun = all;
    }
  }
}

Status checkExtras(const std::vector<Extra> &extras) {
  for (size_t i = 0; i < extras.size(); ++i)
    if (extras[i].type == ElementType::NotSet || (extras[i].type != ElementType::Float && byteSize(extras[i].type) > 2))
      return Status::unsupported("extra " + std::to_string(i) + " of an epilogue is " +
                                 std::string(name(extras[i].type)) + "; f32 and types of one or two bytes are read");
  return Status::success();
}

Value mappedElement(Writer &w, const ElementMap &map, Value element) {
  Value result = w.integer(map.offset);
  for (size_t digit = map.digits.size(); digit-- > 0;) {
    Value extent = w.integer(std::max<int64_t>(1, map.digits[digit].extent));
    if (map.digits[digit].stride != 0)
      result = w.add(result, w.mul(digit == 0 ? element : w.rem(element, extent), map.digits[digit].stride));
    if (digit > 0)
      element = w.div(element, extent);
  }
  return result;
}

Value offsetOf(Writer &w, const Parts &parts, const std::vector<Value> &indices) {
  Value offset = w.integer(0);
  for (const ExtraStrides::Part &part : parts) {
    if (part.stride == 0)
      continue;
    Value index = w.div(indices[part.dim], w.integer(part.divisor));
    if (!part.isOutermost)
      index = w.rem(index, w.integer(part.extent));
    offset = w.add(offset, w.mul(index, part.stride));
  }
  return offset;
}

void fillExtraTable(Writer &w, Value begin, Value count, const std::vector<Value> &extents, const Parts &parts,
                    Value table) {
  std::vector<Value> partExtents;
  LinearForm form{w.integer(0), {}, table};
  for (const ExtraStrides::Part &part : parts) {
    partExtents.push_back(part.isOutermost ? w.ceilDiv(extents[part.dim], part.divisor) : w.integer(part.extent));
    form.strides.push_back(part.stride);
  }
  fillTables(w, begin, count, partExtents, {form});
}

Value loadElement(Writer &w, Value pointer, Value offset, ElementType type) {
  Type storage = storageOf(w, type);
  return widenElement(w, w.load(storage, w.at(pointer, offset, storage), static_cast<int64_t>(byteSize(type))), type);
}

} // namespace orzo::cpu
