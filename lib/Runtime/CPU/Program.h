// Program: the steps of an image, bound to memory and threads.
#pragma once

#include "Runtime/CPU/CopyPlan.h"
#include "Runtime/CPU/SharedObject.h"
#include "Runtime/CPU/UnitShares.h"
#include "orzo/Runtime/ThreadPool.h"

#include <variant>

namespace orzo::cpu {

/// A compiled kernel (ArtifactStep says what it computes).
using Kernel = void (*)(void *const *slots, int64_t begin, int64_t end, void *scratch);

/// The kernel of every step, in order; null for fills and copies. InvalidArgument names a symbol that is missing.
Expected<std::vector<Kernel>> resolveKernels(const ArtifactImage &image, const SharedObject &object);

/// The largest scratch of any step, rounded up so that the threads' scratches in a row stay 64-byte aligned.
int64_t scratchStride(const ArtifactImage &image);

/// Where workspace slots end and scratch begins: the slots' bytes, rounded up to 64.
int64_t scratchOffset(const ArtifactImage &image);

class Program {
public:
  /// `image` is of a checked artifact, `kernels` from resolveKernels(), `bindings` the memory of each binding, and
  /// `workspace` has scratchOffset() + threads * scratchStride() bytes at a multiple of 64. Neither `image` nor
  /// `kernels` is kept.
  Program(const ArtifactImage &image, std::span<const Kernel> kernels, std::span<void *const> bindings, void *workspace,
          ThreadPool pool);

  Status run() const;

private:
  struct Dispatch {
    Kernel kernel;
    std::vector<void *> slots;
  };
  struct Fill {
    char *target;
    uint8_t byte;
  };
  struct Copy {
    CopyPlan plan;
    const void *source;
    void *target;
  };
  /// A fill, a copy, or one stage of a dispatch.
  struct Step {
    std::variant<Dispatch, Fill, Copy> work;
    /// For each chunk that runs at the same time, what it does: units, bytes or elements. Empty: nothing to do.
    std::vector<std::vector<UnitShare>> chunks;
    char *scratch;
    int64_t scratchStride;
    void run(int chunk) const;
  };

  std::vector<Step> steps;
  ThreadPool pool;
};

} // namespace orzo::cpu
