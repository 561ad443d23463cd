#include "Driver/SourceText.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orzo::driver {
namespace {

using testing::HasSubstr;

std::string repeated(const std::string &text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i)
    all += text;
  return all;
}

void expectRefused(const std::string &contents, StatusCode code, const std::string &message) {
  Expected<std::string> text = checkSourceText(contents, "a.mlir");
  ASSERT_FALSE(text.ok()) << contents.substr(0, 200);
  EXPECT_EQ(text.status().code(), code);
  EXPECT_THAT(text.status().message(), HasSubstr(message));
}

void expectTaken(const std::string &contents) {
  Expected<std::string> text = checkSourceText(contents, "a.mlir");
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(*text, contents);
}

TEST(SourceText, WhatIsNoTextOrNothing) {
  expectRefused("", StatusCode::InvalidArgument, "a.mlir:1:1: the file holds nothing but blanks and comments");
  expectRefused(" \r\n\t// func.func\n//", StatusCode::InvalidArgument, "a.mlir:1:1: the file holds nothing");
  expectRefused(std::string("module {\n}\0", 11), StatusCode::InvalidArgument, "a.mlir:2:2: a NUL byte");
  expectRefused("ML\xefR\x0dMLIR", StatusCode::Unsupported, "a.mlir:1:1: this is MLIR bytecode");
}

TEST(SourceText, AByteOrderMarkIsTakenOff) {
  Expected<std::string> text = checkSourceText("\xef\xbb\xbfmodule {}", "a.mlir");
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(*text, "module {}");
}

TEST(SourceText, NestingIsBounded) {
  for (const auto &[opening, closing] : {std::pair("(", ")"), {"[", "]"}, {"{", "}"}, {"tuple<", ">"}}) {
    expectTaken(repeated(opening, deepestNesting) + repeated(closing, deepestNesting));
    expectRefused("\n " + repeated(opening, deepestNesting + 1), StatusCode::InvalidArgument, "a.mlir:2:");
  }
  expectRefused("ab\n" + repeated("[", 5000), StatusCode::InvalidArgument,
                "a.mlir:2:257: more than 256 brackets are open here");
  // Neither strings nor comments, comparisons nor arrows open anything; one thing after another is no nesting.
  expectTaken("x = \"" + repeated("({[<", 5000) + "\"");
  expectTaken("x = \"\\\"" + repeated("({[<", 5000) + "\"");
  expectTaken("x // " + repeated("({[<", 5000) + "\n");
  expectTaken(repeated("affine_map<(d0) -> (d0)>\n", 5000));
  expectTaken(repeated("affine_set<(d0) : (d0 >= 0, 3 - d0 >= 0, d0 <= 3)>\n", 5000));
  expectTaken(repeated("{ a < b }\n", 5000));
}

} // namespace
} // namespace orzo::driver
