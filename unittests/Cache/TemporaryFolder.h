// TemporaryFolder: an empty folder for one test.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace orzo::test {

struct TemporaryFolder {
  std::filesystem::path path;

  TemporaryFolder() {
    static int serial = 0;
    path = std::filesystem::path(testing::TempDir()) /
           ("orzo_cache_" + std::to_string(getpid()) + "_" + std::to_string(serial++));
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }

  size_t fileCount() const {
    return std::distance(std::filesystem::directory_iterator(path), std::filesystem::directory_iterator());
  }
};

} // namespace orzo::test
