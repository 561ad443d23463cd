// What may happen to a cache: a writer dies in the middle, the disk is full, the folder may only be read, several
// processes write at once.
#include "Cache/ArtifactCache.h"
#include "Runtime/Core/Artifact.h"
#include "TemporaryFolder.h"

#include <csignal>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace orzo;
using namespace orzo::test;
using testing::IsEmpty;
namespace fs = std::filesystem;

namespace {

CacheKey keyOf(const std::string &plan = "") { return {"conv.v1 one", "", "cpu:avx2", plan, "", "build-1"}; }

std::vector<uint8_t> fileOf(size_t bytes) {
  Artifact artifact;
  artifact.problem = keyOf().problem;
  artifact.reason = std::string(bytes, 'x');
  artifact.images.push_back({.isa = "avx2", .code = {}, .kernelHash = "", .plan = "", .steps = {}, .slots = {}});
  return serialise(artifact);
}

std::vector<fs::path> filesIn(const TemporaryFolder &folder, const std::string &extension) {
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(folder.path))
    if (entry.path().extension() == extension)
      files.push_back(entry.path());
  return files;
}

/// Runs `work` in a process of its own; its exit status, or minus the signal that ended it.
template <typename Work> int inProcess(Work work) {
  pid_t child = fork();
  if (child == 0)
    _exit(work());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(CacheFaults, AWriterThatDiesLeavesNothingBehindThatCounts) {
  TemporaryFolder folder;
  ArtifactCache cache(folder.path);
  std::vector<uint8_t> large = fileOf(64 << 20);
  bool wasCaught = false;
  for (int attempt = 0; attempt < 50 && !wasCaught; ++attempt) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      std::vector<std::string> notes;
      cache.store(keyOf(), large, notes);
      _exit(0);
    }
    while (filesIn(folder, ".tmp").empty() && filesIn(folder, ".orzo").empty() &&
           waitpid(child, nullptr, WNOHANG) == 0) {
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    wasCaught = filesIn(folder, ".orzo").empty() && !filesIn(folder, ".tmp").empty();
    std::vector<std::string> notes;
    std::optional<std::vector<uint8_t>> found = cache.lookup(keyOf(), notes);
    EXPECT_TRUE(!found || *found == large);
    EXPECT_THAT(notes, IsEmpty());
    if (!wasCaught)
      EXPECT_TRUE(cache.clear().ok());
  }
  ASSERT_TRUE(wasCaught) << "no writer was killed between its first byte and its rename";
  // The next writer is not disturbed, and what was left goes when it is old.
  std::vector<std::string> notes;
  std::vector<uint8_t> small = fileOf(100);
  cache.store(keyOf(), small, notes);
  EXPECT_EQ(cache.lookup(keyOf(), notes), small);
  for (const fs::path &left : filesIn(folder, ".tmp"))
    fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache.store(keyOf("other"), small, notes);
  EXPECT_THAT(filesIn(folder, ".tmp"), IsEmpty());
  EXPECT_THAT(notes, IsEmpty());
}

TEST(CacheFaults, AFullDiskIsANote) {
  TemporaryFolder folder;
  ArtifactCache cache(folder.path);
  std::vector<std::string> before;
  cache.store(keyOf("old"), fileOf(100), before);
  // No file may grow beyond 64 KiB: the same as a disk that is full after 64 KiB.
  EXPECT_EQ(inProcess([&] {
              signal(SIGXFSZ, SIG_IGN);
              rlimit limit = {64 << 10, 64 << 10};
              if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
                return 1;
              std::vector<std::string> notes;
              cache.store(keyOf(), fileOf(1 << 20), notes);
              if (notes.size() != 1 || notes[0].find("nothing is kept") == std::string::npos)
                return 2;
              if (cache.lookup(keyOf(), notes) || notes.size() != 1)
                return 3;
              return cache.lookup(keyOf("old"), notes) ? 0 : 4;
            }),
            0)
      << "1 no limit, 2 the note is wrong, 3 the entry is there, 4 another entry is gone";
  EXPECT_THAT(filesIn(folder, ".tmp"), IsEmpty());
  EXPECT_EQ(filesIn(folder, ".orzo").size(), 1U);
}

TEST(CacheFaults, AFolderThatMayOnlyBeReadServesWhatItHas) {
  TemporaryFolder folder;
  ArtifactCache cache(folder.path);
  std::vector<std::string> before;
  cache.store(keyOf("old"), fileOf(100), before);
  fs::permissions(folder.path, fs::perms(0555));
  EXPECT_EQ(inProcess([&] {
              if (getuid() == 0 && setuid(65534) != 0) // Root may write anywhere.
                return 1;
              std::vector<std::string> notes;
              if (!cache.lookup(keyOf("old"), notes) || !notes.empty())
                return 2;
              cache.store(keyOf(), fileOf(100), notes);
              return notes.size() == 1 && notes[0].find("Permission denied") != std::string::npos ? 0 : 3;
            }),
            0)
      << "1 the user cannot be changed, 2 not served, 3 no note or another";
  fs::permissions(folder.path, fs::perms(0755));
  EXPECT_EQ(folder.fileCount(), 1U);
}

TEST(CacheFaults, EightProcessesWriteOneEntry) {
  TemporaryFolder folder;
  std::vector<pid_t> children;
  for (int process = 0; process < 8; ++process) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ArtifactCache cache(folder.path);
      std::vector<std::string> notes;
      std::vector<uint8_t> mine = fileOf(100000);
      for (int i = 0; i < 50; ++i) {
        cache.store(keyOf(), mine, notes);
        if (cache.lookup(keyOf(), notes) != mine)
          _exit(1);
      }
      _exit(notes.empty() ? 0 : 2);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 0) << "1 not whole, 2 notes";
  }
  EXPECT_EQ(folder.fileCount(), 1U);
}

} // namespace
