// NestPlan: how the threads of a grid walk a StridedNest.
//
// A map has one thread for every `width` neighbours of the result. Its loops follow the result's memory.
//
// A reduction's blocks have `across` * `along` threads: each of the former adds up `width` neighbouring results (where
// the operands are contiguous along the results: sums per channel) or one, each of the latter every along-th group of
// `depthWidth` summands (neighbours where the operands are contiguous along what is reduced) of the block's split.
// Threads of a block are then merged by halves; with splits > 1 blocks leave partial results, which a second launch
// merges in order. All of it follows from the nest alone, and so does the order in which a sum is added up.
//
//     worked example   the sum over 25088 pixels of each of 256 channels, bf16, channels innermost
//     kept 256:1:1, reduced 25088:256:0; width 8, across 32, along 8, splits 33: 33 blocks of one launch, then 256 sums
#pragma once

#include "Codegen/Common/StridedNest.h"
#include "orzo/Support/Status.h"

#include <cstdint>

namespace orzo::gpu {

struct NestPlan {
  std::vector<GraphLoop> kept;    ///< Loops that the result moves along, outermost first.
  std::vector<GraphLoop> reduced; ///< The others.
  int64_t width = 1;              ///< Neighbours along the innermost kept loop; it divides that.
  int64_t depthWidth = 1;         ///< Neighbours along the innermost reduced loop; 1 where width is not.
  int64_t across = 1, along = 1;  ///< Threads of a reduction's block; `along` is a power of two.
  int64_t splits = 1;
  bool isAlongFirst = false; ///< Neighbouring threads are neighbours along what is reduced.

  int64_t results() const;  ///< Of the nest.
  int64_t summands() const; ///< Of one result.
  int64_t groups() const;   ///< Of depthWidth summands, of one result.
  /// Groups of a split: a multiple of `along`; the last ones may have fewer or none.
  int64_t groupsPerSplit() const;
  int64_t blocks() const; ///< Of the first launch.
  static constexpr int64_t threads = 256;
};

/// Unsupported: a tensor with an element that 31 bits do not count, a map in which several elements are stored to one
/// place.
Expected<NestPlan> planNest(const StridedNest &nest);

/// Whether `width` neighbours along the innermost of `loops` are one aligned access of tensor `tensor`.
bool isVector(const StridedNest &nest, const NestPlan &plan, const std::vector<GraphLoop> &loops, size_t tensor,
              int64_t width);

/// Of tensor `tensor`, the part of an element's number that the digits of `index` along `loops` add.
template <class Math>
typename Math::Int elementAlong(Math &m, const std::vector<GraphLoop> &loops, size_t tensor,
                                const std::vector<typename Math::Int> &digits) {
  typename Math::Int sum = m.integer(0);
  for (size_t i = 0; i < loops.size(); ++i)
    if (loops[i].strides[tensor] != 0)
      sum = m.add(sum, m.mul(digits[i], m.integer(loops[i].strides[tensor])));
  return sum;
}

/// `index` taken apart along `loops`.
template <class Math>
std::vector<typename Math::Int> digitsAlong(Math &m, const std::vector<GraphLoop> &loops, typename Math::Int index) {
  std::vector<typename Math::Int> digits(loops.size());
  for (size_t i = loops.size(); i-- > 0;) {
    digits[i] = i == 0 ? index : m.rem(index, m.integer(loops[i].extent));
    if (i > 0)
      index = m.div(index, m.integer(loops[i].extent));
  }
  return digits;
}

/// What a thread of a reduction does: groups `begin`, `begin` + along ... below `end` of the results of column `column`
/// (in units of width), as thread `y` of those that share it.
template <class Math> struct ReducingThread {
  using Int = typename Math::Int;
  Int split{}, column{}, y{}, begin{}, end{};
};

template <class Math>
ReducingThread<Math> reducingThread(Math &m, const NestPlan &plan, typename Math::Int block,
                                    typename Math::Int thread) {
  typename Math::Int lanes = m.integer(plan.isAlongFirst ? plan.along : plan.across);
  typename Math::Int inner = m.rem(thread, lanes), outer = m.div(thread, lanes);
  ReducingThread<Math> work;
  work.split = m.rem(block, m.integer(plan.splits));
  work.y = plan.isAlongFirst ? inner : outer;
  work.column =
      m.add(m.mul(m.div(block, m.integer(plan.splits)), m.integer(plan.across)), plan.isAlongFirst ? outer : inner);
  work.begin = m.mul(work.split, m.integer(plan.groupsPerSplit()));
  work.end = m.min(m.add(work.begin, m.integer(plan.groupsPerSplit())), m.integer(plan.groups()));
  work.begin = m.add(work.begin, work.y);
  return work;
}

} // namespace orzo::gpu
