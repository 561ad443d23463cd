// HandleState: what a Handle shares with the graphs that it has compiled.
#pragma once

#include "orzo/Api/Handle.h"
#include "orzo/Runtime/ThreadPool.h"

namespace orzo::graph {

struct Handle::State {
  HandleOptions options;
  ThreadPool pool;
};

} // namespace orzo::graph
