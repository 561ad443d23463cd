// ArtifactReport: what an artifact file holds - manifest, counters, plans. orzo-run's `report`.
#pragma once

#include "Driver/SharedOptions.h"

namespace orzo::driver {

/// Reads artifact files; anything else is a failed job (InvalidArgument), for a program that has no compiler. "-" is
/// standard input.
std::vector<Job> readArtifacts(const std::vector<std::string> &paths);

/// Prints the manifest of every job in text or JSON; the exit code.
int reportJobs(const std::vector<Job> &jobs, const SharedOptions &options);

} // namespace orzo::driver
