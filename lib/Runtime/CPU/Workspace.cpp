#include "orzo/Runtime/Workspace.h"

#include <cstdlib>
#include <string>
#include <sys/mman.h>

namespace orzo {

static constexpr int64_t hugePage = int64_t(2) << 20;

Expected<Workspace> Workspace::allocate(int64_t bytes) {
  if (bytes < 0)
    return Status::invalidArgument("a workspace of " + std::to_string(bytes) + " bytes");
  if (bytes == 0)
    return Workspace();
  int64_t alignment = bytes >= hugePage ? hugePage : 64;
  // Rounding up cannot overflow where the size is one that can be had at all.
  void *data = bytes > (int64_t(1) << 48)
                   ? nullptr
                   : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!data)
    return Status::unavailable("not enough memory for a workspace of " + std::to_string(bytes) + " bytes");
  // Only advice: without huge pages the memory is as good, a little slower.
  if (alignment == hugePage)
    madvise(data, (bytes + alignment - 1) / alignment * alignment, MADV_HUGEPAGE);
  return Workspace(Buffer{data, bytes});
}

Workspace::~Workspace() { std::free(memory.data); }

} // namespace orzo
