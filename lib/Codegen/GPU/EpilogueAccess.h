// EpilogueAccess: how a tiled kernel reaches the extras of its epilogue, and which way the results take.
//
// In registers. Each sum goes through the body where the products left it. A bias or a scalar is loaded once a tile for
// the columns that a thread holds; a residual in the result's own layout comes by the result's own tensor maps through
// the ring, in stages after those of the tile's depth: it is on its way while the tile is multiplied. Results are
// staged and stored as without an epilogue.
//
// By rows. Sums go through shared memory in f32, 64 x 32 of a warpgroup at a time, and come back four neighbours a
// thread: any map, any element type of extras and result, and a quarter of the code for long bodies.
#pragma once

#include "Codegen/Common/Epilogue.h"
#include "Codegen/GPU/Index.h"

namespace orzo::gpu {

struct ExtraAccess {
  enum class Kind : uint8_t {
    Staged, ///< Through the ring, by the maps of the result.
    Column, ///< Element start + step * (column of the result along its innermost dim); step is 0 or 1.
    Element ///< By the element number of the result.
  } kind = Kind::Element;
  int64_t start = 0, step = 0;
};

struct EpilogueAccess {
  std::vector<ExtraAccess> extras;
  bool isByRows = false; ///< Then every extra is reached by element, and nothing is stored by map.

  int64_t stagedCount() const;
};

/// `bodyOps` is the number of ops of the epilogue's body.
EpilogueAccess accessOf(const Epilogue &epilogue, int64_t bodyOps, const Tables &tables, const Plan &plan);

/// The tables of a kernel that stores by rows.
Tables tablesByRows(Tables tables);

/// How the staged pieces of a tile share stages: pairs of pieces, one for each consumer, `pairsPerStage` in a stage.
struct StagedPieces {
  StagedPieces(const EpilogueAccess &access, const Plan &plan)
      : pairs(plan.storePieces() * access.stagedCount()), pairsPerStage(plan.stageBytes() / 8192 / 2) {}
  int64_t stages() const { return (pairs + pairsPerStage - 1) / pairsPerStage; }
  /// Pairs that stage `stage` holds.
  int64_t pairsOf(int64_t stage) const { return std::min(pairsPerStage, pairs - stage * pairsPerStage); }
  /// Bytes from the start of its stage to a consumer's piece of pair `pair`.
  int64_t offsetOf(int64_t pair, int64_t consumer) const { return (pair % pairsPerStage * 2 + consumer) * 8192; }

  int64_t pairs, pairsPerStage;
};

/// Digits of piece `piece` of a consumer (0 or 1) in a tile, in the order in which it stores.
template <class Math>
Digits<Math> consumerPiece(Math &m, const Tables &tables, const Plan &plan, const Position<Math> &position,
                           int64_t consumer, int64_t piece) {
  int64_t parts = plan.consumerColumns() / 64, block = piece / parts, part = piece % parts;
  int64_t row = 64 * (block + (plan.isSideBySide ? 0 : consumer * plan.consumerBlocks()));
  part += plan.isSideBySide ? consumer * parts : 0;
  return storePiece(m, tables, position, m.add(m.mul(position.rowTile, m.integer(plan.tileRows)), m.integer(row)),
                    m.add(m.mul(position.columnTile, m.integer(plan.tileColumns / 64)), m.integer(part)));
}

/// The element of an extra that belongs to element `element` of the result.
template <class Math> typename Math::Int extraElement(Math &m, const ElementMap &map, typename Math::Int element) {
  std::vector<typename Math::Int> extents;
  for (const ElementMap::Digit &digit : map.digits)
    extents.push_back(m.integer(digit.extent));
  std::vector<typename Math::Int> digits = takeApart(m, element, extents);
  typename Math::Int sum = m.integer(map.offset);
  for (size_t i = 0; i < digits.size(); ++i)
    if (map.digits[i].stride != 0)
      sum = m.add(sum, m.mul(digits[i], m.integer(map.digits[i].stride)));
  return sum;
}

/// Of `width` neighbours of the result that begin at a multiple of it, how many have extra elements that are equally
/// far apart - groups of that many begin anew by extraElement() -, how far, and whether a group is one aligned load.
struct ExtraGroup {
  int64_t count = 1, step = 0;
  bool isVector = false;
};
ExtraGroup groupOf(const ElementMap &map, int64_t width);

/// The element of an extra for each of `width` neighbours from `element` on, a multiple of it.
template <class Math>
std::vector<typename Math::Int> extraElements(Math &m, const ElementMap &map, typename Math::Int element,
                                              int64_t width) {
  ExtraGroup group = groupOf(map, width);
  std::vector<typename Math::Int> elements;
  for (int64_t i = 0; i < width; ++i)
    elements.push_back(i % group.count == 0
                           ? extraElement(m, map, m.add(element, m.integer(i)))
                           : m.add(elements[i / group.count * group.count], m.integer(i % group.count * group.step)));
  return elements;
}

} // namespace orzo::gpu
