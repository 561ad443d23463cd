#include "Codegen/GPU/ExtraReader.h"

#include "Codegen/GPU/Element.h"
#include "Codegen/GPU/EpilogueWriter.h"

using namespace mlir;

namespace orzo::gpu {

/// Registers that sums and columns may take together; the rest is for what is on its way through the epilogue.
static constexpr int64_t mostRegisters = 176;

static bool isHalf(ElementType type) { return byteSize(type) == 2 && isFloat(type); }

ExtraReader::ExtraReader(Writer &w, const Kernel &kernel, Value consumer)
    : w(w), kernel(kernel), consumer(consumer), parts(kernel.plan.consumerColumns() / 64),
      staged(kernel.access, kernel.plan),
      isEager(kernel.plan.consumerBlocks() * parts * 32 + registersOfColumns() <= mostRegisters) {}

int64_t ExtraReader::registersOfColumns() const {
  int64_t count = 0;
  for (size_t extra = 0; extra < kernel.access.extras.size(); ++extra)
    if (kernel.access.extras[extra].kind == ExtraAccess::Kind::Column)
      count +=
          kernel.access.extras[extra].step == 0 ? 1 : parts * 8 * (isHalf(kernel.epilogue.extras[extra].type) ? 1 : 2);
  return count;
}

void ExtraReader::beginTile(const Position<Writer> &tile) {
  position = tile;
  columns.assign(kernel.access.extras.size(), {});
  if (kernel.access.isByRows)
    return;
  for (size_t extra = 0; extra < columns.size(); ++extra) {
    const ExtraAccess &access = kernel.access.extras[extra];
    if (access.kind != ExtraAccess::Kind::Column)
      continue;
    if (access.step == 0)
      columns[extra] = {{loadPair(access, extra, w.integer(0))}};
    else if (isEager)
      for (int64_t part = 0; part < parts; ++part)
        columns[extra].push_back(loadColumns(extra, part));
  }
}

SmallVector<ExtraReader::Pair> ExtraReader::loadColumns(size_t extra, int64_t part) {
  Value block = w.add(w.mul(position.columnTile, kernel.plan.tileColumns / 64), part);
  if (kernel.plan.isSideBySide)
    block = w.add(block, w.mul(consumer, parts));
  Digits<Writer> digits;
  digits.phase = position.phase;
  setColumns(w, kernel.tables, digits, block);
  Value first = w.add(digits.columns.back(), w.mul(w.bitAnd(kernel.thread, 3), 2));
  SmallVector<Pair> pairs;
  for (int64_t group = 0; group < 8; ++group)
    pairs.push_back(loadPair(kernel.access.extras[extra], extra, w.add(first, 8 * group)));
  return pairs;
}

/// What is beyond the last column is never stored: there the extra's first element will do.
ExtraReader::Pair ExtraReader::loadPair(const ExtraAccess &access, size_t extra, Value column) {
  ElementType type = kernel.epilogue.extras[extra].type;
  Value memory = kernel.extraMemory[extra];
  auto element = [&](Value column) {
    if (access.step == 0)
      return w.integer(access.start);
    Value inside = w.selectLess(column, w.integer(kernel.tables.innerColumns), column, w.integer(0));
    return w.add(inside, access.start);
  };
  if (access.step == 0) {
    Value both = loadElements(w, memory, element(column), type, 1, false)[0];
    return {nullptr, both, both};
  }
  if (kernel.tables.innerColumns % 2 == 0 && access.start % 2 == 0) {
    if (isHalf(type))
      return {w.load(w.i32(), w.at(memory, element(column), w.b.getI16Type()), 4), nullptr, nullptr};
    SmallVector<Value> values = loadElements(w, memory, element(column), type, 2, true);
    return {nullptr, values[0], values[1]};
  }
  return {nullptr, loadElements(w, memory, element(column), type, 1, false)[0],
          loadElements(w, memory, element(w.add(column, 1)), type, 1, false)[0]};
}

/// This thread's 16 words of a piece, in the order in which stored pieces have them.
SmallVector<Value> ExtraReader::loadPiece(int64_t pair, Value barrier, Stage &stage) {
  if (pair % staged.pairsPerStage == 0)
    w.wait(w.add(kernel.full, w.mul(stage.index, 8)), stage.parity);
  Value base = w.add(kernel.ring, w.mul(stage.index, kernel.plan.stageBytes()));
  base = w.add(w.add(base, staged.offsetOf(pair, 0)), w.mul(consumer, 8192));
  Value warp = w.shiftRight(w.bitAnd(kernel.thread, 127), 5), lane = w.bitAnd(kernel.thread, 31);
  Value row = w.add(w.mul(warp, 16), w.bitAnd(lane, 15)), half = w.shiftRight(lane, 4);
  SmallVector<Value> words;
  for (int64_t two = 0; two < 8; two += 2)
    words.append(w.loadMatrix(w.add(base, swizzled(w, row, w.add(half, two)))));
  if (pair % staged.pairsPerStage == staged.pairsPerStage - 1 || pair == staged.pairs - 1) {
    w.syncWarpgroup(barrier);
    w.when(w.equal(w.bitAnd(kernel.thread, 127), 0), [&] { w.arrive(w.add(kernel.empty, w.mul(stage.index, 8))); });
    stage = nextStage(w, kernel, stage);
  }
  return words;
}

void ExtraReader::apply(SmallVector<Value> &sums, int64_t piece, Value barrier, Stage &stage) {
  int64_t part = piece % parts, pair = piece * kernel.access.stagedCount();
  std::vector<SmallVector<Value>> words(columns.size());
  std::vector<SmallVector<Pair>> pairs(columns.size());
  for (size_t extra = 0; extra < columns.size(); ++extra) {
    const ExtraAccess &access = kernel.access.extras[extra];
    if (access.kind == ExtraAccess::Kind::Staged)
      words[extra] = loadPiece(pair++, barrier, stage);
    else if (access.step == 0)
      pairs[extra].assign(8, columns[extra][0][0]);
    else
      pairs[extra] = isEager ? columns[extra][part] : loadColumns(extra, part);
  }
  // Of each group of 8 columns a thread has two neighbours in one row and two in the row 8 below.
  for (int64_t index = 0; index < 32; index += 2) {
    std::array<SmallVector<Value>, 2> arguments = {SmallVector<Value>{sums[index]},
                                                   SmallVector<Value>{sums[index + 1]}};
    for (size_t extra = 0; extra < columns.size(); ++extra) {
      ElementType type = kernel.epilogue.extras[extra].type;
      std::pair<Value, Value> values;
      if (kernel.access.extras[extra].kind == ExtraAccess::Kind::Staged) {
        values = unpack(w, words[extra][index / 2], type);
      } else {
        const Pair &columnPair = pairs[extra][index / 4];
        values = columnPair.word ? unpack(w, columnPair.word, type) : std::pair(columnPair.first, columnPair.second);
      }
      arguments[0].push_back(values.first), arguments[1].push_back(values.second);
    }
    for (int64_t i = 0; i < 2; ++i)
      sums[index + i] = inlineBody(w, kernel.epilogue.body, arguments[i]);
  }
}

} // namespace orzo::gpu
