#include "Api/Compilation.h"
#include "Api/HandleState.h"
#include "Runtime/CPU/Isa.h"

#include <algorithm>

namespace orzo::graph {

/// Whether one of the targets that `text` joins by '+' is of `kind` ("cpu" or "cuda").
static bool names(std::string_view text, std::string_view kind) {
  while (true) {
    size_t end = text.find('+');
    std::string_view one = text.substr(0, end);
    if (one.substr(0, one.find(':')) == kind)
      return true;
    if (end == std::string_view::npos)
      return false;
    text.remove_prefix(end + 1);
  }
}

Expected<Handle> Handle::create(Backend backend, const HandleOptions &options) {
  if (backend != Backend::CPU && backend != Backend::CUDA)
    return Status::invalidArgument("handle: unknown backend; Backend::CPU or Backend::CUDA would work");
  bool onCpu = backend == Backend::CPU;
  State state{options, std::nullopt, std::nullopt};
  if (options.threads < 0)
    return Status::invalidArgument("handle: threads must be 0 (every core) or more; got " +
                                   std::to_string(options.threads));
  if (options.target.empty())
    state.options.target = onCpu ? "cpu" : "cuda:sm_90a";
  if (Expected<std::string> target = resolveTarget(state.options.target); !target)
    return target.status().within("handle");
  if (!names(state.options.target, onCpu ? "cpu" : "cuda"))
    return Status::invalidArgument("handle: the target '" + options.target +
                                   "' has nothing for the handle itself; with Backend::" +
                                   (onCpu ? "CPU it names cpu or cpu:ISA,..." : "CUDA it names cuda:sm_90a"));
  if (onCpu) {
    Expected<ThreadPool> pool = ThreadPool::create(options.threads > 0 ? options.threads : std::max(1, coreCount()));
    if (!pool)
      return pool.status().within("handle");
    state.pool = pool.take();
  } else {
    Expected<Device> device = options.device ? Device::open(*options.device) : Device::current();
    if (!device)
      return device.status().within("handle");
    state.device = device.take();
  }
  return Handle(std::make_shared<const State>(std::move(state)));
}

Backend Handle::backend() const { return state && state->device ? Backend::CUDA : Backend::CPU; }

int Handle::threads() const { return state && state->pool ? state->pool->threads() : 0; }

const HandleOptions &Handle::options() const {
  static const HandleOptions none;
  return state ? state->options : none;
}

Status Handle::synchronize() const {
  if (!isValid())
    return Status::invalidArgument("synchronize: the handle was moved from; Handle::create makes another");
  return state->device ? state->device->synchronize(currentStream) : Status::success();
}

} // namespace orzo::graph
