#include "Cache/ArtifactCache.h"
#include "Runtime/Core/Artifact.h"
#include "TemporaryFolder.h"

#include <gmock/gmock.h>
#include <set>
#include <sys/wait.h>

using namespace orzo;
using namespace orzo::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

namespace {

using Notes = std::vector<std::string>;

CacheKey sampleKey() { return {"conv.v1 one", "", "cpu:avx2", "", "", "build-1"}; }

/// The file of an artifact of sampleKey()'s problem that says `reason`; the longer, the bigger.
std::vector<uint8_t> sampleFile(const std::string &reason) {
  Artifact artifact;
  artifact.problem = sampleKey().problem;
  artifact.reason = reason;
  artifact.images.push_back({.isa = "avx2", .code = {}, .kernelHash = "", .plan = "", .steps = {}, .slots = {}});
  return serialise(artifact);
}

fs::path onlyEntry(const TemporaryFolder &folder) {
  EXPECT_EQ(folder.fileCount(), 1u);
  return fs::directory_iterator(folder.path)->path();
}

TEST(CacheKey, EveryFieldCounts) {
  std::set<std::string> digests = {digest(sampleKey())};
  for (std::string CacheKey::*field : {&CacheKey::problem, &CacheKey::binding, &CacheKey::target, &CacheKey::plan,
                                       &CacheKey::forceLowering, &CacheKey::compilerBuild}) {
    CacheKey other = sampleKey();
    other.*field += "x";
    EXPECT_TRUE(digests.insert(digest(other)).second);
  }
  // The border between two fields counts as well.
  EXPECT_NE(digest({"ab", "c", "", "", "", ""}), digest({"a", "bc", "", "", "", ""}));
  EXPECT_EQ(digest(sampleKey()).size(), 64u);
}

TEST(ArtifactCache, ReturnsWhatWasStored) {
  TemporaryFolder folder;
  ArtifactCache cache(folder.path / "cache");
  Notes notes;
  EXPECT_FALSE(cache.lookup(sampleKey(), notes).has_value());
  cache.store(sampleKey(), sampleFile("first"), notes);
  EXPECT_EQ(cache.lookup(sampleKey(), notes), sampleFile("first"));
  CacheKey other = sampleKey();
  other.compilerBuild = "build-2";
  EXPECT_FALSE(cache.lookup(other, notes).has_value());
  ASSERT_TRUE(cache.clear().ok());
  EXPECT_FALSE(cache.lookup(sampleKey(), notes).has_value());
  EXPECT_THAT(notes, IsEmpty());
}

TEST(ArtifactCache, RemovesDamagedEntriesAndSaysSo) {
  TemporaryFolder folder;
  ArtifactCache cache(folder.path);
  auto damage = [&](auto change, const std::string &expected) {
    Notes notes;
    cache.store(sampleKey(), sampleFile("whole"), notes);
    ASSERT_TRUE(cache.lookup(sampleKey(), notes).has_value());
    ASSERT_THAT(notes, IsEmpty());
    change(onlyEntry(folder));
    EXPECT_FALSE(cache.lookup(sampleKey(), notes).has_value());
    EXPECT_THAT(notes, ElementsAre(HasSubstr(expected)));
    EXPECT_EQ(folder.fileCount(), 0u);
  };
  damage([](const fs::path &file) { fs::resize_file(file, fs::file_size(file) - 1); }, "truncated");
  damage([](const fs::path &file) { fs::resize_file(file, 0); }, "not an orzo artifact");
  damage([](const fs::path &file) { std::fstream(file, std::ios::in | std::ios::out).seekp(60).put('!'); }, "checksum");
  damage([](const fs::path &file) { std::fstream(file, std::ios::in | std::ios::out).seekp(4).put(9); }, "version 9");
  damage(
      [](const fs::path &file) {
        Artifact artifact = *parseArtifact(sampleFile("whole"));
        artifact.problem = "conv.v1 two";
        std::vector<uint8_t> bytes = serialise(artifact);
        std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
      },
      "another problem");
}

TEST(ArtifactCache, WorksWithoutAFolderToWriteTo) {
  TemporaryFolder folder;
  std::ofstream(folder.path / "file") << "in the way";
  // Below a file, and below a file system that lets nobody create anything: impossible for root as well.
  for (std::string directory : {(folder.path / "file" / "cache").string(), std::string("/proc/orzo_cache")}) {
    ArtifactCache cache(directory);
    Notes notes;
    EXPECT_FALSE(cache.lookup(sampleKey(), notes).has_value());
    EXPECT_THAT(notes, IsEmpty());
    cache.store(sampleKey(), sampleFile("x"), notes);
    EXPECT_THAT(notes, ElementsAre(HasSubstr("nothing is kept in " + directory)));
    EXPECT_FALSE(cache.lookup(sampleKey(), notes).has_value());
  }
}

TEST(ArtifactCache, AnUnreadableEntryIsAMissWithANote) {
  TemporaryFolder folder;
  ArtifactCache cache(folder.path);
  Notes notes;
  cache.store(sampleKey(), sampleFile("x"), notes);
  fs::path entry = onlyEntry(folder);
  fs::remove(entry);
  fs::create_directory(entry);
  EXPECT_FALSE(cache.lookup(sampleKey(), notes).has_value());
  EXPECT_THAT(notes, ElementsAre(HasSubstr("cannot be read")));
}

// Two processes store different artifacts under the same keys, look them up and clear the cache, all at once: every hit
// is a whole artifact, nothing is ever found damaged.
TEST(ArtifactCache, ProcessesMayRace) {
  TemporaryFolder folder;
  auto work = [&](int process) {
    // Room for three or four entries: eviction races as well.
    ArtifactCache cache(folder.path, 200000);
    Notes notes;
    int hits = 0;
    std::vector<uint8_t> mine = sampleFile(std::string(50000 + process * 1000, 'a' + process));
    std::vector<uint8_t> others = sampleFile(std::string(50000 + (1 - process) * 1000, 'a' + 1 - process));
    for (int i = 0; i < 400; ++i) {
      CacheKey key = sampleKey();
      key.plan = std::to_string(i % 5);
      cache.store(key, mine, notes);
      key.plan = std::to_string((i + process + 4) % 5);
      if (auto found = cache.lookup(key, notes)) {
        ++hits;
        if (*found != mine && *found != others)
          return 1;
      }
      if (i % 100 == 99 && !cache.clear().ok())
        return 2;
    }
    return !notes.empty() ? 3 : hits == 0 ? 4 : 0;
  };
  std::vector<pid_t> children;
  for (int process = 0; process < 2; ++process) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      _exit(work(process));
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << "1 torn artifact, 2 clear failed, 3 notes, 4 no hit at all";
  }
}

} // namespace
