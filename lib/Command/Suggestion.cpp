#include "Command/Suggestion.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace orzo {

/// Edits (insert, delete, replace) from `a` to `b`; a change of case alone costs nothing.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  auto lower = [](char letter) { return std::tolower(static_cast<unsigned char>(letter)); };
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string didYouMean(std::string_view word, const std::vector<std::string> &known) {
  size_t limit = std::min<size_t>(2, word.size() / 3);
  std::vector<std::string> nearest;
  for (size_t distance = 0; distance <= limit && nearest.empty(); ++distance)
    for (const std::string &candidate : known)
      if (editDistance(word, candidate) == distance &&
          std::find(nearest.begin(), nearest.end(), candidate) == nearest.end())
        nearest.push_back(candidate);
  if (nearest.empty())
    return "";
  std::string text = "; did you mean " + nearest[0];
  size_t shown = std::min<size_t>(nearest.size(), 3);
  for (size_t index = 1; index < shown; ++index)
    text += (index + 1 == shown ? " or " : ", ") + nearest[index];
  return text + "?";
}

} // namespace orzo
