#include "Runtime/CUDA/CubinCache.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <unistd.h>

using namespace orzo::cuda;

namespace {

class CubinCacheTest : public testing::Test {
protected:
  void SetUp() override { folder = testing::TempDir() + "orzo-cubin-" + std::to_string(getpid()); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string folder;
};

TEST_F(CubinCacheTest, KeepsWhatWasWritten) {
  CubinCache cache(folder + "/new/folder");
  EXPECT_EQ(cache.read("a"), std::nullopt);
  std::vector<uint8_t> cubin = {1, 2, 3, 0, 255};
  EXPECT_TRUE(cache.write("a", cubin));
  EXPECT_EQ(cache.read("a"), cubin);
  EXPECT_EQ(cache.read("b"), std::nullopt);
}

TEST_F(CubinCacheTest, DamagedFilesCountAsAbsent) {
  CubinCache cache(folder);
  std::vector<uint8_t> cubin(100, 7);
  ASSERT_TRUE(cache.write("a", cubin));
  for (int64_t at : {0, 31, 32, 131}) {
    std::fstream file(cache.fileOf("a"), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(at).put('x');
    file.close();
    EXPECT_EQ(cache.read("a"), std::nullopt) << at;
    ASSERT_TRUE(cache.write("a", cubin));
  }
  for (int64_t length : {0, 31, 32, 131}) {
    std::filesystem::resize_file(cache.fileOf("a"), length);
    EXPECT_EQ(cache.read("a"), std::nullopt) << length;
    ASSERT_TRUE(cache.write("a", cubin));
  }
}

TEST_F(CubinCacheTest, OldestGoFirst) {
  CubinCache cache(folder, 400);
  std::vector<uint8_t> cubin(100, 7);
  using namespace std::chrono_literals;
  for (const char *key : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(cache.write(key, cubin));
    if (std::string(key) != "d")
      std::filesystem::last_write_time(cache.fileOf(key),
                                       std::filesystem::file_time_type::clock::now() - (key[0] == 'b' ? 2h : 1h));
  }
  EXPECT_EQ(cache.read("b"), std::nullopt);
  EXPECT_TRUE(cache.read("a") && cache.read("c") && cache.read("d"));
  // One that alone exceeds the bound stays, alone.
  ASSERT_TRUE(cache.write("big", std::vector<uint8_t>(1000, 1)));
  EXPECT_TRUE(cache.read("big"));
  EXPECT_FALSE(cache.read("a") || cache.read("c") || cache.read("d"));
}

TEST_F(CubinCacheTest, UnwritableFoldersOnlyCostTime) {
  std::ofstream(folder) << "a file";
  CubinCache cache(folder);
  EXPECT_FALSE(cache.write("a", std::vector<uint8_t>{1}));
  EXPECT_EQ(cache.read("a"), std::nullopt);
}

TEST_F(CubinCacheTest, KeysTellPtxDriverAndDeviceApart) {
  std::vector<uint8_t> ptx = {'p'}, other = {'q'};
  std::string key = CubinCache::key(ptx, 13000, "sm_90");
  EXPECT_EQ(key.size(), 64u);
  EXPECT_EQ(key, CubinCache::key(ptx, 13000, "sm_90"));
  EXPECT_NE(key, CubinCache::key(other, 13000, "sm_90"));
  EXPECT_NE(key, CubinCache::key(ptx, 13010, "sm_90"));
  EXPECT_NE(key, CubinCache::key(ptx, 13000, "sm_100"));
}

} // namespace
