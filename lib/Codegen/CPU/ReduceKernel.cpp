#include "Codegen/CPU/NestParts.h"
#include "Codegen/CPU/Reducer.h"

#include <algorithm>

using namespace mlir;

namespace orzo::cpu {
namespace {

bool areNarrow(const StridedNest &nest) {
  return std::all_of(nest.types.begin(), nest.types.end() - 1, [](ElementType type) { return byteSize(type) <= 2; });
}

constexpr int64_t mergeBlock = 64; ///< Results in a unit of the second stage.

/// Where a unit's sums go: to the result, or to [split][result] of the partial sums. Both are reached by a row along
/// the lane loop.
class ReduceWriter {
public:
  explicit ReduceWriter(NestWriter &nest)
      : n(nest), w(nest.w), plan(nest.plan), lane(nest.plan.lane),
        reducer(nest.w, *nest.nest.reduction, areNarrow(nest.nest)) {}

  int64_t blocks() const { return plan.outerCount() * (plan.lanesReduced ? 1 : plan.laneBlocks()); }

  int64_t accumulatorBytes() const { return reducer.bytes(); }

  /// Sums one split of one block of results.
  void emitUnit(Value unit) {
    Value count = w.integer(blocks());
    split = w.div(unit, count);
    Value block = plan.splits == 1 ? unit : w.rem(unit, count);
    Value laneBlocks = w.integer(plan.lanesReduced ? 1 : plan.laneBlocks());
    outer = w.div(block, laneBlocks);
    corner = n.moved(n.bases, plan.outer, outer);
    if (plan.lanesReduced)
      return emitAlongLanes();
    emitSideBySide(w.mul(w.rem(block, laneBlocks), plan.laneBlock));
  }

  /// Adds up the splits of a block of results, in order.
  void emitMerge(Value block) {
    Value begin = w.mul(block, mergeBlock);
    std::vector<GraphLoop> loops = plan.outer;
    if (!plan.lanesReduced)
      loops.push_back(lane);
    w.loop(begin, w.min(w.add(begin, mergeBlock), w.integer(plan.results())), 1, [&](Value index) {
      Type type = reducer.type(w.f32());
      Value partials = n.slot(n.result + 1);
      auto partial = [&](Value part) {
        return w.load(type, w.at(partials, w.add(w.mul(part, plan.results()), index), type), reducer.bytes());
      };
      SmallVector<Value> total =
          w.loop(w.integer(1), w.integer(plan.splits), 1, ValueRange{partial(w.integer(0))},
                 [&](Value part, ValueRange sum) { return SmallVector<Value>{reducer.merge(sum[0], partial(part))}; });
      NestRow row{n.moved(n.bases, loops, index), {}};
      n.store(row, lane, w.integer(0), reducer.finish(total[0], plan.reducedCount), Shape::Scalar);
    });
  }

private:
  bool isPartial() const { return plan.splits > 1; }

  /// Calls body(pointers, length, carried) for every chunk of the split, with pointers at the chunk's beginning.
  SmallVector<Value>
  forEachChunk(SmallVector<Value> initial,
               const std::function<SmallVector<Value>(const std::vector<Value> &, Value, ValueRange)> &body) {
    Value begin = isPartial() ? w.mul(split, plan.chunksPerSplit) : w.integer(0);
    Value end = w.integer(plan.chunks());
    if (isPartial())
      end = w.min(w.add(begin, plan.chunksPerSplit), end);
    int64_t pieces = (plan.inner.extent + plan.chunk - 1) / plan.chunk;
    return w.loop(begin, end, 1, initial, [&](Value index, ValueRange carried) {
      Value first = w.mul(w.rem(index, w.integer(pieces)), plan.chunk);
      std::vector<Value> pointers = n.moved(corner, plan.reduced, w.div(index, w.integer(pieces)));
      Value length = plan.inner.extent % plan.chunk == 0
                         ? w.integer(plan.chunk)
                         : w.min(w.sub(w.integer(plan.inner.extent), first), w.integer(plan.chunk));
      return body(n.moved(pointers, {plan.inner}, std::vector<Value>{first}), length, carried);
    });
  }

  /// Calls body(index, shape, mask) for all of [0, count) along the lane loop, a vector at a time where possible.
  void forEachVector(Value count, bool withMasks, const std::function<void(Value, Shape, Value)> &body) {
    Value whole = w.sub(count, w.rem(count, w.integer(plan.lanes)));
    if (lane.extent >= plan.lanes)
      w.loop(w.integer(0), whole, plan.lanes, [&](Value index) { body(index, Shape::Vector, nullptr); });
    if (lane.extent % plan.lanes == 0)
      return;
    if (withMasks)
      w.when(w.less(whole, count), [&] { body(whole, Shape::Masked, n.firstLanes(w.sub(count, whole))); });
    else
      w.loop(whole, count, 1, [&](Value index) { body(index, Shape::Scalar, nullptr); });
  }

  /// A block of neighbouring results from lane `first`, whose accumulators are in scratch. Several steps of the inner
  /// loop are added at once: each accumulator is loaded and stored once for them.
  void emitSideBySide(Value first) {
    Value count = lane.extent % plan.laneBlock == 0
                      ? w.integer(plan.laneBlock)
                      : w.min(w.sub(w.integer(lane.extent), first), w.integer(plan.laneBlock));
    auto typeOf = [&](Shape shape) {
      return reducer.type(shape == Shape::Scalar ? w.f32() : Type(n.vectorOf(w.f32())));
    };
    auto accumulator = [&](Value index) { return w.at(n.scratch, index, reducer.type(w.f32())); };
    w.loop(w.integer(0), w.integer(plan.laneBlock), plan.lanes,
           [&](Value index) { w.store(reducer.initial(n.vectorOf(w.f32())), accumulator(index), reducer.bytes()); });
    bool withMasks = n.allowsMasks(lane, /*storing=*/false);
    auto addSteps = [&](const std::vector<Value> &pointers, Value step, int64_t steps) {
      std::vector<NestRow> rows;
      for (int64_t i = 0; i < steps; ++i)
        rows.push_back(n.row(n.moved(pointers, {plan.inner}, std::vector<Value>{w.add(step, i)}), lane));
      forEachVector(count, withMasks, [&](Value index, Shape shape, Value mask) {
        SmallVector<Value> values;
        for (const NestRow &row : rows) {
          values.push_back(n.compute(row, lane, w.add(first, index), shape, mask));
          if (shape == Shape::Vector && plan.prefetches)
            prefetch(row, w.add(first, index), steps);
        }
        Value sum = w.load(typeOf(shape), accumulator(index), reducer.bytes());
        w.store(reducer.add(sum, values), accumulator(index), reducer.bytes());
      });
    };
    forEachChunk({}, [&](const std::vector<Value> &pointers, Value length, ValueRange) {
      Value whole = w.sub(length, w.rem(length, w.integer(plan.group)));
      w.loop(w.integer(0), whole, plan.group, [&](Value step) { addSteps(pointers, step, plan.group); });
      if (plan.group > 1 && (plan.inner.extent % plan.group != 0 || plan.chunk % plan.group != 0))
        w.loop(whole, length, 1, [&](Value step) { addSteps(pointers, step, 1); });
      return SmallVector<Value>();
    });
    forEachVector(count, n.allowsMasks(lane, /*storing=*/!isPartial()), [&](Value index, Shape shape, Value mask) {
      keep(w.load(typeOf(shape), accumulator(index), reducer.bytes()), w.add(first, index), shape, mask);
    });
  }

  /// What the row `steps` steps of the inner loop further on has at `index`: side by side, long rows are more streams
  /// than the processor follows by itself.
  void prefetch(const NestRow &row, Value index, int64_t steps) {
    for (size_t i = 0; i < n.result; ++i)
      if (lane.strides[i] == 1)
        w.prefetch(w.at(row.pointers[i], w.add(index, steps * plan.inner.strides[i]), storageOf(w, n.nest.types[i])));
  }

  /// One result, summed along the lanes. Each lane is a sum of its own until the end.
  void emitAlongLanes() {
    bool withMasks = n.allowsMasks(lane, /*storing=*/false);
    // The second is for what is left of a vector, one at a time.
    SmallVector<Value> initial = {reducer.initial(n.vectorOf(w.f32())), reducer.initial(w.f32())};
    SmallVector<Value> sums = forEachChunk(
        initial, [&](const std::vector<Value> &pointers, Value length, ValueRange carried) -> SmallVector<Value> {
          NestRow row = n.row(pointers, lane);
          Value sum = carried[0];
          auto addUp = [&](Value begin, Value end, int64_t vectors) {
            sum = w.loop(begin, end, vectors * plan.lanes, ValueRange{sum}, [&](Value index, ValueRange inner) {
              SmallVector<Value> values;
              for (int64_t v = 0; v < vectors; ++v)
                values.push_back(n.compute(row, lane, w.add(index, v * plan.lanes), Shape::Vector));
              return SmallVector<Value>{reducer.add(inner[0], values)};
            })[0];
          };
          Value whole = w.sub(length, w.rem(length, w.integer(plan.group * plan.lanes)));
          Value vectorEnd = w.sub(length, w.rem(length, w.integer(plan.lanes)));
          if (lane.extent >= plan.lanes) {
            addUp(w.integer(0), whole, plan.group);
            if (plan.group > 1 && plan.inner.extent % (plan.group * plan.lanes) != 0)
              addUp(whole, vectorEnd, 1);
          }
          if (lane.extent % plan.lanes == 0)
            return {sum, carried[1]};
          if (!withMasks) {
            Value rest = w.loop(vectorEnd, length, 1, ValueRange{carried[1]}, [&](Value index, ValueRange inner) {
              return SmallVector<Value>{reducer.add(inner[0], {n.compute(row, lane, index, Shape::Scalar)})};
            })[0];
            return {sum, rest};
          }
          Value total = w.choose(
              w.less(vectorEnd, length), TypeRange{sum.getType()},
              [&] {
                Value mask = n.firstLanes(w.sub(length, vectorEnd));
                Value value = n.compute(row, lane, vectorEnd, Shape::Masked, mask);
                value = w.select(mask, value, number(w, value.getType(), reducer.neutral()));
                return SmallVector<Value>{reducer.add(sum, {value})};
              },
              [&] { return SmallVector<Value>{sum}; })[0];
          return {total, carried[1]};
        });
    keep(reducer.merge(reducer.acrossLanes(sums[0]), sums[1]), w.integer(0), Shape::Scalar, nullptr);
  }

  /// Stores sums at `index` along the lane loop.
  void keep(Value sums, Value index, Shape shape, Value mask) {
    if (!isPartial())
      return n.store(NestRow{corner, {}}, lane, index, reducer.finish(sums, plan.reducedCount), shape, mask);
    Value place = plan.lanesReduced ? outer : w.add(w.mul(outer, lane.extent), index);
    place = w.add(place, w.mul(split, plan.results()));
    Value to = w.at(n.slot(n.result + 1), place, reducer.type(w.f32()));
    if (shape == Shape::Masked)
      LLVM::MaskedStoreOp::create(w.b, w.loc, sums, to, mask, static_cast<uint32_t>(reducer.bytes()));
    else
      w.store(sums, to, reducer.bytes());
  }

  NestWriter &n;
  Writer &w;
  const NestPlan &plan;
  const GraphLoop &lane;
  Reducer reducer;
  Value split, outer;
  std::vector<Value> corner; ///< Of the unit: operands at the first summand of its first result, and that result.
};

} // namespace

void emitReduceKernel(NestWriter &nest, ModuleOp kernels, KernelInfo &info) {
  const NestPlan &plan = nest.plan;
  ReduceWriter reduce(nest);
  int64_t sumUnits = plan.splits * reduce.blocks();
  bool hasSplits = plan.splits > 1;
  Writer &w = nest.w;
  nest.function(kernels, info.symbol, [&](Value unit) {
    if (!hasSplits)
      return reduce.emitUnit(unit);
    w.when(
        w.less(unit, w.integer(sumUnits)), [&] { reduce.emitUnit(unit); },
        [&] { reduce.emitMerge(w.sub(unit, w.integer(sumUnits))); });
  });
  info.unitRanges = {sumUnits};
  info.scratchBytes = plan.lanesReduced ? 0 : plan.laneBlock * reduce.accumulatorBytes();
  if (!hasSplits)
    return;
  info.unitRanges.push_back((plan.results() + mergeBlock - 1) / mergeBlock);
  info.stageRanges = {1, 1};
  info.sharedScratchBytes = plan.splits * plan.results() * reduce.accumulatorBytes();
}

} // namespace orzo::cpu
