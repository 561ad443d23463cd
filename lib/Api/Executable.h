// Executable: a graph's loaded module, the tensor that stands for each of its bindings, and the calls bound so far.
#pragma once

#include "Api/BoundCalls.h"
#include "orzo/Api/Graph.h"

namespace orzo::graph {

struct Graph::Executable {
  /// `threads` is that of the handle that loaded the module.
  Executable(std::string where, Module module, std::vector<TensorPtr> tensors, int threads);

  /// What Graph::execute() promises; `handle` is valid.
  Status execute(const Handle &handle, const VariantPack &pack, const Buffer *workspace);

  std::string where; ///< "graph 'g'", for errors.
  Module module;
  std::vector<TensorPtr> tensors; ///< By binding of the module; all different.
  int64_t workspaceBytes;         ///< With `threads` threads.
  std::vector<std::string> notes; ///< The artifact's, in words of the graph.

private:
  /// The address of every tensor of `pack`, in the order of the bindings, in memory that the thread keeps.
  Expected<std::span<void *const>> addressesOf(const VariantPack &pack, Backend backend) const;
  /// No result may share memory with anything else.
  Status checkOverlap(const VariantPack &pack) const;
  int64_t workspaceBytesOf(const Handle &handle) const;
  Expected<BoundCalls::Call *> bind(const Handle &handle, const VariantPack &pack, const BoundMemory &memory,
                                    const Buffer *workspace);

  int threads;
  BoundCalls calls;
};

} // namespace orzo::graph
