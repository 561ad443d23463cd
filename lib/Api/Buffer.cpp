#include "orzo/Api/Buffer.h"

namespace orzo::graph {

static Status checkHandle(const Handle &handle) {
  return handle.isValid() ? Status::success() : Status::invalidArgument("buffer: the handle was moved from");
}

Expected<Buffer> Buffer::allocateTyped(const Handle &handle, size_t bytes, DataType type) {
  if (Status status = checkHandle(handle); !status.ok())
    return status;
  if (bytes > size_t(1) << 62)
    return Status::invalidArgument("buffer: at most 2^62 bytes; got " + std::to_string(bytes));
  Expected<Workspace> memory = Workspace::allocate(static_cast<int64_t>(bytes));
  if (!memory)
    return memory.status().within("buffer");
  Buffer buffer;
  buffer.owned = memory.take();
  buffer.memory = {buffer.owned.buffer().data, static_cast<int64_t>(bytes)};
  buffer.elementType = type;
  return buffer;
}

Expected<Buffer> Buffer::allocateFor(const Handle &handle, const TensorAttr &tensor) {
  if (tensor.getDataType() == DataType::NotSet || tensor.getStride().size() != tensor.getDim().size())
    return Status::invalidArgument("buffer for tensor '" + tensor.getName() +
                                   "': its type or strides are not known; they are after validate()");
  return allocateTyped(handle, static_cast<size_t>(tensor.getSpan()) * byteSize(tensor.getDataType()),
                       tensor.getDataType());
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
  return Status::success();
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
