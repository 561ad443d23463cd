// GraphInput: a graph's text (graph.v1 ...) as a job.
#pragma once

#include "Driver/Job.h"

#include <string_view>

namespace orzo::driver {

/// The job of a graph's text, `input` as the user spelled it and `name` for diagnostics. A graph that is one
/// convolution is that problem's job; the others are brought to canonical order, so that every order of the lines is
/// one problem. A text that is no graph is a failed job.
Job graphJob(std::string input, std::string name, std::string_view text);

} // namespace orzo::driver
