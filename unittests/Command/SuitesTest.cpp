// Lists of driver commands that are not part of this repository: every line must parse, or be refused with a reason
// that names its base or one of its flags. The folder is named by ORZO_SUITES.
#include "Command/CommandFile.h"
#include "Command/Lexer.h"
#include "CommandTesting.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

using namespace orzo;
using namespace orzo::testing_command;

/// True when `message` names one of the command's own words that begin with a dash, or its base.
static bool namesAWordOf(const std::string &message, const std::string &line) {
  auto tokens = splitShell(line);
  if (!tokens.ok())
    return false;
  for (const std::string &token : *tokens)
    if ((token.starts_with('-') || isKnownBase(token)) &&
        message.find(token.substr(0, token.find('='))) != std::string::npos)
      return true;
  return false;
}

TEST(Suites, EveryLineParsesOrIsRefusedWithAReason) {
  const char *folder = std::getenv("ORZO_SUITES");
  if (!folder)
    GTEST_SKIP() << "ORZO_SUITES is not set: it names a folder of files of driver commands";
  std::map<std::string, int> counts;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".txt")
      continue;
    std::ifstream file(entry.path());
    std::string contents{std::istreambuf_iterator<char>(file), {}};
    for (const FileCommand &line : parseCommandFile(contents)) {
      std::string where = entry.path().filename().string() + ":" + std::to_string(line.lineNumber);
      if (line.text.ends_with("must be rejected"))
        EXPECT_FALSE(line.command.ok()) << where;
      if (line.command.ok()) {
        ++counts["parses"];
        counts["problems"] += static_cast<int>(line.command->problems.size());
        EXPECT_FALSE(line.command->problems.empty()) << where;
        for (const DriverProblem &problem : line.command->problems) {
          auto again = printDriverCommand(problem.spec);
          ++counts[again.ok() ? "prints" : "does not print: " + again.status().message()];
        }
        continue;
      }
      const Status &status = line.command.status();
      EXPECT_TRUE(status.code() == StatusCode::InvalidArgument || status.code() == StatusCode::Unsupported) << where;
      EXPECT_TRUE(namesAWordOf(status.message(), line.text)) << where << ": " << status.message();
      ++counts[std::string(name(status.code())) + ": " + status.message()];
      if (line.text.starts_with("conv") || line.text.starts_with("gemm"))
        std::cout << where << ": " << line.text << "\n    " << status.message() << "\n";
    }
  }
  EXPECT_GT(counts["parses"], 0) << "no commands in " << folder;
  for (const auto &[reason, count] : counts)
    std::cout << count << "  " << reason << "\n";
}
