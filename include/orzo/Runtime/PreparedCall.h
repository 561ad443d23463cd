// PreparedCall: a module bound to memory - and on a CPU to threads - to be run any number of times.
//
//     Module module = *Module::loadFile("dgrad.orzo");
//     ThreadPool pool = *ThreadPool::create(2);
//     Workspace workspace = *Workspace::allocate(module.workspaceBytes(pool.threads()));
//     std::vector<BufferView> tensors = {module.bindings()[0].view({dx, dxBytes}), ...};
//     PreparedCall call = *PreparedCall::bind(module, tensors, workspace.buffer(), pool);
//     Status status = call.run();
//
// On a CUDA device tensors and workspace are device memory, and the caller says on which stream each run goes:
//
//     DeviceMemory workspace = *DeviceMemory::allocate(*module.device(), module.workspaceBytes(0));
//     PreparedCall call = *PreparedCall::bind(module, tensors, workspace.buffer());
//     Status status = call.run(stream);
#pragma once

#include "orzo/Runtime/Module.h"
#include "orzo/Runtime/Stream.h"
#include "orzo/Runtime/ThreadPool.h"

namespace orzo {

/// One per thread that runs it: two run() calls of one object must not overlap in time (those of two objects may). The
/// caller keeps buffers and workspace alive and in place; module and pool are shared.
class PreparedCall {
public:
  /// `tensors` in the order of module.bindings(), each of the binding's type and shape, packed. All checks are made
  /// here. InvalidArgument names the binding (or the workspace): missing, null, too small, of another type, shape or
  /// strides, misaligned (elements to their size, workspace to 64 bytes), or a result that overlaps other memory of the
  /// call.
  static Expected<PreparedCall> bind(const Module &module, std::span<const BufferView> tensors, Buffer workspace,
                                     const ThreadPool &pool);

  /// The same for a module on a CUDA device; addresses are the device's, alignment is 16 bytes (workspace: 256). Tensor
  /// maps are encoded here. InvalidArgument as above, and for a module on a CPU. Unsupported: the program has a strided
  /// copy. Internal: the driver refuses a tensor map (the call is named).
  static Expected<PreparedCall> bind(const Module &module, std::span<const BufferView> tensors, Buffer workspace);

  PreparedCall(PreparedCall &&) noexcept;
  PreparedCall &operator=(PreparedCall &&) noexcept;
  ~PreparedCall();

  /// Runs the program once and returns when results are written. Allocates nothing, looks nothing up. The results' bits
  /// do not depend on the number of threads. Internal when the threads cannot be scheduled. InvalidArgument for a call
  /// on a CUDA device.
  Status run() const;

  /// Puts the program on `stream` - of the module's device - and returns without waiting. Allocates nothing and may be
  /// captured into a CUDA graph; replays then use the memory that was bound. An error of the driver names the call and
  /// the step; errors of a kernel itself show when the stream is waited for. InvalidArgument for a call on a CPU.
  Status run(Stream stream) const;

private:
  struct State;
  explicit PreparedCall(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace orzo
