// Splitting a command line into tokens, as a shell would.
#pragma once

#include "orzo/Support/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace orzo {

/// Splits at blanks. '...' is verbatim; "..." and bare text know the backslash. A bare token that is exactly `#` begins
/// a comment that runs to the end (`-#` is a flag). InvalidArgument for a quote that is not closed and for a backslash
/// at the end.
Expected<std::vector<std::string>> splitShell(std::string_view line);

/// Splits at TAB, verbatim, without empty fields; a field that is exactly `#` begins a comment.
std::vector<std::string> splitTabs(std::string_view line);

/// One line that splitShell() splits into `tokens` again.
std::string joinShell(const std::vector<std::string> &tokens);

} // namespace orzo
