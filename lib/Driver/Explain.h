// Explain: what a problem is, what orzo does with it and why, and how fast it could be at best.
#pragma once

#include "Driver/SharedOptions.h"

#include <string>

namespace orzo::driver {

struct ExplainOptions {
  SharedOptions shared;
  bool measure = true; ///< Measure peak and bandwidth for the roofline floor (about half a second).
};

/// Explains every job in text or JSON (other formats are InvalidArgument); the exit code.
int explainCommand(const ExplainOptions &options);

/// How the user's tensors are the canonical ones, one line a tensor: "x is the user's y: n p q k read as n h w c".
std::vector<std::string> describeViews(const ConvSpec &user);

} // namespace orzo::driver
