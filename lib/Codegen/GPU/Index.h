// Index: the arithmetic from a tile's number to the coordinates and addresses of what it loads and stores.
//
// Written once, over an arithmetic: the emitter's Writer makes ops of it, Simulation.cpp computes it on integers and
// runs a whole kernel on the CPU. `Math` has
//     using Int                          a number (32 bits in the kernel)
//     Int integer(int64_t)
//     Int add, sub, mul, div, rem, min   (of non-negative numbers; sub, add and mul also of negative ones)
//     Int selectLess(a, b, x, y)         a < b ? x : y
//     Int byPhase(values, phase)         values[phase]
//     Int bitXor(x, y)                   (of non-negative numbers)
#pragma once

#include "Codegen/GPU/Plan.h"
#include "Codegen/GPU/Tables.h"

namespace orzo::gpu {

template <class Math> struct Digits {
  using Int = typename Math::Int;
  Int phase{};
  Int row{};
  std::vector<Int> rows, columns, depth;
  Int depthElement{};
};

/// Where a tile lies.
template <class Math> struct Position {
  using Int = typename Math::Int;
  Int phase{}, rowTile{}, columnTile{};
  Int split{};
  Int depthBegin{}, depthEnd{}; ///< Depth blocks.
};

/// `number` in mixed radix, outermost first, the outermost digit unbounded.
template <class Math>
std::vector<typename Math::Int> takeApart(Math &m, typename Math::Int number,
                                          const std::vector<typename Math::Int> &extents) {
  std::vector<typename Math::Int> digits(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    digits[i] = i == 0 ? number : m.rem(number, extents[i]);
    if (i > 0)
      number = m.div(number, extents[i]);
  }
  return digits;
}

/// Tiles are numbered by phase, then split, then group of row tiles, then column tile, then row tile of the group.
template <class Math> Position<Math> locate(Math &m, const Tables &tables, const Plan &plan, typename Math::Int tile) {
  using Int = typename Math::Int;
  Position<Math> position;
  int64_t columnTiles = plan.columnTiles(tables);
  std::vector<int64_t> firsts, rowTiles;
  int64_t first = 0;
  for (int64_t phase = 0; phase < tables.phaseCount; ++phase) {
    firsts.push_back(first);
    rowTiles.push_back(plan.rowTiles(tables, phase));
    first += rowTiles.back() * columnTiles * plan.splits;
  }
  position.phase = m.integer(0);
  for (int64_t phase = 1; phase < tables.phaseCount; ++phase)
    position.phase = m.add(position.phase, m.selectLess(tile, m.integer(firsts[phase]), m.integer(0), m.integer(1)));
  Int local = m.sub(tile, m.byPhase(firsts, position.phase));
  Int rows = m.byPhase(rowTiles, position.phase);
  position.split = m.integer(0);
  if (plan.splits > 1) {
    Int perSplit = m.integer(rowTiles[0] * columnTiles);
    position.split = m.div(local, perSplit);
    local = m.rem(local, perSplit);
  }
  Int perGroup = m.integer(plan.groupRows * columnTiles);
  Int group = m.div(local, perGroup), inGroup = m.rem(local, perGroup);
  Int firstRow = m.mul(group, m.integer(plan.groupRows));
  bool isEven = true;
  for (int64_t count : rowTiles)
    isEven &= count % plan.groupRows == 0;
  Int groupRows = m.integer(plan.groupRows);
  if (!isEven)
    groupRows = m.min(m.sub(rows, firstRow), groupRows);
  position.columnTile = m.div(inGroup, groupRows);
  position.rowTile = m.add(firstRow, m.rem(inGroup, groupRows));

  Int blocks = m.byPhase(tables.depthBlocks, position.phase);
  position.depthBegin = m.integer(0), position.depthEnd = blocks;
  if (plan.splits > 1) {
    Int splits = m.integer(plan.splits);
    position.depthBegin = m.div(m.mul(blocks, position.split), splits);
    position.depthEnd = m.div(m.mul(blocks, m.add(position.split, m.integer(1))), splits);
  }
  return position;
}

/// Sets the digits of a piece whose first row is `row`.
template <class Math> void setRow(Math &m, const Tables &tables, Digits<Math> &digits, typename Math::Int row) {
  digits.row = row;
  std::vector<typename Math::Int> extents;
  for (const std::vector<int64_t> &extent : tables.rowExtents)
    extents.push_back(m.byPhase(extent, digits.phase));
  digits.rows = takeApart(m, row, extents);
}

/// Sets the digits of column block `block`.
template <class Math> void setColumns(Math &m, const Tables &tables, Digits<Math> &digits, typename Math::Int block) {
  std::vector<typename Math::Int> extents;
  for (int64_t extent : tables.columnExtents)
    extents.push_back(m.integer(extent));
  extents.push_back(m.integer(tables.blocksPerRun()));
  digits.columns = takeApart(m, block, extents);
  digits.columns.back() = m.mul(digits.columns.back(), m.integer(64));
}

/// The column block to load for `block`: one past the last is never stored, and must not reach beyond the offsets that
/// a tensor map allows.
template <class Math> typename Math::Int loadedBlock(Math &m, const Tables &tables, typename Math::Int block) {
  return m.min(block, m.integer(tables.columnBlocks() - 1));
}

template <class Math>
std::vector<typename Math::Int> depthExtents(Math &m, const Tables &tables, typename Math::Int phase) {
  std::vector<typename Math::Int> extents;
  for (const std::vector<int64_t> &extent : tables.depthExtents)
    extents.push_back(m.byPhase(extent, phase));
  return extents;
}

/// Whether the 64 elements of a depth block run over several dims.
inline bool isDepthLinear(const Tables &tables) {
  for (size_t i = 0; i < tables.depthStep.size(); ++i)
    if (tables.depthStep[i] != (i + 1 == tables.depthStep.size() ? 1 : 0))
      return true;
  return false;
}

/// The digits of a tile's first depth block: zeros, or with splits by division, once a tile.
template <class Math>
std::vector<typename Math::Int> firstDepth(Math &m, const Tables &tables, const Plan &plan,
                                           const std::vector<typename Math::Int> &extents, typename Math::Int block) {
  if (plan.splits == 1)
    return std::vector<typename Math::Int>(extents.size(), m.integer(0));
  return takeApart(m, isDepthLinear(tables) ? m.mul(block, m.integer(64)) : block, extents);
}

/// The digits of the next depth block, by addition with carry: a division a block would keep the producer from loading.
template <class Math>
std::vector<typename Math::Int> nextDepth(Math &m, const Tables &tables, const std::vector<typename Math::Int> &extents,
                                          const std::vector<typename Math::Int> &digits) {
  using Int = typename Math::Int;
  std::vector<Int> next(digits.size());
  Int carry = m.integer(0);
  for (size_t i = digits.size(); i-- > 0;) {
    next[i] = m.add(m.add(digits[i], m.integer(tables.depthStep[i])), carry);
    if (i == 0)
      break;
    Int sum = next[i];
    carry = m.selectLess(sum, extents[i], m.integer(0), m.integer(1));
    next[i] = m.selectLess(sum, extents[i], sum, m.sub(sum, extents[i]));
  }
  return next;
}

template <class Math> typename Math::Int evaluate(Math &m, const Affine &affine, const Digits<Math> &digits) {
  typename Math::Int sum = m.byPhase(affine.base, digits.phase);
  for (const Term &term : affine.terms) {
    typename Math::Int digit{};
    switch (term.digit) {
    case Term::Digit::Row:
      digit = digits.row;
      break;
    case Term::Digit::RowDigit:
      digit = digits.rows[term.index];
      break;
    case Term::Digit::ColumnDigit:
      digit = digits.columns[term.index];
      break;
    case Term::Digit::DepthDigit:
      digit = digits.depth[term.index];
      break;
    case Term::Digit::DepthElement:
      digit = digits.depthElement;
      break;
    }
    sum = m.add(sum, m.mul(digit, m.integer(term.coefficient)));
  }
  return sum;
}

/// Coordinates of an access, innermost first.
template <class Math>
std::vector<typename Math::Int> evaluate(Math &m, const std::vector<Affine> &affines, const Digits<Math> &digits) {
  std::vector<typename Math::Int> values;
  for (const Affine &affine : affines)
    values.push_back(evaluate(m, affine, digits));
  return values;
}

/// A number of an access's maps, by phase.
template <class Math> typename Math::Int ofMap(Math &m, const Access &access, typename Math::Int phase, auto number) {
  std::vector<int64_t> values;
  for (int64_t map : access.mapOfPhase)
    values.push_back(number(access.maps[map]));
  return m.byPhase(values, phase);
}

/// A line of a gathered box: where its first element would be, and how much of it is inside of the tensor.
template <class Math> struct GatheredLine {
  typename Math::Int element{}; ///< Of the tensor, at channel 0; meaningless where limit is 0.
  typename Math::Int channel{}; ///< Of the line's first element.
  typename Math::Int limit{};   ///< Channels below it are inside: the tensor's number of them, or 0.
};

/// Line `line` of the box at `start`, as the copy engine defines it: the next index along the second dim of a tiled
/// map; along an im2col map the next position of the walk, which runs over the spatial dims' borders, and then the
/// offsets.
template <class Math>
GatheredLine<Math> gatheredLine(Math &m, const Access &access, typename Math::Int phase,
                                const std::vector<typename Math::Int> &start,
                                const std::vector<typename Math::Int> &offsets, typename Math::Int line) {
  using Int = typename Math::Int;
  auto number = [&](auto get) { return ofMap(m, access, phase, get); };
  std::vector<Int> point = start;
  if (access.maps.front().mode == TensorMapRecipe::Mode::Tiled) {
    point[1] = m.add(point[1], line);
  } else {
    Int carry = line;
    for (size_t dim = 0; dim < offsets.size(); ++dim) {
      Int lower = number([&](const TensorMapRecipe &map) { return map.lowerCorner[dim]; });
      Int step = number([&](const TensorMapRecipe &map) { return map.elementStrides[dim + 1]; });
      Int count = number([&](const TensorMapRecipe &map) {
        int64_t last = map.sizes[dim + 1] - 1 + map.upperCorner[dim];
        return (last - map.lowerCorner[dim]) / map.elementStrides[dim + 1] + 1;
      });
      Int index = m.add(m.div(m.sub(start[dim + 1], lower), step), carry);
      carry = m.div(index, count);
      point[dim + 1] = m.add(m.add(lower, m.mul(m.rem(index, count), step)), offsets[dim]);
    }
    point.back() = m.add(point.back(), carry);
  }
  Int zero = m.integer(0);
  GatheredLine<Math> result;
  result.channel = point[0];
  result.limit = number([](const TensorMapRecipe &map) { return map.sizes[0]; });
  result.element =
      number([](const TensorMapRecipe &map) { return map.byteOffset / static_cast<int64_t>(byteSize(map.type)); });
  for (size_t dim = 1; dim < point.size(); ++dim) {
    Int size = number([&](const TensorMapRecipe &map) { return map.sizes[dim]; });
    Int stride = number([&](const TensorMapRecipe &map) {
      return map.byteStrides[dim - 1] / static_cast<int64_t>(byteSize(map.type));
    });
    result.limit = m.selectLess(point[dim], zero, zero, m.selectLess(point[dim], size, result.limit, zero));
    result.element = m.add(result.element, m.mul(point[dim], stride));
  }
  return result;
}

/// Bytes from the start of a tile to 16-byte chunk `chunk` of line `line`, with the 128-byte swizzle of maps and wgmma.
template <class Math> typename Math::Int swizzled(Math &m, typename Math::Int line, typename Math::Int chunk) {
  typename Math::Int row = m.rem(line, m.integer(8));
  return m.add(m.mul(line, m.integer(128)), m.mul(m.bitXor(chunk, row), m.integer(16)));
}

/// Whether a row and a column block are part of the result, as a number: 1 or 0.
template <class Math>
typename Math::Int isStored(Math &m, const Tables &tables, const Digits<Math> &digits, typename Math::Int column) {
  using Int = typename Math::Int;
  Int one = m.integer(1), zero = m.integer(0);
  Int rowInside = m.selectLess(digits.row, m.byPhase(tables.rows, digits.phase), one, zero);
  Int columnInside = m.selectLess(m.add(digits.columns.back(), column), m.integer(tables.innerColumns), one, zero);
  Int inside = m.mul(rowInside, columnInside);
  if (!tables.columnExtents.empty())
    inside = m.mul(inside, m.selectLess(digits.columns.front(), m.integer(tables.columnExtents.front()), one, zero));
  return inside;
}

/// The pieces in which a tile of an operand is loaded: digits of rows (columns) of each, depth left open.
template <class Math>
std::vector<Digits<Math>> loadPieces(Math &m, const Tables &tables, const Plan &plan, bool isLhs,
                                     const Position<Math> &position) {
  const Access &access = isLhs ? tables.lhs : tables.rhs;
  int64_t lines = isLhs ? plan.tileRows : plan.tileColumns;
  int64_t count = access.isWholeTile ? 1 : lines / 64;
  std::vector<Digits<Math>> pieces(count);
  for (int64_t piece = 0; piece < count; ++piece) {
    Digits<Math> &digits = pieces[piece];
    digits.phase = position.phase;
    if (isLhs) {
      setRow(m, tables, digits, m.add(m.mul(position.rowTile, m.integer(lines)), m.integer(64 * piece)));
    } else {
      typename Math::Int block = m.add(m.mul(position.columnTile, m.integer(lines / 64)), m.integer(piece));
      setColumns(m, tables, digits, loadedBlock(m, tables, block));
    }
  }
  return pieces;
}

/// Digits of the 64 x 64 piece of the result at `row` and column block `block`.
template <class Math>
Digits<Math> storePiece(Math &m, const Tables &tables, const Position<Math> &position, typename Math::Int row,
                        typename Math::Int block) {
  Digits<Math> digits;
  digits.phase = position.phase;
  setRow(m, tables, digits, row);
  setColumns(m, tables, digits, block);
  return digits;
}

} // namespace orzo::gpu
