// What the tests of lib/Command share.
#pragma once

#include "Command/DriverCommand.h"
#include "orzo/Spec/Canonical.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace orzo::testing_command {

/// The command `line`, which must parse.
inline DriverCommand parsed(std::string_view line) {
  auto command = parseDriverCommand(line);
  EXPECT_TRUE(command.ok()) << line << "\n" << command.status().message();
  return command.ok() ? command.take() : DriverCommand{};
}

/// The text of each problem of `line`.
inline std::vector<std::string> texts(std::string_view line) {
  std::vector<std::string> result;
  for (const DriverProblem &problem : parsed(line).problems)
    result.push_back(text(problem.spec));
  return result;
}

/// The only problem of `line`.
inline ConvSpec spec(std::string_view line) {
  DriverCommand command = parsed(line);
  EXPECT_EQ(command.problems.size(), 1u) << line;
  return command.problems.empty() ? ConvSpec{} : command.problems[0].spec;
}

/// Expects `line` to fail with `code` and a message that contains every one of `parts`.
inline void expectFailure(std::string_view line, StatusCode code, const std::vector<std::string> &parts) {
  auto command = parseDriverCommand(line);
  ASSERT_FALSE(command.ok()) << line;
  EXPECT_EQ(name(command.status().code()), name(code)) << line << "\n" << command.status().message();
  for (const std::string &part : parts)
    EXPECT_THAT(command.status().message(), ::testing::HasSubstr(part)) << line;
}

inline void expectInvalid(std::string_view line, const std::vector<std::string> &parts) {
  expectFailure(line, StatusCode::InvalidArgument, parts);
}

inline void expectUnsupported(std::string_view line, const std::vector<std::string> &parts) {
  expectFailure(line, StatusCode::Unsupported, parts);
}

/// All notes of `line` in one string.
inline std::string notes(std::string_view line) {
  std::string all;
  for (const std::string &note : parsed(line).notes)
    all += note + "\n";
  return all;
}

} // namespace orzo::testing_command
