// The flag table: every row works as it says, and the docs print it.
#include "Command/FlagTable.h"
#include "CommandTesting.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

using namespace orzo;
using namespace orzo::testing_command;
using ::testing::HasSubstr;

/// A command of `dialect` and `family` to which any flag may be added.
static std::string commandWithout(const FlagRow &row, Dialect dialect, Family family) {
  std::string line(programName(dialect));
  line += family == Family::Conv ? " conv" : " gemm";
  if (dialect != Dialect::Fusilli)
    return line;
  for (const FlagRow &other : flagTable())
    if (other.isIn(dialect, family) && other.defaultIn(dialect) == required && &other != &row)
      line += " --" + std::string(other.name) + " " +
              (other.flag == Flag::SpatialDim  ? "2"
               : other.kind == ValueKind::Word ? "NCHW"
                                               : "1");
  return line;
}

/// A legal value of `row` that its meaning in a plain command accepts.
static std::string sampleValue(const FlagRow &row) {
  switch (row.flag) {
  case Flag::Mode:
    return "trans";
  case Flag::PadMode:
    return "same";
  case Flag::InLayout:
  case Flag::FilLayout:
  case Flag::OutLayout:
    return "NHWC";
  case Flag::Bias:
  case Flag::TensorVect:
  case Flag::Beta:
    return "0";
  case Flag::InCast:
  case Flag::WeiCast:
  case Flag::OutCast:
    return "-1";
  case Flag::SpatialDim:
    return "2";
  case Flag::InH:
  case Flag::InW:
    return "7";
  default:
    return row.kind == ValueKind::Word ? "word" : "1";
  }
}

/// Every spelling of `row`: -x, --name, --alias.
static std::vector<std::string> spellings(const FlagRow &row) {
  std::vector<std::string> all;
  if (row.letter)
    all.push_back(std::string("-") + row.letter);
  for (std::string_view name : {row.name, row.alias})
    if (!name.empty())
      all.push_back("--" + std::string(name));
  return all;
}

TEST(FlagTable, EverySpellingOfEveryRowWorksAsItsEffectSays) {
  for (const FlagRow &row : flagTable())
    for (Dialect dialect : allDialects)
      for (Family family : {Family::Conv, Family::Gemm}) {
        if (!row.isIn(dialect, family) || (dialect == Dialect::Fusilli && family == Family::Gemm))
          continue;
        for (const std::string &spelling : spellings(row)) {
          std::string line = commandWithout(row, dialect, family) + " " + spelling;
          if (row.kind != ValueKind::None)
            line += " " + sampleValue(row);
          if (row.flag == Flag::CommandsFile) {
            expectInvalid(line, {spelling});
            continue;
          }
          if (row.flag == Flag::Bias && row.kind == ValueKind::None) {
            expectUnsupported(line, {spelling});
            continue;
          }
          auto command = parseDriverCommand(line);
          ASSERT_TRUE(command.ok()) << line << "\n" << command.status().message();
          if (row.effect != Effect::Ignored)
            continue;
          EXPECT_THAT(notes(line), HasSubstr(spelling)) << line;
          EXPECT_THAT(notes(line), HasSubstr(std::string(row.detail))) << line;
        }
        if (row.kind == ValueKind::Integer)
          expectInvalid(commandWithout(row, dialect, family) + " " + spellings(row)[0] + " 1x",
                        {spellings(row)[0], "1x"});
      }
}

TEST(FlagTable, SpellingsAreUniqueInEachDialect) {
  for (Dialect dialect : allDialects)
    for (Family family : {Family::Conv, Family::Gemm}) {
      std::set<std::string> seen;
      for (const FlagRow &row : flagTable())
        if (row.isIn(dialect, family))
          for (const std::string &spelling : spellings(row))
            EXPECT_TRUE(seen.insert(spelling).second) << programName(dialect) << " " << spelling;
    }
}

TEST(FlagTable, IgnoredRowsSayWhy) {
  for (const FlagRow &row : flagTable()) {
    EXPECT_FALSE(row.meaning.empty()) << row.spelling();
    if (row.effect == Effect::Ignored)
      EXPECT_FALSE(row.detail.empty()) << row.spelling();
  }
}

TEST(FlagTable, HelpListsExactlyTheFlagsOfTheBase) {
  for (Dialect dialect : allDialects)
    for (const Base &base : bases()) {
      std::istringstream help(flagHelp(dialect, base));
      std::set<std::string> listed;
      for (std::string line; std::getline(help, line);)
        if (line.starts_with("  "))
          listed.insert(line.substr(2, line.find(' ', 2) - 2));
      std::set<std::string> expected;
      for (const FlagRow &row : flagTable())
        if (row.isIn(dialect, base.family))
          expected.insert(row.spelling());
      EXPECT_EQ(listed, expected) << programName(dialect) << " " << base.word;
    }
}

TEST(FlagTable, DocsPrintTheTable) {
  // ctest runs this in the source folder. With ORZO_UPDATE_DOCS set the table in the docs is written anew.
  const char *path = "docs/Command.md";
  std::ifstream file(path);
  if (!file)
    GTEST_SKIP() << path << " is not below the working folder; run by ctest";
  std::string docs{std::istreambuf_iterator<char>(file), {}};
  const std::string begin = "<!-- flag table -->\n", end = "<!-- end of flag table -->\n";
  size_t from = docs.find(begin), to = docs.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  from += begin.size();
  if (std::getenv("ORZO_UPDATE_DOCS")) {
    docs.replace(from, to - from, flagTableMarkdown());
    std::ofstream(path) << docs;
    return;
  }
  EXPECT_EQ(docs.substr(from, to - from), flagTableMarkdown()) << "run this test with ORZO_UPDATE_DOCS=1";
}
