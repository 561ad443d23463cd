#include "Cache/CacheDirectory.h"
#include "TemporaryFolder.h"

#include <gmock/gmock.h>

using namespace orzo;
using namespace orzo::test;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

std::vector<uint8_t> blob(size_t bytes, uint8_t value) { return std::vector<uint8_t>(bytes, value); }

bool has(const CacheDirectory &directory, const std::string &name) { return fs::exists(directory.fileOf(name)); }

/// Sets when `name` was last used, counted back from now.
void age(const CacheDirectory &directory, const std::string &name, std::chrono::minutes minutes) {
  fs::last_write_time(directory.fileOf(name), fs::file_time_type::clock::now() - minutes);
}

TEST(CacheDirectory, KeepsWhatIsWritten) {
  TemporaryFolder folder;
  CacheDirectory directory(folder.path / "made" / "on" / "demand", 1000);
  EXPECT_FALSE(directory.read("a")->has_value());
  ASSERT_TRUE(directory.write("a", blob(10, 1)).ok());
  EXPECT_EQ(**directory.read("a"), blob(10, 1));
  ASSERT_TRUE(directory.write("a", blob(20, 2)).ok());
  EXPECT_EQ(**directory.read("a"), blob(20, 2));
  directory.remove("a");
  directory.remove("a");
  EXPECT_FALSE(directory.read("a")->has_value());
}

TEST(CacheDirectory, EvictsTheLeastRecentlyUsed) {
  TemporaryFolder folder;
  CacheDirectory directory(folder.path, 350);
  int minutes = 50;
  for (std::string name : {"a", "b", "c"}) {
    ASSERT_TRUE(directory.write(name, blob(100, 1)).ok());
    age(directory, name, std::chrono::minutes(minutes -= 10));
  }
  ASSERT_TRUE(directory.read("a")->has_value()); // Now the most recently used.
  ASSERT_TRUE(directory.write("d", blob(100, 1)).ok());
  EXPECT_TRUE(has(directory, "a"));
  EXPECT_FALSE(has(directory, "b"));
  EXPECT_TRUE(has(directory, "c"));
  EXPECT_TRUE(has(directory, "d"));
  ASSERT_TRUE(directory.write("e", blob(350, 1)).ok());
  EXPECT_EQ(folder.fileCount(), 1u);
  EXPECT_TRUE(has(directory, "e"));
}

TEST(CacheDirectory, RefusesWhatCanNeverFit) {
  TemporaryFolder folder;
  CacheDirectory directory(folder.path, 350);
  ASSERT_TRUE(directory.write("a", blob(100, 1)).ok());
  Status status = directory.write("b", blob(351, 1));
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr("351 bytes exceeds the bound of 350"));
  EXPECT_TRUE(has(directory, "a"));
}

TEST(CacheDirectory, LeavesOtherFilesAlone) {
  TemporaryFolder folder;
  CacheDirectory directory(folder.path, 100);
  std::ofstream(folder.path / "tuning.jsonl") << std::string(500, 'x');
  std::ofstream(folder.path / "dead.1.0.tmp") << "left over";
  std::ofstream(folder.path / "live.2.0.tmp") << "being written";
  fs::last_write_time(folder.path / "dead.1.0.tmp", fs::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_TRUE(directory.write("a", blob(100, 1)).ok());
  EXPECT_TRUE(has(directory, "a"));
  EXPECT_TRUE(fs::exists(folder.path / "tuning.jsonl"));
  EXPECT_TRUE(fs::exists(folder.path / "live.2.0.tmp"));
  EXPECT_FALSE(fs::exists(folder.path / "dead.1.0.tmp"));
  ASSERT_TRUE(directory.clear().ok());
  EXPECT_FALSE(has(directory, "a"));
  EXPECT_EQ(folder.fileCount(), 2u);
  EXPECT_TRUE(fs::exists(folder.path / "tuning.jsonl"));
  EXPECT_TRUE(fs::exists(folder.path / "live.2.0.tmp"));
}

TEST(CacheDirectory, AFullDiskChangesNothing) {
  // /dev/full refuses every byte; a link makes it the place where the temporary file would be written.
  TemporaryFolder folder;
  CacheDirectory directory(folder.path, 1000);
  for (int serial = 0; serial < 1000; ++serial)
    fs::create_symlink("/dev/full",
                       folder.path / ("a." + std::to_string(getpid()) + "." + std::to_string(serial) + ".tmp"));
  Status status = directory.write("a", blob(10, 1));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::Unavailable);
  EXPECT_THAT(status.message(), HasSubstr("No space left"));
  EXPECT_FALSE(has(directory, "a"));
  EXPECT_EQ(folder.fileCount(), 999u) << "the temporary file is gone";
}

} // namespace
