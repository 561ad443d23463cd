// The meaning of conv flags.
#pragma once

#include "Command/DriverCommand.h"
#include "Command/FlagValues.h"

#include <vector>

namespace orzo {

/// The problems that the conv command `values` stands for; notes on flags without effect in it go to `notes`.
/// Errors as parseDriverCommand's.
Expected<std::vector<DriverProblem>> convProblems(const FlagValues &values, NoteList &notes);

} // namespace orzo
