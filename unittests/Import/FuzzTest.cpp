// Damaged modules: whatever comes in, there is an answer - a problem, or a rejection with a place and a reason.
#include "LinalgText.h"
#include "Reading.h"
#include "TorchText.h"
#include "orzo/Spec/Contraction.h"

#include <array>
#include <cstdlib>

namespace orzo::test {
namespace {

/// A run of letters and digits, or one other character.
std::vector<std::string> tokens(const std::string &text) {
  std::vector<std::string> parts;
  auto isWord = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '.';
  };
  for (char letter : text) {
    if (!parts.empty() && isWord(letter) && isWord(parts.back().back()))
      parts.back() += letter;
    else
      parts.emplace_back(1, letter);
  }
  return parts;
}

class Mutator {
public:
  Mutator(std::mt19937 &random, const std::vector<std::string> &modules) : random(random), modules(modules) {
    for (const std::string &module : modules)
      for (std::string &token : tokens(module))
        words.push_back(std::move(token));
  }

  std::string next() {
    std::string text = modules[pick(random, 0, static_cast<int64_t>(modules.size()) - 1)];
    for (int64_t count = pick(random, 1, 3); count > 0; --count) {
      if (pick(random, 0, 4) == 0)
        bytes(text);
      else
        words_(text);
    }
    return text;
  }

private:
  void bytes(std::string &text) {
    if (text.empty())
      return;
    size_t at = pick(random, 0, static_cast<int64_t>(text.size()) - 1);
    switch (pick(random, 0, 3)) {
    case 0:
      text[at] = static_cast<char>(pick(random, 1, 255));
      break;
    case 1:
      text.erase(at, pick(random, 1, 20));
      break;
    case 2:
      text.insert(at, text.substr(pick(random, 0, static_cast<int64_t>(text.size()) - 1), pick(random, 1, 60)));
      break;
    default:
      text.resize(at);
    }
  }

  void words_(std::string &text) {
    std::vector<std::string> parts = tokens(text);
    if (parts.empty())
      return;
    size_t at = pick(random, 0, static_cast<int64_t>(parts.size()) - 1);
    bool number = pick(random, 0, 1);
    for (size_t step = 0; number && step < parts.size(); ++step, at = (at + 1) % parts.size())
      if (std::isdigit(static_cast<unsigned char>(parts[at][0])))
        break;
    if (number) {
      static const std::vector<std::string> numbers = {"0",
                                                       "1",
                                                       "2",
                                                       "3",
                                                       "-1",
                                                       "5",
                                                       "7",
                                                       "16",
                                                       "513",
                                                       "65536",
                                                       "4294967296",
                                                       "9223372036854775807",
                                                       "4611686018427387904"};
      // A number ahead of an x, as in tensor<16x512xf32>, keeps what follows.
      size_t digits = parts[at].find_first_not_of("0123456789");
      std::string rest = digits == std::string::npos ? "" : parts[at].substr(digits);
      parts[at] = numbers[pick(random, 0, static_cast<int64_t>(numbers.size()) - 1)] + rest;
    } else if (pick(random, 0, 2) == 0) {
      parts.erase(parts.begin() + static_cast<int64_t>(at));
    } else if (pick(random, 0, 1)) {
      parts[at] = words[pick(random, 0, static_cast<int64_t>(words.size()) - 1)];
    } else {
      std::swap(parts[at], parts[pick(random, 0, static_cast<int64_t>(parts.size()) - 1)]);
    }
    text.clear();
    for (const std::string &part : parts)
      text += part;
  }

  std::mt19937 &random;
  const std::vector<std::string> &modules;
  std::vector<std::string> words;
};

/// Modules to be damaged: what front ends write, and what orzo itself prints of them - conv ops, matrix products,
/// phases.
std::vector<std::string> corpus(std::mt19937 &random) {
  std::vector<std::string> modules;
  for (int number = 0; number < 12; ++number) {
    Sample sample = randomSample(random);
    modules.push_back(linalgText(sample, LinalgStyle::driver()));
    modules.push_back(linalgText(sample, LinalgStyle::graph()));
    modules.push_back(linalgText(sample, LinalgStyle::random(random)));
    modules.push_back(torchText(sample, {.overwrites = number % 2 == 0}));
    modules.push_back(torchText(sample, {.transposed = true}));
    for (const char *stage : {"conv", "linalg", "linalg-source", "iree"})
      modules.push_back(printedAfter(stage, modules[modules.size() - 5]));
  }
  return modules;
}

/// The matrix products that problems are, in words; one that is none as its canonical text.
std::vector<std::string> products(const ReadProblems &read) {
  std::vector<std::string> texts;
  for (size_t number = 0; number < read.canonical.size(); ++number) {
    std::optional<Contraction> product = collapse(canonicalise(read.binding.problems[number].spec).spec);
    texts.push_back(product ? orzo::text(*product) : read.canonical[number]);
  }
  return texts;
}

/// A file's name, a line and a column, and a reason behind them.
void expectReason(const std::string &message) {
  ASSERT_TRUE(message.starts_with("fuzz.mlir:")) << message;
  size_t reason = message.find(": ");
  ASSERT_NE(reason, std::string::npos) << message;
  ASSERT_GT(message.size(), reason + 2) << message;
}

// 20,000 modules; ORZO_FUZZ says another number.
TEST(Fuzz, ReadersAnswer) {
  std::mt19937 random(17);
  std::vector<std::string> modules = corpus(random);
  const char *wanted = std::getenv("ORZO_FUZZ");
  int64_t count = wanted ? std::atoll(wanted) : 20000;
  Mutator mutator(random, modules);
  int64_t rejected = 0, handedBack = 0, notRaised = 0;
  for (int64_t number = 0; number < count; ++number) {
    std::string source = mutator.next();
    if (const char *folder = std::getenv("ORZO_FUZZ_LAST")) { // The file that a crash leaves behind.
      FILE *last = std::fopen(folder, "w");
      std::fwrite(source.data(), 1, source.size(), last);
      std::fclose(last);
    }
    SCOPED_TRACE(std::to_string(number) + ":\n" + source);
    CompileRequest request;
    request.kind = CompileRequest::Input::Mlir;
    request.input = source;
    request.inputName = "fuzz.mlir";
    // One in four goes on from there: to the phase behind, or back to other compilers.
    static constexpr std::array stages = {"dispatch", "spelling", "iree", "linalg", "linalg-source", "torch"};
    bool goesOn = pick(random, 0, 3) == 0;
    request.stopAfter = goesOn ? stages[pick(random, 0, stages.size() - 1)] : "conv";
    Expected<CompileOutput> output = compile(request);
    if (output) {
      std::string text(output->bytes.begin(), output->bytes.end());
      if (!goesOn && text.find("linalg.") != std::string::npos) // What stays linalg is noted with a place.
        ASSERT_THAT(output->notes, testing::MatchesRegex("(.|\n)*fuzz.mlir:[0-9]+:[0-9]+: stays linalg: .(.|\n)*"));
      // What is handed back can be read, and is the same problem where it is raised (phases are several products).
      if (request.stopAfter == "iree" || request.stopAfter == "linalg-source" || request.stopAfter == "torch") {
        Expected<ReadProblems> before = readProblems(source, "fuzz.mlir"), after = readProblems(text, "back.mlir");
        ASSERT_TRUE(before.ok()) << before.status().message();
        ++handedBack;
        // Phases are several products; of what damage leaves, rows of dy that meet nothing and dims of extent 1 that
        // are padded are beyond raising.
        bool isPhases = text.find("// orzo: written as phases") != std::string::npos;
        if (!after.ok()) {
          ASSERT_EQ(after.status().code(), StatusCode::Unsupported) << after.status().message() << "\n" << text;
          notRaised += !isPhases;
          continue;
        }
        if (after->canonical != before->canonical)
          ASSERT_EQ(products(*after), products(*before)) << text;
      }
      continue;
    }
    ++rejected;
    ASSERT_NE(output.status().code(), StatusCode::Internal) << output.status().message();
    // A spelling that has no words for the problem is no fault of a place in the source.
    if (!goesOn || output.status().message().starts_with("fuzz.mlir"))
      expectReason(output.status().message());
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(handedBack, count / 200);
  EXPECT_LT(notRaised, handedBack / 10);
  RecordProperty("handed_back", static_cast<int>(handedBack));
  RecordProperty("not_raised_again", static_cast<int>(notRaised));
  EXPECT_GT(rejected, count / 3);
  EXPECT_LT(rejected, count);
}

} // namespace
} // namespace orzo::test
