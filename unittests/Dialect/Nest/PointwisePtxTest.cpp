// Every mode's body as a device kernel: PTX that needs nothing else, and that assembles where there is an assembler.
#include "PtxBodies.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <regex>
#include <sstream>
#include <unistd.h>

namespace orzo::nest {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PointwisePtx, NeedsNoLibrary) {
  std::string ptx = ptxOfBodies(bodyCases());
  size_t entries = 0;
  for (size_t at = ptx.find(".visible .entry"); at != std::string::npos; at = ptx.find(".visible .entry", at + 1))
    ++entries;
  EXPECT_EQ(entries, bodyCases().size());
  for (const char *word : {".extern", ".func", "call", ".ftz", ".approx", ".local"})
    EXPECT_THAT(ptx, Not(HasSubstr(word)));
}

TEST(PointwisePtx, Assembles) {
  if (std::system("ptxas --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "ptxas is not installed";
  std::string stem = testing::TempDir() + "orzo_pointwise_" + std::to_string(getpid());
  std::ofstream(stem + ".ptx") << ptxOfBodies(bodyCases());
  int code =
      std::system(("ptxas -v -arch=sm_90a " + stem + ".ptx -o " + stem + ".cubin > " + stem + ".log 2>&1").c_str());
  std::stringstream report;
  report << std::ifstream(stem + ".log").rdbuf();
  for (const char *ending : {".ptx", ".cubin", ".log"})
    std::remove((stem + ending).c_str());
  EXPECT_EQ(code, 0) << report.str();
  EXPECT_FALSE(std::regex_search(report.str(), std::regex("[1-9][0-9]* bytes (stack|spill)"))) << report.str();
}

} // namespace
} // namespace orzo::nest
