// What the tests of the graph API share: a handle with a cache of its own, and random contents.
#pragma once

#include "orzo/Api/Graph.h"

#include "gmock/gmock.h"

#include <filesystem>
#include <random>
#include <unistd.h>

namespace orzo::graph::test {

/// A folder that goes with the test.
class CacheFolder {
public:
  CacheFolder() : path(std::filesystem::temp_directory_path() / ("orzo-api-" + std::to_string(getpid()))) {}
  ~CacheFolder() { std::filesystem::remove_all(path); }
  std::string text() const { return path.string(); }

private:
  std::filesystem::path path;
};

inline Handle makeHandle(const CacheFolder &folder, int threads = 2) {
  HandleOptions options;
  options.threads = threads;
  options.cacheDirectory = folder.text();
  Expected<Handle> handle = Handle::create(Backend::CPU, options);
  EXPECT_TRUE(handle.ok()) << handle.status().message();
  return handle.take();
}

/// A buffer of small integers: sums are exact in every type.
inline std::shared_ptr<Buffer> integers(const Handle &handle, const TensorAttr &tensor, unsigned seed) {
  Expected<Buffer> buffer = Buffer::allocateFor(handle, tensor);
  EXPECT_TRUE(buffer.ok()) << buffer.status().message();
  std::mt19937 random(seed);
  for (int64_t i = 0; i < tensor.getSpan(); ++i)
    storeElement(buffer->data(), i, tensor.getDataType(), static_cast<double>(random() % 5) - 2);
  return std::make_shared<Buffer>(buffer.take());
}

} // namespace orzo::graph::test
