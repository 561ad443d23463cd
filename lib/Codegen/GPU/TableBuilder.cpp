#include "Codegen/GPU/TableBuilder.h"

#include "Codegen/GPU/Plan.h"
#include "Target/CUDA/Rules.h"

#include <algorithm>
#include <numeric>

namespace orzo::gpu {

int64_t Tables::columnBlocks() const {
  int64_t blocks = blocksPerRun();
  for (int64_t extent : columnExtents)
    blocks *= extent;
  return blocks;
}

int64_t Tables::maxRows() const { return *std::max_element(rows.begin(), rows.end()); }

/// The largest power of two up to 8 that divides all of `values`.
static int64_t commonWidth(const std::vector<int64_t> &values) {
  int64_t width = 8;
  for (int64_t value : values)
    width = std::gcd(width, value);
  return width;
}

int64_t Access::width() const {
  std::vector<int64_t> values;
  for (const TensorMapRecipe &map : maps) {
    auto bytes = static_cast<int64_t>(byteSize(map.type));
    values.push_back(map.byteOffset / bytes);
    values.push_back(map.sizes.front());
    for (int64_t stride : map.byteStrides)
      values.push_back(stride / bytes);
  }
  return commonWidth(values);
}

int64_t Tables::storeWidth() const {
  std::vector<int64_t> values = outElement.base;
  values.push_back(innerColumns);
  for (const Term &term : outElement.terms) // The inner column moves by blocks of 64.
    if (term.digit != Term::Digit::ColumnDigit || term.index != static_cast<int>(columnExtents.size()))
      values.push_back(term.coefficient);
  return commonWidth(values);
}

static bool hasDepth(const Tables &tables) {
  return std::any_of(tables.depthBlocks.begin(), tables.depthBlocks.end(), [](int64_t blocks) { return blocks > 0; });
}

void chooseProducers(Tables &tables) {
  auto check = [](Access &access) {
    for (const TensorMapRecipe &map : access.maps)
      if (Status status = cuda::checkCopy(map, access.reach); !status.ok())
        access.reason = status.message();
  };
  if (tables.maxRows() == 0)
    return;
  check(tables.out);
  if (hasDepth(tables))
    check(tables.lhs), check(tables.rhs);
  if (!tables.out.reason.empty()) {
    tables.out.maps.clear(), tables.out.mapOfPhase.clear();
    tables.store = StoreMode::Global;
  }
  auto count = [](const Access &access) { return access.reason.empty() ? access.maps.size() : 0; };
  size_t maps = count(tables.lhs) + count(tables.rhs) + count(tables.out);
  if (maps > cuda::parameterMaps)
    tables.lhs.reason = "P1: the number of tensor maps is " + std::to_string(maps) + "; at most " +
                        std::to_string(cuda::parameterMaps) + " work";
  for (Access *access : {&tables.lhs, &tables.rhs})
    access->isGathered = !access->reason.empty();
}

Affine affine(const Tables &tables, int64_t base, std::vector<Term> terms) {
  return {std::vector<int64_t>(tables.phaseCount, base), std::move(terms)};
}

static TensorMapRecipe mapOver(DataType type, const std::vector<MapDim> &dims, int64_t offset) {
  TensorMapRecipe map;
  map.type = type;
  auto bytes = static_cast<int64_t>(byteSize(type));
  map.byteOffset = offset * bytes;
  for (const MapDim &dim : dims) {
    map.sizes.push_back(dim.size);
    if (map.sizes.size() > 1) // A dim of one element has no neighbours; any legal stride does.
      map.byteStrides.push_back(dim.size == 1 ? 16 : dim.stride * bytes);
    map.elementStrides.push_back(1);
  }
  return map;
}

TensorMapRecipe tiledMap(DataType type, const std::vector<MapDim> &dims, int64_t offset) {
  TensorMapRecipe map = mapOver(type, dims, offset);
  map.box.assign(dims.size(), 1);
  return map;
}

TensorMapRecipe im2colMap(DataType type, const std::vector<MapDim> &dims, const std::vector<int64_t> &lower,
                          const std::vector<int64_t> &last, const std::vector<int64_t> &step, int64_t offset) {
  TensorMapRecipe map = mapOver(type, dims, offset);
  map.mode = TensorMapRecipe::Mode::Im2col;
  for (size_t dim = 0; dim < lower.size(); ++dim) {
    map.lowerCorner.push_back(static_cast<int32_t>(lower[dim]));
    map.upperCorner.push_back(static_cast<int32_t>(last[dim] - (dims[dim + 1].size - 1)));
    map.elementStrides[dim + 1] = static_cast<int32_t>(step[dim]);
  }
  return map;
}

void addMap(Access &access, TensorMapRecipe map) {
  auto found = std::find(access.maps.begin(), access.maps.end(), map);
  access.mapOfPhase.push_back(found - access.maps.begin());
  if (found == access.maps.end())
    access.maps.push_back(std::move(map));
}

std::vector<int64_t> digitsOf(int64_t count, const std::vector<int64_t> &extents) {
  std::vector<int64_t> digits(extents.size());
  for (size_t dim = extents.size(); dim-- > 0;) {
    digits[dim] = dim == 0 ? count : count % extents[dim];
    count /= std::max<int64_t>(1, extents[dim]);
  }
  return digits;
}

Status checkTypes(DataType lhs, DataType rhs) {
  if (lhs == rhs && lhs != DataType::F32)
    return Status::success();
  return Status::unsupported("operands of element types " + std::string(name(lhs)) + " and " + std::string(name(rhs)) +
                             "; on this target all are bf16 or all are f16");
}

Status setTile(Tables &tables, const Plan &plan) {
  auto set = [&](Access &access, int64_t tile) {
    for (TensorMapRecipe &map : access.maps) {
      auto lines = static_cast<int32_t>(access.isWholeTile ? tile : 64);
      if (map.mode == TensorMapRecipe::Mode::Im2col) {
        map.channelsPerPixel = 64;
        map.pixelsPerColumn = lines;
      } else {
        map.box[0] = 64;
        map.box[1] = lines;
      }
      if (Status status = access.isGathered ? cuda::checkGather(map) : cuda::checkTensorMap(map); !status.ok())
        return status;
    }
    return Status::success();
  };
  tables.lhs.isGathered |= plan.gathersLhs;
  tables.rhs.isGathered |= plan.gathersRhs;
  if (tables.maxRows() == 0) {
    tables.lhs.maps.clear(), tables.rhs.maps.clear(), tables.out.maps.clear();
    return Status::success();
  }
  if (!hasDepth(tables)) {
    tables.lhs.maps.clear(), tables.rhs.maps.clear();
    tables.lhs.isGathered = tables.rhs.isGathered = false;
  }
  if (Status status = set(tables.lhs, plan.tileRows); !status.ok())
    return status.within("left operand");
  if (Status status = set(tables.rhs, plan.tileColumns); !status.ok())
    return status.within("right operand");
  if (plan.splits > 1 || tables.store == StoreMode::Global)
    tables.out.maps.clear();
  return set(tables.out, 64).within("result");
}

} // namespace orzo::gpu
