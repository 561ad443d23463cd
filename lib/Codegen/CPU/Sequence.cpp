#include "Codegen/CPU/Sequence.h"

#include "Codegen/CPU/Writer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <numeric>
#include <span>

using namespace mlir;

namespace orzo::cpu {
namespace {

/// Units of one part that follow each other, in one stage.
struct Segment {
  size_t part;
  std::span<const int64_t> ranges;
  int64_t partBegin; ///< The part's number of the first.
};

std::vector<int32_t> stagesOf(const KernelInfo &info) {
  return info.stageRanges.empty() ? std::vector{static_cast<int32_t>(info.unitRanges.size())} : info.stageRanges;
}

int64_t unitsOf(std::span<const int64_t> ranges) { return std::accumulate(ranges.begin(), ranges.end(), int64_t(0)); }

/// The segments of each stage.
std::vector<std::vector<Segment>> arrange(const std::vector<SequencePart> &parts) {
  std::vector<std::vector<Segment>> stages;
  std::vector<size_t> ends;
  for (size_t part = 0; part < parts.size(); ++part) {
    size_t stage = 0;
    for (size_t earlier : parts[part].after)
      stage = std::max(stage, ends[earlier]);
    std::span<const int64_t> ranges = parts[part].info.unitRanges;
    int64_t begin = 0;
    for (int32_t count : stagesOf(parts[part].info)) {
      if (stages.size() <= stage)
        stages.resize(stage + 1);
      stages[stage++].push_back({part, ranges.first(count), begin});
      begin += unitsOf(ranges.first(count));
      ranges = ranges.subspan(count);
    }
    ends.push_back(stage);
  }
  return stages;
}

/// What the sequence is to the runtime. `sharedBegins` receives the byte of the shared scratch where each part's
/// begins.
KernelInfo describe(const std::string &symbol, const std::vector<SequencePart> &parts,
                    const std::vector<std::vector<Segment>> &stages, std::vector<int64_t> &sharedBegins) {
  KernelInfo info;
  info.symbol = symbol;
  for (const std::vector<Segment> &stage : stages) {
    size_t before = info.unitRanges.size();
    for (const Segment &segment : stage)
      info.unitRanges.insert(info.unitRanges.end(), segment.ranges.begin(), segment.ranges.end());
    info.stageRanges.push_back(static_cast<int32_t>(info.unitRanges.size() - before));
  }
  for (const SequencePart &part : parts) {
    sharedBegins.push_back(info.sharedScratchBytes);
    info.scratchBytes = std::max(info.scratchBytes, part.info.scratchBytes);
    info.sharedScratchBytes += (part.info.sharedScratchBytes + 63) / 64 * 64; // Parts of one stage run side by side.
    info.flopsExecuted += part.info.flopsExecuted;
    info.flopsTile += part.info.flopsTile;
  }
  return info;
}

} // namespace

KernelInfo emitSequence(ModuleOp kernels, const std::string &symbol, const std::vector<SequencePart> &parts,
                        int64_t slotCount) {
  std::vector<std::vector<Segment>> stages = arrange(parts);
  std::vector<int64_t> sharedBegins;
  KernelInfo info = describe(symbol, parts, stages, sharedBegins);

  OpBuilder builder(kernels.getContext());
  Writer w(builder, builder.getUnknownLoc());
  builder.setInsertionPointToEnd(kernels.getBody());
  SmallVector<Type> types = {w.pointer(), w.i64(), w.i64(), w.pointer()};
  auto function = func::FuncOp::create(w.b, w.loc, symbol, w.b.getFunctionType(types, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  Value slots = body->getArgument(0), begin = body->getArgument(1), end = body->getArgument(2);
  auto slot = [&](int64_t number) { return w.load(w.pointer(), w.at(slots, w.integer(number), w.pointer()), 8); };
  std::vector<Value> tables;
  std::vector<func::FuncOp> callees;
  for (const SequencePart &part : parts) {
    std::vector<Value> pointers;
    for (int64_t number : part.slots)
      pointers.push_back(slot(number));
    if (part.info.sharedScratchBytes > 0)
      pointers.push_back(w.at(slot(slotCount), w.integer(sharedBegins[tables.size()]), w.b.getI8Type()));
    Value count = w.integer(static_cast<int64_t>(pointers.size()));
    tables.push_back(LLVM::AllocaOp::create(w.b, w.loc, w.pointer(), w.pointer(), count, 8));
    for (size_t i = 0; i < pointers.size(); ++i)
      w.store(pointers[i], w.at(tables.back(), w.integer(static_cast<int64_t>(i)), w.pointer()), 8);
    callees.push_back(kernels.lookupSymbol<func::FuncOp>(part.info.symbol));
    callees.back().setPrivate();
    callees.back()->setAttr("llvm.linkage", LLVM::LinkageAttr::get(w.b.getContext(), LLVM::Linkage::Internal));
    callees.back()->setAttr("no_inline", w.b.getUnitAttr());
  }
  int64_t first = 0;
  for (const std::vector<Segment> &stage : stages)
    for (const Segment &segment : stage) {
      int64_t units = unitsOf(segment.ranges);
      Value from = w.max(begin, w.integer(first)), to = w.min(end, w.integer(first + units));
      w.when(w.less(from, to), [&] {
        int64_t shift = segment.partBegin - first;
        func::CallOp::create(
            w.b, w.loc, callees[segment.part],
            ValueRange{tables[segment.part], w.add(from, shift), w.add(to, shift), body->getArgument(3)});
      });
      first += units;
    }
  func::ReturnOp::create(w.b, w.loc);
  return info;
}

} // namespace orzo::cpu
