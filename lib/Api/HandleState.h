// HandleState: what a Handle shares with the graphs that it has compiled.
#pragma once

#include "orzo/Api/Handle.h"
#include "orzo/Runtime/Device.h"
#include "orzo/Runtime/ThreadPool.h"

namespace orzo::graph {

struct Handle::State {
  HandleOptions options;          ///< The target is never empty.
  std::optional<ThreadPool> pool; ///< Of Backend::CPU.
  std::optional<Device> device;   ///< Of Backend::CUDA.
};

} // namespace orzo::graph
