#include "Api/Compilation.h"
#include "Api/HandleState.h"
#include "Runtime/CPU/Isa.h"

#include <algorithm>

namespace orzo::graph {

Expected<Handle> Handle::create(Backend backend, const HandleOptions &options) {
  if (backend != Backend::CPU)
    return Status::invalidArgument("handle: unknown backend; Backend::CPU would work");
  if (options.threads < 0)
    return Status::invalidArgument("handle: threads must be 0 (every core) or more; got " +
                                   std::to_string(options.threads));
  if (!options.target.starts_with("cpu"))
    return Status::invalidArgument("handle: the target of Backend::CPU is cpu or cpu:ISA,...; got '" + options.target +
                                   "'");
  if (Expected<std::string> target = resolveTarget(options.target); !target)
    return target.status().within("handle");
  Expected<ThreadPool> pool = ThreadPool::create(options.threads > 0 ? options.threads : std::max(1, coreCount()));
  if (!pool)
    return pool.status().within("handle");
  return Handle(std::make_shared<const State>(State{options, pool.take()}));
}

int Handle::threads() const { return state ? state->pool.threads() : 0; }

const HandleOptions &Handle::options() const {
  static const HandleOptions none;
  return state ? state->options : none;
}

} // namespace orzo::graph
