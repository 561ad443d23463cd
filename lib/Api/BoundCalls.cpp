#include "Api/BoundCalls.h"

#include <algorithm>

namespace orzo::graph {

static bool isBoundTo(const BoundCalls::Call &call, const BoundMemory &memory) {
  return call.owner == memory.owner && call.workspace == memory.workspace &&
         std::ranges::equal(call.tensors, memory.tensors);
}

BoundCalls::Call *BoundCalls::take(const BoundMemory &memory) {
  std::lock_guard<std::mutex> lock(mutex);
  for (const std::unique_ptr<Call> &call : calls)
    if (!call->isRunning && isBoundTo(*call, memory)) {
      call->isRunning = true;
      call->lastUse = ++clock;
      return call.get();
    }
  return nullptr;
}

BoundCalls::Call *BoundCalls::keep(std::unique_ptr<Call> call) {
  std::lock_guard<std::mutex> lock(mutex);
  call->isRunning = true;
  call->lastUse = ++clock;
  if (calls.size() >= limit) {
    auto oldest = calls.end();
    for (auto each = calls.begin(); each != calls.end(); ++each)
      if (!(*each)->isRunning && (oldest == calls.end() || (*each)->lastUse < (*oldest)->lastUse))
        oldest = each;
    if (oldest != calls.end())
      calls.erase(oldest);
  }
  return calls.emplace_back(std::move(call)).get();
}

void BoundCalls::release(Call *call) {
  std::lock_guard<std::mutex> lock(mutex);
  call->isRunning = false;
}

} // namespace orzo::graph
