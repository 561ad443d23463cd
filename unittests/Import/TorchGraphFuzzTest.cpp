// Damaged torch modules of graphs: whatever comes in, there is a graph, or a rejection with a place and a reason.
#include "../Graph/RandomGraph.h"
#include "ReadingGraph.h"

#include <cstdlib>

namespace orzo::test {
namespace {

using graph::test::pick;

/// Runs of letters and digits; other characters alone.
std::vector<std::string> words(const std::string &text) {
  std::vector<std::string> parts;
  auto isWord = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '.' || letter == '%';
  };
  for (char letter : text) {
    if (!parts.empty() && isWord(letter) && isWord(parts.back().back()))
      parts.back() += letter;
    else
      parts.emplace_back(1, letter);
  }
  return parts;
}

/// One to three words of `text` replaced by others of it, by numbers, left out or exchanged.
std::string damaged(const std::string &text, std::mt19937 &random) {
  static const std::string numbers[] = {
      "0", "1", "2", "-1", "-3", "7", "65536", "9223372036854775807", "4611686018427387904"};
  std::vector<std::string> parts = words(text);
  for (int64_t count = pick(random, 1, 3); count > 0; --count) {
    size_t at = static_cast<size_t>(pick(random, 0, static_cast<int64_t>(parts.size()) - 1));
    bool isNumber = pick(random, 0, 1) != 0;
    for (size_t step = 0; isNumber && step < parts.size(); ++step, at = (at + 1) % parts.size())
      if (std::isdigit(static_cast<unsigned char>(parts[at][0])))
        break;
    size_t other = static_cast<size_t>(pick(random, 0, static_cast<int64_t>(parts.size()) - 1));
    if (isNumber)
      parts[at] = numbers[pick(random, 0, static_cast<int64_t>(std::size(numbers)) - 1)];
    else if (pick(random, 0, 2) == 0)
      parts[at].clear();
    else if (pick(random, 0, 1) == 0)
      std::swap(parts[at], parts[other]);
    else
      parts[at] = parts[other];
  }
  std::string result;
  for (const std::string &part : parts)
    result += part;
  return result;
}

// 2,000 modules; ORZO_FUZZ says another number.
TEST(TorchGraphFuzz, ReaderAnswers) {
  std::mt19937 random(29);
  std::vector<std::string> modules;
  while (modules.size() < 60) {
    graph::GraphDefinition graph = graph::test::randomGraph(random, 1 + static_cast<int>(modules.size() % 5));
    if (!graph.validate().ok())
      continue;
    Expected<std::string> torch = graph.emitTorch();
    ASSERT_TRUE(torch.ok()) << torch.status().message();
    modules.push_back(*torch);
  }
  const char *wanted = std::getenv("ORZO_FUZZ");
  int64_t count = wanted ? std::atoll(wanted) : 2000, rejected = 0;
  for (int64_t number = 0; number < count; ++number) {
    std::string source = damaged(modules[number % modules.size()], random);
    Expected<ImportedGraph> graph = readGraph(source);
    if (graph) {
      ASSERT_TRUE(orzo::validate(graph->problem.spec).ok()) << number << "\n" << source;
      continue;
    }
    ++rejected;
    ASSERT_NE(graph.status().code(), StatusCode::Internal) << number << ": " << graph.status().message() << "\n"
                                                           << source;
    ASSERT_THAT(graph.status().message(), testing::MatchesRegex("test.mlir:[0-9]+:[0-9]+: .(.|\n)*")) << number << "\n"
                                                                                                      << source;
  }
  EXPECT_GT(rejected, count / 3);
  EXPECT_LT(rejected, count);
}

} // namespace
} // namespace orzo::test
