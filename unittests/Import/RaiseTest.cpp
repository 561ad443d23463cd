// Raising: many spellings of random problems, to one text, and to the numbers that the source itself computes.
#include "Command/DriverCommand.h"
#include "LinalgText.h"
#include "Reading.h"
#include "SameNumbers.h"
#include "TorchText.h"

#include <cstdlib>

namespace orzo::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// What --stop-after=conv prints of a canonical text.
std::string printed(const std::string &problem) {
  CompileRequest request;
  request.input = problem;
  request.stopAfter = "conv";
  Expected<CompileOutput> output = compile(request);
  return output ? std::string(output->bytes.begin(), output->bytes.end()) : output.status().message();
}

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

/// The canonical text of the problem that `orzo run` and `orzo compare` take from a module, whose letters are the
/// source's.
std::string spelled(const std::string &source) {
  std::string text = printedAfter("spelling", source);
  Expected<ConvSpec> spec = parseConvSpec(text.substr(0, text.find('\n')));
  return spec && validate(*spec).ok() ? canonicalText(*spec) : text;
}

TEST(Raise, TwoHundredProblemsInAllSpellings) {
  std::mt19937 random(5);
  int commands = 0;
  for (int number = 0; number < 200; ++number) {
    Sample sample = randomSample(random);
    ConvSpec spec = sample.spec();
    ASSERT_TRUE(validate(spec).ok()) << validate(spec).message();
    std::string expected = canonicalText(spec);
    SCOPED_TRACE("problem " + std::to_string(number) + ": " + text(spec));
    std::string ir = printed(expected);
    ASSERT_EQ(count(ir, " = conv."), 1u) << ir;
    for (const std::string &source :
         {linalgText(sample, LinalgStyle::driver()), linalgText(sample, LinalgStyle::graph()), torchText(sample),
          linalgText(sample, LinalgStyle::random(random)), linalgText(sample, LinalgStyle::random(random)),
          torchText(sample, {.overwrites = false}), torchText(sample, {.transposed = true})}) {
      ASSERT_EQ(read(source), expected) << source;
      ASSERT_EQ(spelled(source), expected) << source;
      std::string its = printedAfter("conv", source);
      ASSERT_EQ(its, ir) << source;
      ASSERT_THAT(its, Not(HasSubstr("linalg.")));
    }
    // As a command, where there is one: the padding that a command says is the same on both sides.
    Expected<std::string> command = printDriverCommand(spec);
    if (!command)
      continue;
    ++commands;
    Expected<DriverCommand> parsed = parseDriverCommand(*command);
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    ASSERT_EQ(parsed->problems.size(), 1u);
    EXPECT_EQ(canonicalText(parsed->problems[0].spec), expected) << *command;
  }
  EXPECT_GT(commands, 150);
}

Sample smallSample(std::mt19937 &random) {
  while (true) {
    Sample sample = randomSample(random);
    double work = static_cast<double>(sample.n * sample.c * sample.k);
    for (const SpatialDim &dim : sample.dims)
      work *= static_cast<double>((sample.direction == Direction::DGrad ? dim.in : dim.out) * dim.filter);
    if (work < 20000)
      return sample;
  }
}

TEST(Raise, ComputesWhatTheSourceComputes) {
  std::mt19937 random(6);
  for (int number = 0; number < 120 && !testing::Test::HasFailure(); ++number) {
    Sample sample = smallSample(random);
    LinalgStyle style = LinalgStyle::random(random);
    SCOPED_TRACE(text(sample.spec()));
    ConvSpec spec = expectSameNumbers(linalgText(sample, style), random);
    EXPECT_EQ(canonicalText(spec), canonicalText(sample.spec()));
  }
}

// A filter that is not flipped where it should be is raised as what it is: the op with the mirrored filter.
TEST(Raise, MissingFlipIsNotRepaired) {
  std::mt19937 random(7);
  int different = 0;
  for (int number = 0; number < 60 && !testing::Test::HasFailure(); ++number) {
    Sample sample = smallSample(random);
    sample.direction = Direction::DGrad;
    LinalgStyle style = LinalgStyle::random(random);
    style.flip = LinalgStyle::Flip::Missing;
    ConvSpec spec = expectSameNumbers(linalgText(sample, style), random);
    ConvSpec mirrored = sample.spec();
    bool flips = false;
    for (SpatialDim &dim : mirrored.spatial) {
      dim.flip = dim.filter > 1;
      flips |= dim.flip;
    }
    EXPECT_EQ(canonicalText(spec), canonicalText(mirrored));
    different += flips && canonicalText(spec) != canonicalText(sample.spec());
  }
  EXPECT_GT(different, 20);
}

// Off by one is raised as what it is, or not at all, but never as the problem it was meant to be.
TEST(Raise, OffsetsAreNotRepaired) {
  std::mt19937 random(8);
  int different = 0;
  for (int number = 0; number < 60 && !testing::Test::HasFailure(); ++number) {
    Sample sample = smallSample(random);
    if (sample.direction == Direction::WGrad)
      continue;
    LinalgStyle style = LinalgStyle::random(random);
    style.offByOne = 1;
    ConvSpec spec = expectSameNumbers(linalgText(sample, style), random);
    ConvSpec shifted = sample.spec();
    for (SpatialDim &dim : shifted.spatial)
      dim.padLow -= 1;
    EXPECT_EQ(canonicalText(spec), canonicalText(shifted));
    different += canonicalText(spec) != canonicalText(sample.spec());
  }
  EXPECT_GT(different, 30);
}

/// `text` with one of its numbers changed a little.
std::string nudge(std::string text, std::mt19937 &random) {
  std::vector<size_t> starts;
  for (size_t at = 1; at < text.size(); ++at)
    if (std::isdigit(static_cast<unsigned char>(text[at])) && !std::isalnum(static_cast<unsigned char>(text[at - 1])) &&
        text[at - 1] != '_' && text[at - 1] != '.' && text[at - 1] != '%')
      starts.push_back(at);
  size_t at = starts[pick(random, 0, static_cast<int64_t>(starts.size()) - 1)], end = at;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])))
    ++end;
  int64_t value = std::stoll(text.substr(at, end - at));
  int64_t changed = pick(random, 0, 1) ? value + pick(random, -2, 2) : pick(random, 0, 4);
  return text.replace(at, end - at, std::to_string(changed));
}

// Modules with wrong numbers in them - offsets, sizes, strides, maps, bounds - are refused, or raised to what they
// compute.
TEST(Raise, MutatedModulesAreRaisedToWhatTheyCompute) {
  std::mt19937 random(9);
  const char *wanted = std::getenv("ORZO_FUZZ");
  int64_t count = wanted ? std::atoll(wanted) : 2000;
  int64_t raised = 0, different = 0;
  for (int64_t number = 0; number < count && !testing::Test::HasFailure(); ++number) {
    Sample sample = smallSample(random);
    sample.type = DataType::F32;
    LinalgStyle style = LinalgStyle::random(random);
    style.border = LinalgStyle::Border::Function;
    std::string source = linalgText(sample, style);
    for (int64_t changes = pick(random, 1, 2); changes > 0; --changes)
      source = nudge(source, random);
    std::optional<ConvSpec> spec = compareNumbers(source, random, true);
    raised += spec.has_value();
    different += spec && canonicalText(*spec) != canonicalText(sample.spec());
  }
  EXPECT_GT(raised, count / 10);
  EXPECT_GT(different, count / 200);
}

} // namespace
} // namespace orzo::test
