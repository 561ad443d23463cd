#include "Codegen/CPU/NestParts.h"
#include "Codegen/CPU/Reducer.h"

using namespace mlir;

namespace orzo::cpu {
namespace {

constexpr int64_t mergeBlock = 64; ///< Results in a unit of the second stage.

/// Where a unit's sums go: to the result, or to [split][result] of the partial sums. Both are reached by a row along
/// the lane loop.
class ReduceWriter {
public:
  explicit ReduceWriter(NestWriter &nest)
      : n(nest), w(nest.w), plan(nest.plan), lane(nest.plan.lane), reducer(nest.w, *nest.nest.reduction) {}

  int64_t blocks() const { return plan.outerCount() * (plan.lanesReduced ? 1 : plan.laneBlocks()); }

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
    Value first = w.mul(w.rem(block, laneBlocks), plan.laneBlock);
    Value left = w.sub(w.integer(lane.extent), first);
    auto rest = [&] {
      Value whole = w.sub(left, w.rem(left, w.integer(plan.lanes)));
      if (plan.vectors > 1)
        w.loop(w.integer(0), whole, plan.lanes, [&](Value at) { emitSideBySide(w.add(first, at), 1, Shape::Vector); });
      if (lane.extent % plan.lanes == 0)
        return;
      if (n.allowsMasks(lane, /*storing=*/!isPartial()))
        w.when(w.less(whole, left),
               [&] { emitSideBySide(w.add(first, whole), 1, Shape::Masked, n.firstLanes(w.sub(left, whole))); });
      else
        w.loop(whole, left, 1, [&](Value at) { emitSideBySide(w.add(first, at), 1, Shape::Scalar); });
    };
    auto all = [&] { emitSideBySide(first, plan.vectors, Shape::Vector); };
    if (lane.extent % plan.laneBlock == 0)
      all();
    else if (lane.extent < plan.laneBlock)
      rest();
    else
      w.when(w.less(left, w.integer(plan.laneBlock)), rest, all);
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

  Type shaped(Shape shape) { return shape == Shape::Scalar ? w.f32() : Type(n.vectorOf(w.f32())); }

  /// `vectors` registers of neighbouring results from lane `first`.
  void emitSideBySide(Value first, int64_t vectors, Shape shape, Value mask = nullptr) {
    SmallVector<Value> initial(vectors, reducer.initial(shaped(shape)));
    SmallVector<Value> sums =
        forEachChunk(initial, [&](const std::vector<Value> &pointers, Value length, ValueRange carried) {
          return w.loop(w.integer(0), length, 1, carried, [&](Value step, ValueRange inner) {
            NestRow row = n.row(n.moved(pointers, {plan.inner}, std::vector<Value>{step}), lane);
            SmallVector<Value> next;
            for (int64_t v = 0; v < vectors; ++v)
              next.push_back(reducer.add(inner[v], n.compute(row, lane, w.add(first, v * plan.lanes), shape, mask)));
            return next;
          });
        });
    for (int64_t v = 0; v < vectors; ++v)
      keep(sums[v], w.add(first, v * plan.lanes), shape, mask);
  }

  /// One result, summed along the lanes. Each lane of each register is a sum of its own until the end.
  void emitAlongLanes() {
    int64_t vectors = lane.extent >= plan.lanes ? plan.vectors : 1;
    bool withMasks = n.allowsMasks(lane, /*storing=*/false);
    SmallVector<Value> initial(vectors, reducer.initial(n.vectorOf(w.f32())));
    initial.push_back(reducer.initial(w.f32())); // For what is left, one at a time.
    SmallVector<Value> sums = forEachChunk(initial, [&](const std::vector<Value> &pointers, Value length,
                                                        ValueRange carried) {
      NestRow row = n.row(pointers, lane);
      SmallVector<Value> sums(carried.begin(), carried.end());
      auto addUp = [&](Value begin, Value end, int64_t registers) {
        SmallVector<Value> now(sums.begin(), sums.begin() + registers);
        now = w.loop(begin, end, registers * plan.lanes, now, [&](Value index, ValueRange inner) {
          SmallVector<Value> next;
          for (int64_t v = 0; v < registers; ++v)
            next.push_back(reducer.add(inner[v], n.compute(row, lane, w.add(index, v * plan.lanes), Shape::Vector)));
          return next;
        });
        std::copy(now.begin(), now.end(), sums.begin());
      };
      Value block = w.integer(vectors * plan.lanes), lanes = w.integer(plan.lanes);
      Value whole = w.sub(length, w.rem(length, block)), vectorEnd = w.sub(length, w.rem(length, lanes));
      if (lane.extent >= plan.lanes) {
        addUp(w.integer(0), whole, vectors);
        if (vectors > 1 && plan.inner.extent % (vectors * plan.lanes) != 0)
          addUp(whole, vectorEnd, 1);
      }
      if (lane.extent % plan.lanes == 0)
        return sums;
      if (!withMasks) {
        sums.back() = w.loop(vectorEnd, length, 1, ValueRange{sums.back()}, [&](Value index, ValueRange inner) {
          return SmallVector<Value>{reducer.add(inner[0], n.compute(row, lane, index, Shape::Scalar))};
        })[0];
        return sums;
      }
      sums[0] = w.choose(
          w.less(vectorEnd, length), TypeRange{sums[0].getType()},
          [&] {
            Value mask = n.firstLanes(w.sub(length, vectorEnd));
            Value value = n.compute(row, lane, vectorEnd, Shape::Masked, mask);
            value = w.select(mask, value, number(w, value.getType(), reducer.neutral()));
            return SmallVector<Value>{reducer.add(sums[0], value)};
          },
          [&] { return SmallVector<Value>{sums[0]}; })[0];
      return sums;
    });
    Value scalar = sums.pop_back_val();
    for (; sums.size() > 1; sums.resize(sums.size() / 2))
      for (size_t i = 0; i < sums.size() / 2; ++i)
        sums[i] = reducer.merge(sums[i], sums[i + sums.size() / 2]);
    keep(reducer.merge(reducer.acrossLanes(sums[0]), scalar), w.integer(0), Shape::Scalar, nullptr);
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
  if (!hasSplits)
    return;
  info.unitRanges.push_back((plan.results() + mergeBlock - 1) / mergeBlock);
  info.stageRanges = {1, 1};
  info.sharedScratchBytes = plan.splits * plan.results() * Reducer(w, *nest.nest.reduction).bytes();
}

} // namespace orzo::cpu
