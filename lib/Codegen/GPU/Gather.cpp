#include "Codegen/GPU/KernelParts.h"

using namespace mlir;

namespace orzo::gpu {

namespace {

/// Eight neighbouring threads load the 16-byte chunks of a line, so that a warp reads four lines at once.
constexpr int64_t linesAtOnce = Kernel::gatherThreads / 8;
/// Loads of a thread that are under way together.
constexpr int64_t linesOfStep = 64;

class GatherWriter {
public:
  GatherWriter(Writer &w, const Access &access, Value memory, Value thread)
      : w(w), access(access), memory(memory), width(access.width()), chunk(w.bitAnd(thread, 7)),
        firstLine(w.shiftRight(thread, 3)) {}

  void emit(const Digits<Writer> &digits, int64_t lines, Value target) {
    std::vector<Value> start = evaluate(w, access.coordinates, digits), offsets = evaluate(w, access.offsets, digits);
    w.loop(w.integer(0), w.integer(lines), w.integer(linesOfStep), {}, [&](Value first, ValueRange) {
      SmallVector<Value> numbers, chunks;
      for (int64_t line = 0; line < linesOfStep; line += linesAtOnce) {
        numbers.push_back(w.add(w.add(first, line), firstLine));
        chunks.push_back(loadChunk(gatheredLine(w, access, digits.phase, start, offsets, numbers.back())));
      }
      for (auto [number, data] : llvm::zip_equal(numbers, chunks))
        w.store(data, w.shared(w.add(target, swizzled(w, number, chunk))), 16);
      return SmallVector<Value>();
    });
  }

private:
  /// 8 elements as 4 words; zero where the line or the channel is outside.
  Value loadChunk(const GatheredLine<Writer> &line) {
    SmallVector<Value> words;
    Value first = w.add(line.channel, w.mul(chunk, 8));
    for (int64_t part = 0; part < 8; part += width) {
      Value channel = w.add(first, part);
      Value isInside = w.less(channel, line.limit);
      // The tensor's first element can be read in any case.
      Value element = w.select(isInside, w.add(line.element, channel), w.integer(0));
      Value pointer = w.at(memory, element, w.b.getI16Type());
      if (width == 1) {
        Value half = w.load(w.b.getI16Type(), pointer, 2);
        Value word = w.select(isInside, w.b.createOrFold<arith::ExtUIOp>(w.loc, w.i32(), half), w.integer(0));
        if (part % 2 == 0)
          words.push_back(word);
        else
          words.back() = w.bitOr(words.back(), w.mul(word, 65536));
      } else if (width == 2) {
        words.push_back(w.select(isInside, w.load(w.i32(), pointer, 4), w.integer(0)));
      } else {
        Value data = w.load(w.vector(width / 2, w.i32()), pointer, static_cast<unsigned>(2 * width));
        for (int64_t word = 0; word < width / 2; ++word)
          words.push_back(
              w.select(isInside, LLVM::ExtractElementOp::create(w.b, w.loc, data, w.integer(word)), w.integer(0)));
      }
    }
    Value data = LLVM::UndefOp::create(w.b, w.loc, w.vector(4, w.i32()));
    for (int64_t word = 0; word < 4; ++word)
      data = LLVM::InsertElementOp::create(w.b, w.loc, data, words[word], w.integer(word));
    return data;
  }

  Writer &w;
  const Access &access;
  Value memory;
  int64_t width;
  Value chunk, firstLine;
};

} // namespace

void emitGather(Writer &w, const Access &access, const std::vector<Digits<Writer>> &boxes, int64_t lines, Value memory,
                Value target, Value thread) {
  GatherWriter gather(w, access, memory, thread);
  for (size_t box = 0; box < boxes.size(); ++box)
    gather.emit(boxes[box], access.isWholeTile ? lines : 64, w.add(target, static_cast<int64_t>(box) * 8192));
}

} // namespace orzo::gpu
