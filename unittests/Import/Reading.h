// What the tests of the readers share.
#pragma once

#include "Compiler/Compiler.h"
#include "Compiler/ReadModule.h"
#include "orzo/Spec/Canonical.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace orzo::test {

inline std::string canonicalText(const ConvSpec &spec) { return text(canonicalise(spec).spec); }

/// The canonical texts of `source`, one a line, or the message.
inline std::string read(const std::string &source) {
  Expected<ReadProblems> problems = readProblems(source, "test.mlir");
  if (!problems)
    return problems.status().message();
  std::string lines;
  for (const std::string &line : problems->canonical)
    lines += (lines.empty() ? "" : "\n") + line;
  return lines;
}

/// What --stop-after=`phase` prints of MLIR `source`, or the message.
inline std::string printedAfter(const std::string &phase, const std::string &source) {
  CompileRequest request;
  request.kind = CompileRequest::Input::Mlir;
  request.input = source;
  request.inputName = "test.mlir";
  request.stopAfter = phase;
  Expected<CompileOutput> output = compile(request);
  return output ? std::string(output->bytes.begin(), output->bytes.end()) : output.status().message();
}

/// Expects `source` to be refused with `code`, at a line and column, in words that contain `part`.
inline void expectRefused(const std::string &source, StatusCode code, const std::string &part) {
  Expected<ReadProblems> problems = readProblems(source, "test.mlir");
  ASSERT_FALSE(problems.ok()) << source;
  EXPECT_EQ(name(problems.status().code()), name(code)) << problems.status().message() << "\n" << source;
  EXPECT_THAT(problems.status().message(), testing::MatchesRegex("test.mlir:[0-9]+:[0-9]+: (.|\n)*"));
  EXPECT_THAT(problems.status().message(), testing::HasSubstr(part)) << source;
}

} // namespace orzo::test
