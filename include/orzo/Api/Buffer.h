// Buffer: memory of a tensor, the library's own or the caller's.
#pragma once

#include "orzo/Api/FloatTypes.h"
#include "orzo/Api/Handle.h"
#include "orzo/Graph/TensorAttr.h"
#include "orzo/Runtime/Device.h"
#include "orzo/Runtime/Workspace.h"

#include <vector>

namespace orzo::graph {

/// Movable, not copyable; variant packs hold it by shared_ptr. Elements lie as the tensor's strides say. With a handle
/// for Backend::CUDA the memory is the device's: data() is an address there.
class Buffer {
public:
  /// A copy of `data`, which has as many elements as `shape`. InvalidArgument when not; Unavailable without memory.
  template <typename T>
  static Expected<Buffer> allocate(const Handle &handle, const std::vector<int64_t> &shape, const std::vector<T> &data);

  /// Memory for `tensor` of a validated graph, contents undefined.
  static Expected<Buffer> allocateFor(const Handle &handle, const TensorAttr &tensor);

  /// The same with every element `value`.
  static Expected<Buffer> allocateFilled(const Handle &handle, const TensorAttr &tensor, double value);

  /// `bytes` bytes without an element type, for workspaces.
  static Expected<Buffer> allocateRaw(const Handle &handle, size_t bytes);

  /// The caller's own memory - of the host or of the device, as the handle that it is used with wants - which stays the
  /// caller's and must outlive every use. Aligned to its elements, on a device to 16 bytes.
  static Buffer import(void *data, size_t bytes, DataType type = DataType::NotSet);

  /// Copies everything to `data`, whatever was in it; on a device after what is on the handle's stream. InvalidArgument
  /// when T is not the buffer's type, or the buffer is not where the handle's are.
  template <typename T> Status read(const Handle &handle, std::vector<T> &data) const;

  void *data() const { return memory.data; }
  size_t bytes() const { return static_cast<size_t>(memory.bytes); }
  /// NotSet for raw memory.
  DataType type() const { return elementType; }

  /// Where the memory is; not known of imported memory.
  std::optional<Backend> location() const { return where; }

private:
  /// Copies of `contents`, where that is not null.
  static Expected<Buffer> allocateTyped(const Handle &handle, size_t bytes, DataType type,
                                        const void *contents = nullptr);
  Status checkRead(const Handle &handle, DataType wanted) const;
  Status copyTo(const Handle &handle, void *target) const;

  Workspace owned;
  DeviceMemory ownedOnDevice;
  std::optional<Backend> where;
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
    if (__builtin_mul_overflow(count, extent, &count))
      return Status::invalidArgument("buffer: an extent of " + std::to_string(extent) + " in its shape");
  if (count != data.size())
    return Status::invalidArgument("buffer: the shape has " + std::to_string(count) + " elements, the data " +
                                   std::to_string(data.size()));
  return allocateTyped(handle, count * sizeof(T), elementTypeOf<T>, data.data());
}

template <typename T> Status Buffer::read(const Handle &handle, std::vector<T> &data) const {
  if (Status status = checkRead(handle, elementTypeOf<T>); !status.ok())
    return status;
  data.resize(bytes() / sizeof(T));
  return copyTo(handle, data.data());
}

} // namespace orzo::graph
