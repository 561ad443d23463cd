#include "Codegen/GPU/EpilogueAccess.h"

#include "Target/CUDA/Rules.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace orzo::gpu {

namespace {

/// Bodies of more ops are not written out for every register.
constexpr int64_t mostOpsInRegisters = 24;

std::optional<ExtraAccess> columnAccess(const ElementMap &map, const Tables &tables) {
  auto moves = [](const ElementMap::Digit &digit) { return digit.stride != 0 && digit.extent > 1; };
  if (std::none_of(map.digits.begin(), map.digits.end(), moves))
    return ExtraAccess{ExtraAccess::Kind::Column, map.offset, 0};
  // Only the innermost digit moves, and that is the column: all else of a result's address is a multiple of its extent.
  ElementMap::Digit last = map.digits.back();
  if (last.stride != 1 || tables.innerColumns > last.extent ||
      std::any_of(map.digits.begin(), map.digits.end() - 1, moves))
    return std::nullopt;
  auto isMultiple = [&](int64_t value) { return value % last.extent == 0; };
  if (!std::all_of(tables.outElement.base.begin(), tables.outElement.base.end(), isMultiple))
    return std::nullopt;
  int inner = static_cast<int>(tables.columnExtents.size());
  for (const Term &term : tables.outElement.terms)
    if ((term.digit != Term::Digit::ColumnDigit || term.index != inner) && !isMultiple(term.coefficient))
      return std::nullopt;
  return ExtraAccess{ExtraAccess::Kind::Column, map.offset, 1};
}

} // namespace

int64_t EpilogueAccess::stagedCount() const {
  return std::count_if(extras.begin(), extras.end(),
                       [](const ExtraAccess &extra) { return extra.kind == ExtraAccess::Kind::Staged; });
}

EpilogueAccess accessOf(const Epilogue &epilogue, int64_t bodyOps, const Tables &tables, const Plan &plan) {
  EpilogueAccess access;
  access.isByRows = tables.result != toElementType(tables.type) || bodyOps > mostOpsInRegisters;
  size_t maps = tables.out.maps.size();
  for (const Access *operand : {&tables.lhs, &tables.rhs})
    maps += operand->isGathered ? 0 : operand->maps.size();
  for (const Extra &extra : epilogue.extras) {
    bool isHalf = extra.type == ElementType::BFloat16 || extra.type == ElementType::Half;
    if (std::optional<ExtraAccess> column = columnAccess(extra.map, tables)) {
      access.extras.push_back(*column);
    } else if (extra.map.isIdentity() && isHalf && !tables.out.maps.empty() && !tables.lhs.maps.empty() &&
               !tables.gathers() && maps + tables.out.maps.size() <= cuda::parameterMaps) {
      access.extras.push_back({ExtraAccess::Kind::Staged, 0, 0});
      maps += tables.out.maps.size();
    } else {
      access.isByRows = true;
    }
  }
  if (access.isByRows)
    access.extras.assign(epilogue.extras.size(), ExtraAccess());
  return access;
}

Tables tablesByRows(Tables tables) {
  tables.out.maps.clear();
  tables.store = StoreMode::Global;
  return tables;
}

ExtraGroup groupOf(const ElementMap &map, int64_t width) {
  if (map.digits.empty())
    return {width, 0, false};
  ExtraGroup group;
  group.count = std::gcd(width, map.digits.back().extent);
  group.step = map.digits.back().stride;
  group.isVector = group.step == 1 && group.count > 1 && map.offset % group.count == 0 &&
                   std::all_of(map.digits.begin(), map.digits.end() - 1,
                               [&](const ElementMap::Digit &digit) { return digit.stride % group.count == 0; });
  return group;
}

} // namespace orzo::gpu
