// TableBuilder: the parts that tables of contractions and of convolutions are made from.
#pragma once

#include "Codegen/GPU/Tables.h"

namespace orzo::gpu {

/// A dim of a tensor map on its way into a recipe.
struct MapDim {
  int64_t size = 1, stride = 0; ///< Elements.
};

/// A constant for every phase.
Affine affine(const Tables &tables, int64_t base, std::vector<Term> terms = {});

inline Term row() { return {Term::Digit::Row, 0, 1}; }
inline Term rowDigit(int index, int64_t coefficient = 1) { return {Term::Digit::RowDigit, index, coefficient}; }
inline Term columnDigit(int index, int64_t coefficient = 1) { return {Term::Digit::ColumnDigit, index, coefficient}; }
inline Term depthDigit(int index, int64_t coefficient = 1) { return {Term::Digit::DepthDigit, index, coefficient}; }
inline Term depthElement() { return {Term::Digit::DepthElement, 0, 1}; }

/// A tiled map over `dims`, innermost first (whose stride is 1), at element `offset` of the tensor.
TensorMapRecipe tiledMap(DataType type, const std::vector<MapDim> &dims, int64_t offset = 0);

/// An im2col map over dims (channel, spatial..., batch), innermost first. `lower` and `last` are the first and last
/// position that a window without its tap offset takes along each spatial dim, `step` the distance between positions.
TensorMapRecipe im2colMap(DataType type, const std::vector<MapDim> &dims, const std::vector<int64_t> &lower,
                          const std::vector<int64_t> &last, const std::vector<int64_t> &step, int64_t offset = 0);

/// Appends `map` for the next phase, sharing an equal one.
void addMap(Access &access, TensorMapRecipe map);

/// The digits of `count` in mixed radix, outermost first; the outermost digit is not bounded.
std::vector<int64_t> digitsOf(int64_t count, const std::vector<int64_t> &extents);

/// Chooses how operands are loaded and the result is stored: by map where every rule of the target allows it.
void chooseProducers(Tables &tables);

/// Unsupported unless both types are bf16 or both are f16.
Status checkTypes(DataType lhs, DataType rhs);

} // namespace orzo::gpu
