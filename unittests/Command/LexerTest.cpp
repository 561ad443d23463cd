#include "Command/Lexer.h"
#include "Command/CommandFile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace orzo;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

static std::vector<std::string> split(std::string_view line) {
  auto tokens = splitShell(line);
  EXPECT_TRUE(tokens.ok()) << tokens.status().message();
  return tokens.ok() ? *tokens : std::vector<std::string>{};
}

TEST(Lexer, SplitsAtBlanksAndKnowsQuotes) {
  EXPECT_THAT(split("  conv\t-n 1\r\n"), ElementsAre("conv", "-n", "1"));
  EXPECT_THAT(split("a 'b  c' \"d \\\" \\e\" f\\ g ''"), ElementsAre("a", "b  c", "d \" \\e", "f g", ""));
  EXPECT_THAT(split("a'b'c"), ElementsAre("abc"));
  EXPECT_THAT(split(" "), ElementsAre());
}

TEST(Lexer, CommentIsALoneHash) {
  EXPECT_THAT(split("conv -# 2 # rest -n 'open"), ElementsAre("conv", "-#", "2"));
  EXPECT_THAT(split("conv '#' #x"), ElementsAre("conv", "#", "#x"));
  EXPECT_THAT(split("# all of it"), ElementsAre());
}

TEST(Lexer, UnfinishedInput) {
  auto quote = splitShell("conv 'open");
  ASSERT_FALSE(quote.ok());
  EXPECT_THAT(quote.status().message(), HasSubstr("not closed"));
  auto backslash = splitShell("conv \\");
  ASSERT_FALSE(backslash.ok());
  EXPECT_THAT(backslash.status().message(), HasSubstr("backslash"));
}

TEST(Lexer, TabsAreVerbatim) {
  EXPECT_THAT(splitTabs("conv\t-n\t\t1 2\t'q'\r"), ElementsAre("conv", "-n", "1 2", "'q'"));
  EXPECT_THAT(splitTabs("conv\t-#\t2\t#\tcomment"), ElementsAre("conv", "-#", "2"));
}

TEST(Lexer, JoinIsTheReverse) {
  std::vector<std::string> tokens = {"conv", "-#", "2", "", "#", "a b", "it's", "\"", "\\"};
  EXPECT_EQ(split(joinShell(tokens)), tokens);
}

TEST(CommandFile, ABadLineNeverStopsTheOthers) {
  auto commands =
      parseCommandFile("\xef\xbb\xbf# title\n\nconv -F 1\r\n  #x\nconv -Q 1\npool -F 1\n\nconv 'x\n conv -F 2 # two");
  ASSERT_EQ(commands.size(), 5u);
  EXPECT_EQ(commands[0].lineNumber, 3u);
  EXPECT_EQ(commands[0].text, "conv -F 1");
  ASSERT_TRUE(commands[0].command.ok());
  EXPECT_EQ(commands[1].lineNumber, 5u);
  EXPECT_EQ(commands[1].command.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(commands[2].command.status().code(), StatusCode::Unsupported);
  EXPECT_EQ(commands[3].command.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(commands[4].lineNumber, 9u);
  ASSERT_TRUE(commands[4].command.ok());
  EXPECT_EQ(commands[4].command->text, "conv -F 2");
}

TEST(CommandFile, Tabs) {
  auto commands = parseCommandFile("conv\t-F\t1\t-n\t5\n", CommandFileForm::Tabs);
  ASSERT_EQ(commands.size(), 1u);
  ASSERT_TRUE(commands[0].command.ok());
  EXPECT_EQ(commands[0].command->problems[0].spec.n, 5);
  // In this form a blank does not separate.
  EXPECT_FALSE(parseCommandFile("conv -F 1", CommandFileForm::Tabs)[0].command.ok());
}
