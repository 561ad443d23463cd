// Buffer: memory of a tensor, the library's own or the caller's.
#pragma once

#include "orzo/Api/FloatTypes.h"
#include "orzo/Api/Handle.h"
#include "orzo/Graph/TensorAttr.h"
#include "orzo/Runtime/Workspace.h"

#include <cstring>
#include <vector>

namespace orzo::graph {

/// Movable, not copyable; variant packs hold it by shared_ptr. Elements lie as the tensor's strides say.
class Buffer {
public:
  /// A copy of `data`, which has as many elements as `shape`. InvalidArgument when not; Unavailable without memory.
  template <typename T>
  static Expected<Buffer> allocate(const Handle &handle, const std::vector<int64_t> &shape, const std::vector<T> &data);

  /// Memory for `tensor` of a validated graph, contents undefined.
  static Expected<Buffer> allocateFor(const Handle &handle, const TensorAttr &tensor);

  /// `bytes` bytes without an element type, for workspaces.
  static Expected<Buffer> allocateRaw(const Handle &handle, size_t bytes);

  /// The caller's own memory, which stays the caller's and must outlive every use. Aligned to its elements.
  static Buffer import(void *data, size_t bytes, DataType type = DataType::NotSet);

  /// Copies everything to `data`, whatever was in it. InvalidArgument when T is not the buffer's type.
  template <typename T> Status read(const Handle &handle, std::vector<T> &data) const;

  void *data() const { return memory.data; }
  size_t bytes() const { return static_cast<size_t>(memory.bytes); }
  /// NotSet for raw memory.
  DataType type() const { return elementType; }

private:
  static Expected<Buffer> allocateTyped(const Handle &handle, size_t bytes, DataType type);
  Status checkRead(const Handle &handle, DataType wanted) const;

  Workspace owned;
  orzo::Buffer memory;
  DataType elementType = DataType::NotSet;
};

/// A buffer for `tensor`, every element `value`. As in Fusilli's tests, but part of the library.
Expected<std::shared_ptr<Buffer>> allocateBufferOfType(const Handle &handle, const TensorPtr &tensor, DataType type,
                                                       double value);

/// A workspace as Graph::getWorkspaceSize() asks for, null where it asks for none.
Expected<std::shared_ptr<Buffer>> allocateWorkspace(const Handle &handle, const Expected<std::optional<size_t>> &size);

template <typename T>
Expected<Buffer> Buffer::allocate(const Handle &handle, const std::vector<int64_t> &shape, const std::vector<T> &data) {
  static_assert(elementTypeOf<T> != ElementType::NotSet, "no element type of a tensor");
  size_t count = 1;
  for (int64_t extent : shape)
    count *= static_cast<size_t>(extent);
  if (count != data.size())
    return Status::invalidArgument("buffer: the shape has " + std::to_string(count) + " elements, the data " +
                                   std::to_string(data.size()));
  Expected<Buffer> buffer = allocateTyped(handle, count * sizeof(T), elementTypeOf<T>);
  if (buffer && count > 0)
    std::memcpy(buffer->data(), data.data(), count * sizeof(T));
  return buffer;
}

template <typename T> Status Buffer::read(const Handle &handle, std::vector<T> &data) const {
  if (Status status = checkRead(handle, elementTypeOf<T>); !status.ok())
    return status;
  data.resize(bytes() / sizeof(T));
  if (!data.empty())
    std::memcpy(data.data(), memory.data, data.size() * sizeof(T));
  return Status::success();
}

} // namespace orzo::graph
