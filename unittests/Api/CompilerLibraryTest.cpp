#include "Api/CompilerLibrary.h"

#include "gtest/gtest.h"

#include <fstream>

using namespace orzo;

static bool isMapped(const std::string &library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(library) != std::string::npos)
      return true;
  return false;
}

TEST(CompilerLibrary, BuildIdNeedsNoLoading) {
  Expected<std::string> path = findCompilerLibrary();
  if (!path)
    GTEST_SKIP() << path.status().message();
  Expected<std::string> id = compilerBuildId();
  ASSERT_TRUE(id.ok()) << id.status().message();
  EXPECT_TRUE(id->rfind("elf-", 0) == 0 || id->rfind("file-", 0) == 0) << *id;
  EXPECT_EQ(*compilerBuildId(), *id);
  EXPECT_FALSE(isMapped("libLLVM"));

  Expected<LoadedCompiler> compiler = loadCompiler();
  ASSERT_TRUE(compiler.ok()) << compiler.status().message();
  EXPECT_TRUE(isMapped("libLLVM"));
  EXPECT_GT(compiler->loadMilliseconds, 0);
  EXPECT_EQ(loadCompiler()->loadMilliseconds, 0);
  EXPECT_EQ(loadCompiler()->table, compiler->table);
}
