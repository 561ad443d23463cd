// Damaged modules: whatever comes in, there is an answer - a problem, or a rejection with a place and a reason.
#include "LinalgText.h"
#include "Reading.h"
#include "TorchText.h"

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

// 2,000 modules; ORZO_FUZZ says another number.
TEST(Fuzz, ReadersAnswer) {
  std::mt19937 random(17);
  std::vector<std::string> modules;
  for (int number = 0; number < 12; ++number) {
    Sample sample = randomSample(random);
    modules.push_back(linalgText(sample, LinalgStyle::driver()));
    modules.push_back(linalgText(sample, LinalgStyle::graph()));
    modules.push_back(linalgText(sample, LinalgStyle::random(random)));
    modules.push_back(torchText(sample, {.overwrites = number % 2 == 0}));
  }
  const char *wanted = std::getenv("ORZO_FUZZ");
  int64_t count = wanted ? std::atoll(wanted) : 2000;
  Mutator mutator(random, modules);
  int64_t rejected = 0;
  for (int64_t number = 0; number < count; ++number) {
    std::string source = mutator.next();
    if (const char *folder = std::getenv("ORZO_FUZZ_LAST")) { // The file that a crash leaves behind.
      FILE *last = std::fopen(folder, "w");
      std::fwrite(source.data(), 1, source.size(), last);
      std::fclose(last);
    }
    CompileRequest request;
    request.kind = CompileRequest::Input::Mlir;
    request.input = source;
    request.inputName = "fuzz.mlir";
    request.stopAfter = "conv";
    Expected<CompileOutput> output = compile(request);
    if (output) {
      // What stays linalg is noted with a place.
      std::string text(output->bytes.begin(), output->bytes.end());
      if (text.find("linalg.") != std::string::npos)
        ASSERT_THAT(output->notes, testing::MatchesRegex("(.|\n)*fuzz.mlir:[0-9]+:[0-9]+: stays linalg: .(.|\n)*"))
            << number << "\n"
            << source;
      continue;
    }
    ++rejected;
    ASSERT_NE(output.status().code(), StatusCode::Internal) << number << ": " << output.status().message() << "\n"
                                                            << source;
    const std::string &message = output.status().message();
    ASSERT_TRUE(message.starts_with("fuzz.mlir:")) << number << ": " << message << "\n" << source;
    size_t reason = message.find(": ");
    ASSERT_NE(reason, std::string::npos);
    ASSERT_GT(message.size(), reason + 2) << number << ": " << message << "\n" << source;
  }
  EXPECT_GT(rejected, count / 3);
  EXPECT_LT(rejected, count);
}

} // namespace
} // namespace orzo::test
