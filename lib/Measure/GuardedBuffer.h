// GuardedBuffer: memory that ends, or begins, exactly at a page nobody may touch.
//
//     EndsAtGuard        | guard | canary ... |  data  | guard |      data + size is the first byte of the guard
//     BeginsAfterGuard   | guard |  data  | canary ... | guard |      data is the first byte after the guard
//
// An access beyond the data on the guarded side faults at once; on the other side it falls on the canary (the poison
// pattern: a stray read makes a NaN, a stray write is found by checkCanary()), and beyond that on the other guard.
// Generated code is not instrumented by sanitizers; this is what watches it.
//
// With EndsAtGuard the data is only aligned as far as its size is a multiple of 64; with BeginsAfterGuard it is
// page-aligned. Kernels must accept both.
#pragma once

#include "orzo/Support/Status.h"

#include <cstddef>
#include <cstdint>

namespace orzo {

class GuardedBuffer {
public:
  enum class Placement : uint8_t { EndsAtGuard, BeginsAfterGuard };

  /// `bytes` bytes (an even number, 0 allowed), filled with poison. Unavailable when the system has no memory.
  static Expected<GuardedBuffer> allocate(size_t bytes, Placement placement = Placement::EndsAtGuard);

  GuardedBuffer(GuardedBuffer &&other) noexcept;
  GuardedBuffer &operator=(GuardedBuffer &&other) noexcept;
  ~GuardedBuffer();

  void *data() const { return begin; }
  size_t size() const { return bytes; }

  /// Fills the data (not the canary) with the poison pattern again.
  void poison();

  /// Where the canary was first overwritten, in bytes from data() (negative before it); 0 when it is intact.
  int64_t checkCanary() const;

private:
  GuardedBuffer() = default;

  unsigned char *mapping = nullptr, *begin = nullptr;
  size_t mappedBytes = 0, bytes = 0;
};

} // namespace orzo
