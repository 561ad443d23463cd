#include "Measure/GuardedBuffer.h"

#include "Measure/Poison.h"

#include <cassert>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace orzo {

static size_t pageBytes() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

Expected<GuardedBuffer> GuardedBuffer::allocate(size_t bytes, Placement placement) {
  assert(bytes % 2 == 0);
  size_t page = pageBytes();
  size_t body = (bytes + page - 1) / page * page;
  GuardedBuffer buffer;
  buffer.bytes = bytes;
  buffer.mappedBytes = body + 2 * page;
  void *mapping = mmap(nullptr, buffer.mappedBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    return Status::unavailable("no memory for a tensor of " + std::to_string(bytes) + " bytes");
  buffer.mapping = static_cast<unsigned char *>(mapping);
  unsigned char *first = buffer.mapping + page;
  if (body > 0 && mprotect(first, body, PROT_READ | PROT_WRITE) != 0)
    return Status::unavailable("no memory for a tensor of " + std::to_string(bytes) + " bytes");
  madvise(first, body, MADV_HUGEPAGE);
  fillPoison(first, body);
  buffer.begin = placement == Placement::EndsAtGuard ? first + body - bytes : first;
  return buffer;
}

GuardedBuffer::GuardedBuffer(GuardedBuffer &&other) noexcept { *this = std::move(other); }

GuardedBuffer &GuardedBuffer::operator=(GuardedBuffer &&other) noexcept {
  std::swap(mapping, other.mapping);
  std::swap(begin, other.begin);
  std::swap(mappedBytes, other.mappedBytes);
  std::swap(bytes, other.bytes);
  return *this;
}

GuardedBuffer::~GuardedBuffer() {
  if (mapping)
    munmap(mapping, mappedBytes);
}

void GuardedBuffer::poison() { fillPoison(begin, bytes); }

int64_t GuardedBuffer::checkCanary() const {
  const unsigned char *first = mapping + pageBytes(), *last = mapping + mappedBytes - pageBytes();
  auto intact = [](const unsigned char *at) {
    uint16_t pattern;
    std::memcpy(&pattern, at, sizeof pattern);
    return pattern == poisonPattern;
  };
  // Nearest to the data first: that is what a report should name.
  for (const unsigned char *at = begin; at > first; at -= 2)
    if (!intact(at - 2))
      return at - 2 - begin;
  for (const unsigned char *at = begin + bytes; at < last; at += 2)
    if (!intact(at))
      return at - begin;
  return 0;
}

} // namespace orzo
