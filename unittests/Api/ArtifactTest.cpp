// Artifacts and the cache behind compile(): signatures are checked, nothing is compiled twice, nothing fails for it.
#include "ApiTesting.h"

#include <fstream>
#include <sys/wait.h>
#include <thread>

using namespace orzo::graph;
using namespace orzo::graph::test;
using testing::HasSubstr;

namespace {

void makeMatmul(Graph &graph, int64_t columns) {
  graph.setName("mm").setIODataType(DataType::Float);
  auto a = graph.tensor(TensorAttr().setName("a").setDim({4, 8}));
  auto b = graph.tensor(TensorAttr().setName("b").setDim({8, columns}));
  graph.matmul(a, b, MatmulAttr().setName("product"))->setName("c").setOutput(true);
  ASSERT_TRUE(graph.validate().ok());
}

size_t artifactsIn(const CacheFolder &folder) {
  size_t count = 0;
  if (std::filesystem::exists(folder.text()))
    for (const auto &entry : std::filesystem::directory_iterator(folder.text()))
      count += entry.path().extension() == ".orzo";
  return count;
}

TEST(Artifact, IsLoadedByTheSameProblemOnly) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  Graph first, same, other;
  makeMatmul(first, 16);
  makeMatmul(same, 16);
  makeMatmul(other, 24);
  auto bytes = first.compileToArtifact(handle);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  EXPECT_TRUE(same.loadFromArtifact(handle, *bytes).ok());
  EXPECT_THAT(other.loadFromArtifact(handle, *bytes).message(),
              testing::AllOf(HasSubstr("graph 'mm'"), HasSubstr("another problem: 'conv.v1 fprop n16 c8 k4"),
                             HasSubstr("the graph is 'conv.v1 fprop n24 c8 k4")));
  for (size_t at : {size_t(0), bytes->size() / 2, bytes->size() - 1}) {
    std::vector<uint8_t> damaged = *bytes;
    damaged[at] ^= 0x20;
    EXPECT_FALSE(same.loadFromArtifact(handle, damaged).ok()) << "byte " << at;
  }
  EXPECT_FALSE(same.loadFromArtifact(handle, std::span(*bytes).first(100)).ok());
  // What was loaded before a failure still runs.
  EXPECT_TRUE(same.getWorkspaceSize().ok());
}

TEST(Artifact, CacheKeepsOneFileAProblem) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  for (int round = 0; round < 2; ++round) {
    Graph graph;
    makeMatmul(graph, 16);
    ASSERT_TRUE(graph.compile(handle).ok());
    EXPECT_EQ(artifactsIn(folder), 1U);
  }
  Graph removed;
  makeMatmul(removed, 24);
  ASSERT_TRUE(removed.compile(handle, /*remove=*/true).ok());
  EXPECT_EQ(artifactsIn(folder), 1U);
}

TEST(Artifact, AFolderThatCannotBeWrittenIsNoError) {
  HandleOptions options;
  options.cacheDirectory = "/proc/no/such/folder";
  auto handle = Handle::create(Backend::CPU, options);
  ASSERT_TRUE(handle.ok());
  Graph graph;
  makeMatmul(graph, 16);
  EXPECT_TRUE(graph.compile(*handle).ok());
}

TEST(Artifact, SeveralTargetsInOneFile) {
  CacheFolder folder;
  HandleOptions options;
  options.target = "cpu:avx2,avx512";
  options.cacheDirectory = folder.text();
  auto handle = Handle::create(Backend::CPU, options);
  ASSERT_TRUE(handle.ok());
  Graph graph;
  makeMatmul(graph, 16);
  orzo::Status status = graph.compile(*handle);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(Artifact, ConcurrentCompilesOfOneProblem) {
  CacheFolder folder;
  Handle handle = makeHandle(folder);
  std::vector<Graph> graphs(4);
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  for (Graph &graph : graphs)
    makeMatmul(graph, 40);
  for (Graph &graph : graphs)
    threads.emplace_back([&] { failed += !graph.compile(handle).ok(); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(artifactsIn(folder), 1U);
}

} // namespace
