#include "ApiTesting.h"

using namespace orzo::graph;
using namespace orzo::graph::test;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Buffer, WhatIsWrittenIsRead) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  std::vector<Half> values = {Half(1.5F), Half(-2)}, read(7);
  Expected<Buffer> buffer = Buffer::allocate(handle, {2, 1}, values);
  ASSERT_TRUE(buffer.ok()) << buffer.status().message();
  EXPECT_EQ(buffer->bytes(), 4U);
  ASSERT_TRUE(buffer->read(handle, read).ok());
  EXPECT_THAT(read, ElementsAre(1.5F, -2));
  std::vector<float> floats;
  EXPECT_THAT(buffer->read(handle, floats).message(), HasSubstr("holds f16, read() wants f32"));
  EXPECT_THAT(Buffer::allocate(handle, {3}, values).status().message(), HasSubstr("3 elements, the data 2"));
}

TEST(Buffer, ForATensor) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  auto tensor = std::make_shared<TensorAttr>(
      TensorAttr().setName("t").setDim({2, 3}).setStride({4, 1}).setDataType(DataType::Int16));
  Expected<Buffer> buffer = Buffer::allocateFor(handle, *tensor);
  ASSERT_TRUE(buffer.ok());
  EXPECT_EQ(buffer->bytes(), 14U); // Elements 0 to 6.
  auto filled = allocateBufferOfType(handle, tensor, DataType::Int16, 5);
  ASSERT_TRUE(filled.ok());
  std::vector<int16_t> values;
  ASSERT_TRUE((*filled)->read(handle, values).ok());
  EXPECT_THAT(values, testing::Each(5));
  EXPECT_THAT(allocateBufferOfType(handle, tensor, DataType::Float, 5).status().message(), HasSubstr("'t'"));
  EXPECT_THAT(Buffer::allocateFor(handle, TensorAttr().setName("u")).status().message(), HasSubstr("'u'"));
  EXPECT_FALSE(allocateBufferOfType(handle, nullptr, DataType::Float, 5).ok());
}

TEST(Handle, MistakesAreErrors) {
  HandleOptions options;
  options.threads = -1;
  EXPECT_THAT(Handle::create(Backend::CPU, options).status().message(), HasSubstr("got -1"));
  options.threads = 3;
  options.target = "toaster";
  EXPECT_THAT(Handle::create(Backend::CPU, options).status().message(), HasSubstr("toaster"));
  options.target = "cpu";
  Expected<Handle> made = Handle::create(Backend::CPU, options);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->threads(), 3);
  Handle moved = made.take();
  EXPECT_TRUE(moved.isValid());
  Handle other = std::move(moved);
  EXPECT_FALSE(moved.isValid()); // NOLINT(bugprone-use-after-move): what this is about.
  EXPECT_THAT(Buffer::allocateRaw(moved, 4).status().message(), HasSubstr("moved from"));
  Graph graph;
  EXPECT_THAT(graph.compile(moved).message(), HasSubstr("moved from"));
  EXPECT_THAT(graph.execute(moved, {}).message(), HasSubstr("moved from"));
}
