// Tables: the index logic of one GPU dispatch as data - what each tile loads and stores, and in which order.
//
// The kernel computes, for every phase, out[row, column] = sum over depth of lhs[row, depth] * rhs[depth, column], in
// tiles. Rows, columns and depth are numbered; where a number stands for several dims it is taken apart into *digits*,
// outermost first. All a kernel ever computes with is an Affine of digits: coordinates and im2col offsets of a tensor
// map, or the address of an element.
//
//   rows     linear (no digits) or digits of the phase's extents, e.g. (n, i, j) of an implicit GEMM.
//   columns  come in blocks of 64 along the result's innermost dim; a block's digits are the outer column dims (the
//            taps of a wgrad) and the first element of the block along the inner dim.
//   depth    comes in blocks of 64. Digits count blocks along one dim, after outer digits (taps) - or, in a wgrad, the
//            64 elements of a block run over several dims (the pixels) and the digits are those of its first element.
//
// An operand is *depth-inner* when depth is contiguous in memory (K-major in wgmma's words), else its rows (columns)
// are. Tensor maps do the rest: im2col walks 64 or more pixels over row and image borders, reads zero outside of the
// tensor, and clips stores.
//
//     worked example   fprop 3x3, stride 1, padding 1, x: n h w c, w: k r s c, y: n p q k, c = 128
//     rows (n, p, q); depth digits (r, s, block of c), 3 * 3 * 2 blocks; lhs: im2col map (c, w, h, n), lower corners
//     -1, coordinates (64 * block, q - 1, p - 1, n), offsets (s, r); rhs: tiled map (c, k, s, r), coordinates
//     (64 * block, k, s, r); out: tiled map (k, pixels), coordinates (k, row).
#pragma once

#include "Codegen/Common/Nest.h"
#include "Runtime/Core/CudaLaunch.h"
#include "orzo/Spec/ConvSpec.h"
#include "orzo/Spec/ElementType.h"
#include "orzo/Support/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orzo::gpu {

struct Plan;

struct Term {
  enum class Digit : uint8_t {
    Row,          ///< The number of a piece's first row.
    RowDigit,     ///< Digit `index` of it.
    ColumnDigit,  ///< Digit `index` of a column block: outer dims, then the element along the inner dim.
    DepthDigit,   ///< Digit `index` of a depth block.
    DepthElement, ///< 64 times the number of the depth block.
  } digit = Digit::Row;
  int index = 0;
  int64_t coefficient = 1;
};

/// base of the phase + sum of coefficient * digit.
struct Affine {
  std::vector<int64_t> base; ///< By phase.
  std::vector<Term> terms;
};

/// How tiles of a tensor are reached. One map a phase, equal ones shared. What the copy engine cannot load - a map that
/// breaks a rule of the target - is *gathered*: the producer's threads do in software what the engine would do with the
/// same map, coordinates and offsets.
struct Access {
  bool isDepthInner = false; ///< Operands only.
  bool isGathered = false;   ///< Operands only: `maps` describe the memory and are no parameters of the kernel.
  std::string reason;        ///< The rule for which it is gathered, or stored by predicate; empty: by choice or not.
  bool isWholeTile = false;  ///< One load brings all of a tile; else one for each 64 rows (columns).
  std::vector<TensorMapRecipe> maps;
  std::vector<int64_t> mapOfPhase;
  std::vector<Affine> coordinates; ///< Innermost first.
  std::vector<Affine> offsets;     ///< Im2col loads: one per spatial dim, innermost first.
  std::vector<int64_t> reach;      ///< The largest value of each offset, over all phases.

  /// How many elements along the innermost dim are always inside or outside together and may be loaded at once: 8, 4, 2
  /// or 1.
  int64_t width() const;
};

enum class StoreMode : uint8_t {
  TensorMap, ///< 64 x 64 pieces through the out access's maps.
  Global,    ///< Stores of storeWidth() elements by predicate, for what no map describes.
};

struct Tables {
  int64_t phaseCount = 1;
  DataType type = DataType::BF16; ///< Of the operands.
  /// What the result is stored as: another type than the operands' is neither stored by map nor staged in 16 bits.
  ElementType result = ElementType::BFloat16;
  Role lhsRole = Role::X, rhsRole = Role::W, outRole = Role::Y;

  std::vector<int64_t> rows;                    ///< By phase.
  std::vector<std::vector<int64_t>> rowExtents; ///< By digit, then phase; empty where rows are linear.
  std::vector<int64_t> columnExtents;           ///< Of the outer column dims.
  int64_t innerColumns = 0;
  std::vector<std::vector<int64_t>> depthExtents; ///< By digit, then phase.
  std::vector<int64_t> depthStep;                 ///< Digits of one block, as they are added.
  std::vector<int64_t> depthBlocks;               ///< By phase, at least 1; or 0 in all of them: the result is zero.
  std::vector<int64_t> depth;                     ///< Elements summed, by phase.

  Access lhs, rhs, out;
  StoreMode store = StoreMode::TensorMap;
  Affine outElement; ///< Element address of a row and column of the result, for Global stores and ordered sums.

  bool gathers() const { return lhs.isGathered || rhs.isGathered; }
  /// How many neighbouring columns are stored at once by predicate: 8, 4, 2 or 1.
  int64_t storeWidth() const;
  int64_t blocksPerRun() const { return (innerColumns + 63) / 64; } ///< Column blocks along the inner dim.
  int64_t columnBlocks() const;
  int64_t maxRows() const;
};

/// The tables of a gemm.implicit or gemm.wgrad. Unsupported, with the reason, for what this backend has no kernel for:
/// operands of other element types than one of bf16 and f16, groups, and layouts whose channels are not innermost.
/// Operands whose maps break a rule of Target/CUDA/Rules.h are gathered, such results stored by predicate. Boxes are
/// left open for setTile().
Expected<Tables> tablesOf(const ConvSpec &spec);

/// The tables of a gemm.contract; its nest has one phase and no padding.
Expected<Tables> tablesOf(const Nest &nest);

/// Sets the boxes of the maps to the plan's tile, gathers what the plan says, and checks every rule. Unsupported names
/// the rule.
Status setTile(Tables &tables, const Plan &plan);

} // namespace orzo::gpu
