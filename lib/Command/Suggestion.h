// "did you mean": the known word nearest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orzo {

/// "; did you mean A or B?" with the (at most three) words of `known` nearest to `word` in edit distance, or "" when
/// none is near enough to be meant (more than two edits, or more than a third of the word; case costs nothing).
std::string didYouMean(std::string_view word, const std::vector<std::string> &known);

} // namespace orzo
