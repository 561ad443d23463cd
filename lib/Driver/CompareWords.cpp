#include "Driver/Comparison.h"
#include "Driver/MirroredFilter.h"

#include <algorithm>

namespace orzo::driver {

std::optional<Contraction> commonContraction(const ConvSpec &first, const ConvSpec &second) {
  std::optional<Contraction> a = collapse(first), b = collapse(second);
  if (!a || !b || text(*a) != text(*b) || first.accumulate != second.accumulate)
    return std::nullopt;
  for (auto role : {&Contraction::lhs, &Contraction::rhs, &Contraction::out})
    if (first.type((*a).*role) != second.type((*b).*role) ||
        first.elementCount((*a).*role) != second.elementCount((*b).*role))
      return std::nullopt;
  return a;
}

namespace {

const char *inWords(Direction direction) {
  return direction == Direction::FProp   ? "the forward convolution"
         : direction == Direction::DGrad ? "the input backward"
                                         : "the filter backward";
}

class Sentences {
public:
  explicit Sentences(const Comparison &comparison)
      : comparison(comparison), first(comparison.alignment.first), second(comparison.alignment.second) {}

  std::string of(const Difference &difference) const {
    const std::string &a = comparison.first.label, &b = comparison.second.label;
    switch (difference.field) {
    case Field::Flip:
      return flip(difference);
    case Field::Direction:
      return a + " computes " + inWords(first.spec.direction) + ", " + b + " " + inWords(second.spec.direction);
    case Field::Layout:
      return "the memory of " + tensor(difference.role) + " has another order: " + spaced(difference.first) + " in " +
             a + ", " + spaced(difference.second) + " in " + b;
    case Field::Type:
      return "the elements of " + tensor(difference.role) + " are " + difference.first + " in " + a + ", " +
             difference.second + " in " + b;
    default:
      break;
    }
    std::string what(name(difference.field));
    if (difference.dim >= 0)
      what += " along " + dim(difference.dim);
    return what + ": " + difference.first + " in " + a + ", " + difference.second + " in " + b;
  }

private:
  /// The first input's letter, or the second's where the first has no such dim.
  std::string dim(int index) const {
    if (std::optional<std::string> own = dimLetter(first, comparison.first.problem.spec, index))
      return *own;
    if (std::optional<std::string> other = dimLetter(second, comparison.second.problem.spec, index))
      return *other + " of " + comparison.second.label;
    return "dim " + std::to_string(index);
  }

  /// The first input's own name of the aligned tensor.
  std::string tensor(Role role) const { return std::string(name(first.views[static_cast<int>(role)].source)); }

  static std::string spaced(const std::string &letters) {
    std::string out;
    for (char letter : letters)
      out += (out.empty() ? "" : " ") + std::string(1, letter);
    return out.empty() ? "one element" : out;
  }

  /// How many dims of the filter are longer than 1.
  int longFilterDims() const {
    return static_cast<int>(std::count_if(first.spec.spatial.begin(), first.spec.spatial.end(),
                                          [](const SpatialDim &dim) { return dim.filter > 1; }));
  }

  /// The relation stores a flipped filter mirrored. A backward that reads it as such is one whose author forgot the
  /// flip that the gradient needs; a forward that does is a true convolution.
  std::string flip(const Difference &difference) const {
    bool secondFlips = difference.second == "yes";
    const std::string &who = (secondFlips ? comparison.second : comparison.first).label;
    std::string along = " along " + dim(difference.dim);
    switch (first.spec.direction) {
    case Direction::DGrad:
      return who + " does not flip the filter" + along + ": it computes the input backward of the mirrored filter" +
             (longFilterDims() == 1 ? "; " + std::string(missingFlipCause) : "");
    case Direction::FProp:
      return who + " mirrors the filter" + along + ": it computes the forward convolution with the mirrored filter";
    case Direction::WGrad:
      break;
    }
    return who + " writes the filter's gradient mirrored" + along;
  }

  const Comparison &comparison;
  const Canonical &first, &second;
};

} // namespace

std::vector<std::string> meaningSentences(const Comparison &comparison) {
  std::vector<std::string> sentences;
  if (comparison.equivalent())
    return sentences;
  for (const Difference &difference : comparison.alignment.differences)
    sentences.push_back(Sentences(comparison).of(difference));
  return sentences;
}

std::vector<SpellingDifference> spellingDifferences(const Comparison &comparison) {
  std::vector<SpellingDifference> found;
  const std::vector<SpellingFact> &first = comparison.first.problem.facts, &second = comparison.second.problem.facts;
  auto textOf = [](const std::vector<SpellingFact> &facts, const std::string &topic) {
    auto fact = std::find_if(facts.begin(), facts.end(), [&](const SpellingFact &one) { return one.topic == topic; });
    return fact == facts.end() ? std::string() : fact->text;
  };
  for (const SpellingFact &fact : first)
    if (std::string other = textOf(second, fact.topic); other != fact.text)
      found.push_back({fact.topic, fact.text, other});
  for (const SpellingFact &fact : second)
    if (textOf(first, fact.topic).empty())
      found.push_back({fact.topic, "", fact.text});
  return found;
}

} // namespace orzo::driver
