#include "Driver/Comparison.h"
#include "orzo/Spec/Canonical.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace orzo::driver {

namespace {

template <typename... Values> std::string formatted(const char *format, Values... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

/// Lines "label      text"; a label that repeats is left out.
class Table {
public:
  void line(const std::string &label, const std::string &text) {
    std::string shown = label == last ? "" : label;
    lines += "  " + shown + std::string(shown.size() < 12 ? 12 - shown.size() : 1, ' ') + text + "\n";
    last = label;
  }
  std::string lines, last;
};

std::string dispatchesOf(const ProblemReport &report) {
  std::string names;
  for (const std::string &one : report.dispatchNames)
    names += (names.empty() ? "" : ", ") + one;
  return formatted("%zu dispatch%s (", report.dispatchNames.size(), report.dispatchNames.size() == 1 ? "" : "es") +
         names +
         formatted("), %lld fills, %lld copies, %lld transposes", static_cast<long long>(report.fills),
                   static_cast<long long>(report.copies), static_cast<long long>(report.transposes));
}

std::string verifiedText(const ProblemReport &report) {
  const VerifyResult &result = report.verification;
  if (result.status == "off")
    return "not verified";
  return result.status + " (" + result.mode +
         formatted(": worst error %.3g where %.3g is allowed)", result.error, result.bound) +
         (result.message.empty() ? "" : ": " + result.message);
}

/// The line of the conv op in a module, without its indentation.
std::string opLine(const std::string &module) {
  size_t at = module.find(" = conv.");
  if (at == std::string::npos)
    return "";
  size_t begin = module.rfind('\n', at) + 1, end = module.find('\n', at);
  begin = module.find_first_not_of(' ', begin);
  return module.substr(begin, end - begin);
}

std::string numbersText(const ComparedNumbers &numbers) {
  if (!numbers.sameBytes)
    return "each on data of its own: their tensors are not alike";
  if (numbers.bitEqual)
    return "bit-equal on the same bytes";
  return formatted("on the same bytes %lld elements differ, by up to %.3g", static_cast<long long>(numbers.unequal),
                   numbers.difference);
}

std::string verdict(const Comparison &comparison) {
  if (comparison.isCanonicalIdentical)
    return "yes: one canonical problem";
  if (comparison.commonContraction)
    return "yes: both are the matrix product " + text(*comparison.commonContraction);
  size_t count = comparison.alignment.differences.size();
  return formatted("no: %zu difference%s in meaning", count, count == 1 ? "" : "s");
}

using Json = nlohmann::ordered_json;

Json objectOf(const ComparedInput &input) {
  Json object = Json::parse(writeJson(input.report));
  object["canonical_ir"] = input.canonicalIr;
  Json spelling = Json::object();
  for (const SpellingFact &fact : input.problem.facts)
    spelling[fact.topic] = fact.text;
  object["spelling"] = spelling;
  return object;
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

} // namespace

std::string writeComparisonText(const Comparison &comparison, bool color) {
  Table table;
  const ComparedInput *inputs[] = {&comparison.first, &comparison.second};
  for (const ComparedInput *input : inputs)
    table.line(input->label, input->report.input);
  std::string answer = verdict(comparison);
  if (color)
    answer = (comparison.equivalent() ? "\033[32m" : "\033[31m") + answer + "\033[0m";
  table.line("equivalent", answer);
  for (const std::string &sentence : meaningSentences(comparison))
    table.line("meaning", sentence);
  if (comparison.equivalent())
    table.line("meaning", "no difference");
  std::vector<SpellingDifference> spelling = spellingDifferences(comparison);
  for (const SpellingDifference &one : spelling)
    table.line("spelling", one.topic + ": " + (one.first.empty() ? "not said" : one.first) + " | " +
                               (one.second.empty() ? "not said" : one.second));
  if (spelling.empty())
    table.line("spelling", "no difference");
  if (comparison.isCanonicalIdentical) {
    table.line("canonical", text(comparison.first.canonical.spec));
    table.line("IR", opLine(comparison.first.canonicalIr));
  } else {
    for (const ComparedInput *input : inputs)
      table.line("canonical", input->label + "  " + text(input->canonical.spec));
    for (const ComparedInput *input : inputs)
      table.line("IR", input->label + "  " + opLine(input->canonicalIr));
  }
  for (const ComparedInput *input : inputs)
    table.line("runs as", input->label + "  " + dispatchesOf(input->report));
  for (const ComparedInput *input : inputs)
    table.line("verified", input->label + "  " + verifiedText(input->report));
  table.line("numbers", numbersText(comparison.numbers));
  if (const std::optional<RatioTiming> &time = comparison.numbers.time) {
    for (const ComparedInput *input : inputs)
      table.line("time", input->label + formatted("  median %.4g ms, min %.4g ms", input->report.time.median * 1e-6,
                                                  input->report.time.min * 1e-6));
    table.line("time", formatted("A/B %.3f [%.3f, %.3f], %lld rounds in turns", time->median, time->low, time->high,
                                 static_cast<long long>(time->first.iterations)));
  }
  for (const ComparedInput *input : inputs)
    for (const std::string &note : input->report.notes)
      table.line("note", input->label + "  " + note);
  return table.lines;
}

std::string writeComparisonJson(const Comparison &comparison) {
  const VerifyResult &a = comparison.first.report.verification, &b = comparison.second.report.verification;
  // The verification that came nearest to its bound, or went furthest beyond.
  auto share = [](const VerifyResult &result) { return result.bound > 0 ? result.error / result.bound : result.error; };
  const VerifyResult &worst = share(a) >= share(b) ? a : b;
  Json spelling = Json::array();
  for (const SpellingDifference &one : spellingDifferences(comparison))
    spelling.push_back({{"topic", one.topic}, {"a", one.first}, {"b", one.second}});
  const ComparedNumbers &numbers = comparison.numbers;
  Json object = {
      {"equivalent", comparison.equivalent()},
      {"canonical_identical", comparison.isCanonicalIdentical},
      {"meaning", meaningSentences(comparison)},
      {"spelling", spelling},
      {"numeric",
       {{"max_error", finite(worst.error)},
        {"bound", finite(worst.bound)},
        {"bit_equal", numbers.sameBytes ? Json(numbers.bitEqual) : Json()},
        {"max_difference", numbers.sameBytes ? finite(numbers.difference) : Json()}}},
  };
  object["time_ratio"] = numbers.time ? Json({{"median", finite(numbers.time->median)},
                                              {"low", finite(numbers.time->low)},
                                              {"high", finite(numbers.time->high)}})
                                      : Json();
  object["a"] = objectOf(comparison.first);
  object["b"] = objectOf(comparison.second);
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace orzo::driver
