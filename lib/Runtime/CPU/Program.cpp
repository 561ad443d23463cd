#include "Runtime/CPU/Program.h"

#include <algorithm>
#include <cstring>

namespace orzo::cpu {

static constexpr int64_t alignment = 64;

static int64_t roundUp(int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

Expected<std::vector<Kernel>> resolveKernels(const ArtifactImage &image, const SharedObject &object) {
  std::vector<Kernel> kernels;
  for (const ArtifactStep &step : image.steps) {
    if (step.kind != ArtifactStep::Kind::Dispatch) {
      kernels.push_back(nullptr);
      continue;
    }
    Expected<void *> address = object.symbol(step.symbol);
    if (!address)
      return address.status().within("step '" + step.name + "'");
    kernels.push_back(reinterpret_cast<Kernel>(*address));
  }
  return kernels;
}

int64_t scratchStride(const ArtifactImage &image) {
  int64_t bytes = 0;
  for (const ArtifactStep &step : image.steps)
    bytes = std::max(bytes, step.scratchBytes);
  return roundUp(bytes);
}

int64_t scratchOffset(const ArtifactImage &image) { return roundUp(image.workspaceBytes); }

/// [0, total) in pieces of whole `grain`s, over so many threads that each has at least 64 KiB: below that, waking a
/// thread costs more than it saves.
static std::vector<std::vector<UnitShare>> shareBytes(int64_t total, int64_t itemBytes, int64_t grain, int threads) {
  constexpr int64_t worthAThread = 64 << 10;
  int64_t useful = std::clamp<int64_t>(total * itemBytes / worthAThread, 1, threads);
  int64_t grains = (total + grain - 1) / grain;
  auto chunks = unitShares({&grains, 1}, static_cast<int>(useful));
  for (auto &shares : chunks)
    for (UnitShare &share : shares)
      share = {share.begin * grain, std::min(share.end * grain, total)};
  return chunks;
}

/// For each stage of `step`, the shares of its units. The end of a run on the thread pool is the barrier between them.
static std::vector<std::vector<std::vector<UnitShare>>> stageShares(const ArtifactStep &step, int threads) {
  std::vector<int32_t> stages = step.stageRanges;
  if (stages.empty())
    stages = {static_cast<int32_t>(step.unitRanges.size())};
  std::vector<std::vector<std::vector<UnitShare>>> result;
  std::span<const int64_t> ranges = step.unitRanges;
  int64_t first = 0;
  for (int32_t count : stages) {
    result.push_back(unitShares(ranges.first(count), threads));
    for (auto &shares : result.back())
      for (UnitShare &share : shares)
        share = {share.begin + first, share.end + first};
    for (int64_t range : ranges.first(count))
      first += range;
    ranges = ranges.subspan(count);
  }
  return result;
}

Program::Program(const ArtifactImage &image, std::span<const Kernel> kernels, std::span<void *const> bindings,
                 void *workspace, ThreadPool pool)
    : pool(std::move(pool)) {
  int threads = this->pool.threads();
  auto *base = static_cast<char *>(workspace);
  auto memory = [&](int32_t index) -> void * {
    const ArtifactSlot &slot = image.slots[index];
    return slot.binding >= 0 ? bindings[slot.binding] : base + slot.workspaceOffset;
  };
  char *scratch = workspace ? base + scratchOffset(image) : nullptr;
  for (size_t i = 0; i < image.steps.size(); ++i) {
    const ArtifactStep &from = image.steps[i];
    Step step{Dispatch{}, {}, scratch, scratchStride(image)};
    switch (from.kind) {
    case ArtifactStep::Kind::Dispatch: {
      Dispatch dispatch{kernels[i], {}};
      for (int32_t slot : from.slots)
        dispatch.slots.push_back(memory(slot));
      step.work = std::move(dispatch);
      auto stages = stageShares(from, threads);
      for (size_t stage = 0; stage + 1 < stages.size(); ++stage) {
        step.chunks = std::move(stages[stage]);
        if (!step.chunks.empty())
          steps.push_back(step);
      }
      step.chunks = std::move(stages.back());
      break;
    }
    case ArtifactStep::Kind::Fill: {
      step.work = Fill{static_cast<char *>(memory(from.slots[0])), from.fillByte};
      step.chunks = shareBytes(image.slots[from.slots[0]].bytes, 1, 4096, threads);
      break;
    }
    case ArtifactStep::Kind::Copy: {
      CopyPlan plan(from);
      step.chunks = shareBytes(plan.elementCount(), plan.elementBytes(), 64, threads);
      step.work = Copy{std::move(plan), memory(from.slots[0]), memory(from.slots[1])};
      break;
    }
    }
    // An empty step is not kept: empty problems launch nothing.
    if (!step.chunks.empty())
      steps.push_back(std::move(step));
  }
}

void Program::Step::run(int chunk) const {
  for (UnitShare share : chunks[chunk]) {
    if (const auto *dispatch = std::get_if<Dispatch>(&work)) {
      // Scratch goes with the chunk, not the thread: one chunk is never run by two threads.
      void *own = scratchStride ? scratch + chunk * scratchStride : nullptr;
      dispatch->kernel(dispatch->slots.data(), share.begin, share.end, own);
    } else if (const auto *fill = std::get_if<Fill>(&work)) {
      std::memset(fill->target + share.begin, fill->byte, share.end - share.begin);
    } else if (const auto *copy = std::get_if<Copy>(&work)) {
      copy->plan.run(copy->source, copy->target, share.begin, share.end);
    }
  }
}

Status Program::run() const {
  for (const Step &step : steps) {
    auto body = [](void *context, int chunk) { static_cast<const Step *>(context)->run(chunk); };
    Status status = pool.run(static_cast<int>(step.chunks.size()), body, const_cast<Step *>(&step));
    if (!status.ok())
      return status;
  }
  return {};
}

} // namespace orzo::cpu
