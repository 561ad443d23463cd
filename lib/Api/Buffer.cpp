#include "orzo/Api/Buffer.h"

#include "Api/HandleState.h"

#include <cstring>

namespace orzo::graph {

static const char *placeOf(Backend backend) { return backend == Backend::CPU ? "the host" : "a CUDA device"; }

static Status checkHandle(const Handle &handle) {
  return handle.isValid() ? Status::success() : Status::invalidArgument("buffer: the handle was moved from");
}

Expected<Buffer> Buffer::allocateTyped(const Handle &handle, size_t bytes, DataType type, const void *contents) {
  if (Status status = checkHandle(handle); !status.ok())
    return status;
  if (bytes > size_t(1) << 62)
    return Status::invalidArgument("buffer: at most 2^62 bytes; got " + std::to_string(bytes));
  Buffer buffer;
  auto size = static_cast<int64_t>(bytes);
  buffer.elementType = type;
  buffer.where = handle.backend();
  if (const std::optional<Device> &device = handle.state->device) {
    Expected<DeviceMemory> memory = DeviceMemory::allocate(*device, size);
    if (!memory)
      return memory.status().within("buffer");
    buffer.ownedOnDevice = memory.take();
    buffer.memory = {buffer.ownedOnDevice.buffer().data, size};
    if (contents)
      if (Status status = device->upload(buffer.memory.data, contents, size); !status.ok())
        return status.within("buffer");
    return buffer;
  }
  Expected<Workspace> memory = Workspace::allocate(size);
  if (!memory)
    return memory.status().within("buffer");
  buffer.owned = memory.take();
  buffer.memory = {buffer.owned.buffer().data, size};
  if (contents && bytes > 0)
    std::memcpy(buffer.memory.data, contents, bytes);
  return buffer;
}

static bool isComplete(const TensorAttr &tensor) {
  return tensor.getDataType() != DataType::NotSet && tensor.getStride().size() == tensor.getDim().size();
}

static Status incomplete(const TensorAttr &tensor) {
  return Status::invalidArgument("buffer for tensor '" + tensor.getName() +
                                 "': its type or strides are not known; they are after validate()");
}

Expected<Buffer> Buffer::allocateFor(const Handle &handle, const TensorAttr &tensor) {
  if (!isComplete(tensor))
    return incomplete(tensor);
  return allocateTyped(handle, static_cast<size_t>(tensor.getSpan()) * byteSize(tensor.getDataType()),
                       tensor.getDataType());
}

Expected<Buffer> Buffer::allocateFilled(const Handle &handle, const TensorAttr &tensor, double value) {
  if (!isComplete(tensor))
    return incomplete(tensor);
  std::vector<std::byte> contents(static_cast<size_t>(tensor.getSpan()) * byteSize(tensor.getDataType()));
  for (int64_t i = 0; i < tensor.getSpan(); ++i)
    storeElement(contents.data(), i, tensor.getDataType(), value);
  return allocateTyped(handle, contents.size(), tensor.getDataType(), contents.data());
}

Expected<Buffer> Buffer::allocateRaw(const Handle &handle, size_t bytes) {
  return allocateTyped(handle, bytes, DataType::NotSet);
}

Buffer Buffer::import(void *data, size_t bytes, DataType type) {
  Buffer buffer;
  buffer.memory = {data, static_cast<int64_t>(bytes)};
  buffer.elementType = type;
  return buffer;
}

Status Buffer::checkRead(const Handle &handle, DataType wanted) const {
  if (Status status = checkHandle(handle); !status.ok())
    return status;
  if (elementType != DataType::NotSet && elementType != wanted)
    return Status::invalidArgument("buffer: it holds " + std::string(name(elementType)) + ", read() wants " +
                                   std::string(name(wanted)));
  if (where && *where != handle.backend())
    return Status::invalidArgument(std::string("buffer: it is memory of ") + placeOf(*where) + ", the handle is for " +
                                   placeOf(handle.backend()));
  return Status::success();
}

Status Buffer::copyTo(const Handle &handle, void *target) const {
  if (memory.bytes == 0)
    return Status::success();
  if (!handle.state->device) {
    std::memcpy(target, memory.data, bytes());
    return Status::success();
  }
  if (Status status = handle.synchronize(); !status.ok())
    return status.within("buffer");
  return handle.state->device->download(target, memory.data, memory.bytes).within("buffer");
}

Expected<std::shared_ptr<Buffer>> allocateBufferOfType(const Handle &handle, const TensorPtr &tensor, DataType type,
                                                       double value) {
  if (!tensor)
    return Status::invalidArgument("buffer: the tensor is null");
  if (tensor->getDataType() != type)
    return Status::invalidArgument("buffer for tensor '" + tensor->getName() + "': the tensor is " +
                                   std::string(name(tensor->getDataType())) + ", asked for is " +
                                   std::string(name(type)));
  Expected<Buffer> buffer = Buffer::allocateFor(handle, *tensor);
  if (!buffer)
    return buffer.status();
  for (int64_t i = 0; i < tensor->getSpan(); ++i)
    storeElement(buffer->data(), i, type, value);
  return std::make_shared<Buffer>(buffer.take());
}

Expected<std::shared_ptr<Buffer>> allocateWorkspace(const Handle &handle, const Expected<std::optional<size_t>> &size) {
  if (!size)
    return size.status();
  if (!size->has_value())
    return std::shared_ptr<Buffer>();
  Expected<Buffer> buffer = Buffer::allocateRaw(handle, **size);
  if (!buffer)
    return buffer.status();
  return std::make_shared<Buffer>(buffer.take());
}

} // namespace orzo::graph
