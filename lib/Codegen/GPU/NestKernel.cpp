#include "Codegen/GPU/NestKernel.h"

#include "Codegen/GPU/Element.h"
#include "Codegen/GPU/EpilogueWriter.h"
#include "Codegen/GPU/GridKernel.h"
#include "Codegen/GPU/NestPlan.h"
#include "Codegen/GPU/Reducer.h"

using namespace mlir;

namespace orzo::gpu {

namespace {

class NestWriter {
public:
  NestWriter(Writer &w, const StridedNest &nest, const NestPlan &plan, Region &body, const std::vector<Value> &slots)
      : w(w), nest(nest), plan(plan), body(body), slots(slots), result(nest.operands()) {}

  void emitMap() {
    Value thread = threadOfGrid();
    w.when(w.less(thread, w.integer(plan.results() / plan.width)), [&] {
      std::vector<Value> kept = digitsAlong(w, plan.kept, w.mul(thread, plan.width));
      SmallVector<Value> values = compute(kept, {}, plan.kept, plan.width);
      storeResults(kept, values);
    });
  }

  /// `shared`: where the threads of a block leave what they have, by address.
  void emitReduction(Value shared) {
    Value thread = NVVM::ThreadIdXOp::create(w.b, w.loc, w.i32());
    Value block = NVVM::BlockIdXOp::create(w.b, w.loc, w.i32());
    ReducingThread<Writer> work = reducingThread(w, plan, block, thread);
    Value isInside = w.less(work.column, w.integer(plan.results() / plan.width));
    // Threads beyond the last result add up the last one: all of a block must meet at its barriers.
    Value column = w.min(work.column, w.integer(plan.results() / plan.width - 1));
    std::vector<Value> kept = digitsAlong(w, plan.kept, w.mul(column, plan.width));
    SmallVector<Value> sums = mergeThreads(addUp(kept, work), shared, thread, work.y);
    w.when(w.both(isInside, w.equal(work.y, 0)), [&] {
      if (plan.splits == 1)
        return storeFinished(kept, sums);
      Reducer reducer(w, *nest.reduction);
      Value first = w.add(w.mul(work.split, plan.results()), w.mul(column, plan.width));
      for (auto [i, sum] : llvm::enumerate(sums))
        w.store(sum, w.at(slots[result], w.add(first, static_cast<int64_t>(i)), reducer.type()),
                static_cast<unsigned>(reducer.bytes()));
    });
  }

  /// One thread merges the partial results, in order.
  void emitOrderedSum() {
    Reducer reducer(w, *nest.reduction);
    Value thread = threadOfGrid();
    w.when(w.less(thread, w.integer(plan.results())), [&] {
      SmallVector<Value> sum = w.loop(w.integer(0), w.integer(plan.splits), w.integer(1), {reducer.initial()},
                                      [&](Value split, ValueRange carried) {
                                        Value from =
                                            w.at(slots[0], w.add(w.mul(split, plan.results()), thread), reducer.type());
                                        Value part = w.load(reducer.type(), from, unsigned(reducer.bytes()));
                                        return SmallVector<Value>{reducer.merge(carried[0], part)};
                                      });
      Value element =
          w.add(elementAlong(w, plan.kept, result, digitsAlong(w, plan.kept, thread)), nest.offsets[result]);
      storeElements(w, slots[1], element, nest.types[result], reducer.finish(sum[0], plan.summands()), false);
    });
  }

private:
  Value threadOfGrid() {
    Value block = NVVM::BlockIdXOp::create(w.b, w.loc, w.i32());
    return w.add(w.mul(block, NestPlan::threads), NVVM::ThreadIdXOp::create(w.b, w.loc, w.i32()));
  }

  Value elementOf(size_t tensor, const std::vector<Value> &kept, const std::vector<Value> &reduced) {
    Value element = w.add(elementAlong(w, plan.kept, tensor, kept), nest.offsets[tensor]);
    return reduced.empty() ? element : w.add(element, elementAlong(w, plan.reduced, tensor, reduced));
  }

  /// The body at `width` neighbours along the innermost of `loops`, one of the plan's.
  SmallVector<Value> compute(const std::vector<Value> &kept, const std::vector<Value> &reduced,
                             const std::vector<GraphLoop> &loops, int64_t width) {
    std::vector<SmallVector<Value>> arguments(width);
    for (size_t tensor = 0; tensor < result; ++tensor) {
      Value element = elementOf(tensor, kept, reduced);
      int64_t step = loops.empty() ? 0 : loops.back().strides[tensor];
      SmallVector<Value> values;
      if (isVector(nest, plan, loops, tensor, width))
        values = loadElements(w, slots[tensor], element, nest.types[tensor], width, true);
      else if (step == 0)
        values.assign(width, loadElements(w, slots[tensor], element, nest.types[tensor], 1, false)[0]);
      else
        for (int64_t i = 0; i < width; ++i)
          values.append(loadElements(w, slots[tensor], w.add(element, i * step), nest.types[tensor], 1, false));
      for (int64_t i = 0; i < width; ++i)
        arguments[i].push_back(values[i]);
    }
    SmallVector<Value> values;
    for (const SmallVector<Value> &line : arguments)
      values.push_back(inlineBody(w, &body, line));
    return values;
  }

  void storeResults(const std::vector<Value> &kept, ValueRange values) {
    Value element = elementOf(result, kept, {});
    if (isVector(nest, plan, plan.kept, result, plan.width))
      return storeElements(w, slots[result], element, nest.types[result], values, true);
    int64_t step = plan.kept.empty() ? 0 : plan.kept.back().strides[result];
    for (auto [i, value] : llvm::enumerate(values))
      storeElements(w, slots[result], w.add(element, static_cast<int64_t>(i) * step), nest.types[result], value, false);
  }

  void storeFinished(const std::vector<Value> &kept, ArrayRef<Value> sums) {
    SmallVector<Value> values;
    for (Value sum : sums)
      values.push_back(Reducer(w, *nest.reduction).finish(sum, plan.summands()));
    storeResults(kept, values);
  }

  /// What a thread has of its split.
  SmallVector<Value> addUp(const std::vector<Value> &kept, const ReducingThread<Writer> &work) {
    Reducer reducer(w, *nest.reduction);
    SmallVector<Value> initial(plan.width, reducer.initial());
    if (plan.groups() == 0)
      return initial;
    return w.loop(work.begin, work.end, w.integer(plan.along), initial, [&](Value group, ValueRange carried) {
      SmallVector<Value> sums(carried);
      std::vector<Value> reduced = digitsAlong(w, plan.reduced, w.mul(group, plan.depthWidth));
      if (plan.depthWidth > 1)
        for (Value value : compute(kept, reduced, plan.reduced, plan.depthWidth))
          sums[0] = reducer.add(sums[0], value);
      else
        for (auto [sum, value] : llvm::zip_equal(sums, compute(kept, reduced, plan.kept, plan.width)))
          sum = reducer.add(sum, value);
      return sums;
    });
  }

  /// Of the threads with y = 0, what all threads with their x have, by halves.
  SmallVector<Value> mergeThreads(SmallVector<Value> sums, Value shared, Value thread, Value y) {
    Reducer reducer(w, *nest.reduction);
    int64_t stride = plan.isAlongFirst ? 1 : plan.across; // Between threads that are neighbours along y.
    auto place = [&](Value thread, int64_t i) {
      return w.shared(w.add(shared, w.mul(w.add(thread, i * NestPlan::threads), reducer.bytes())));
    };
    for (int64_t half = plan.along / 2; half > 0; half /= 2) {
      auto alignment = static_cast<unsigned>(reducer.bytes());
      NVVM::BarrierOp::create(w.b, w.loc);
      for (int64_t i = 0; i < plan.width; ++i)
        w.store(sums[i], place(thread, i), alignment);
      NVVM::BarrierOp::create(w.b, w.loc);
      Value hasPartner = w.less(y, w.integer(half));
      Value partner = w.select(hasPartner, w.add(thread, half * stride), thread);
      for (int64_t i = 0; i < plan.width; ++i)
        sums[i] = reducer.merge(sums[i], w.load(reducer.type(), place(partner, i), alignment));
    }
    return sums;
  }

  Writer &w;
  const StridedNest &nest;
  const NestPlan &plan;
  Region &body;
  const std::vector<Value> &slots;
  size_t result;
};

} // namespace

Expected<NestKernels> emitNest(ModuleOp kernels, const std::function<std::string()> &nextSymbol,
                               const StridedNest &nest, Region &body) {
  for (size_t tensor = 0; tensor < nest.types.size(); ++tensor) {
    bool isRead = tensor < nest.operands();
    if (Status status = checkElement(nest.types[tensor], isRead,
                                     isRead ? "operand " + std::to_string(tensor) + " of pointwise work"
                                            : std::string("the result of pointwise work"));
        !status.ok())
      return status;
  }
  if (Status status = checkBody(&body); !status.ok())
    return status;
  Expected<NestPlan> plan = planNest(nest);
  if (!plan)
    return plan.status();
  NestKernels made;
  if (plan->results() == 0)
    return made;
  made.main = emitGridKernel(kernels, nextSymbol(), nest.types.size(), plan->blocks(), NestPlan::threads,
                             [&](Writer &w, const std::vector<Value> &slots) {
                               NestWriter writer(w, nest, *plan, body, slots);
                               if (!nest.reduction)
                                 return writer.emitMap();
                               Value shared = sharedMemory(w, kernels);
                               writer.emitReduction(LLVM::PtrToIntOp::create(w.b, w.loc, w.i32(), shared));
                             });
  if (!nest.reduction)
    return made;
  made.main->launch.sharedBytes = static_cast<int32_t>(NestPlan::threads * plan->width * 8);
  if (plan->splits == 1)
    return made;
  made.partialBytes = plan->splits * plan->results() * 8;
  int64_t blocks = (plan->results() + NestPlan::threads - 1) / NestPlan::threads;
  made.sum = emitGridKernel(
      kernels, nextSymbol(), 2, blocks, NestPlan::threads,
      [&](Writer &w, const std::vector<Value> &slots) { NestWriter(w, nest, *plan, body, slots).emitOrderedSum(); });
  return made;
}

} // namespace orzo::gpu
