// Batch: what is common to every command that goes through problems - order, caps, isolation, output, exit code.
#pragma once

#include "Driver/Isolation.h"
#include "Driver/Job.h"
#include "Driver/SharedOptions.h"

#include <functional>
#include <vector>

namespace orzo::driver {

/// A report with what is known before anything is compiled.
ProblemReport startReport(const Job &job, const SharedOptions &options);

/// Adds what is known once a module has been read (compileJob): the problem, and a warning where its filter is
/// mirrored. Nothing for other jobs.
void describeModule(const Job &job, ProblemReport &report);

/// The report in the options' format. In text, a problem that has no result (invalid, unsupported ...) goes to
/// standard error, and --quiet leaves out what is ok and every note.
Outcome render(const ProblemReport &report, const SharedOptions &options);

/// Does `work` for every job, each in a process of its own, and prints outcomes in order; a failed job, a help text
/// and a problem over a cap need no work. `onCarry` gets each outcome's carry, in this process, before the next job
/// begins. The exit code is the worst of all (exitCodeOf, worse).
int runBatch(const std::vector<Job> &jobs, const SharedOptions &options,
             const std::function<Outcome(const Job &, size_t index)> &work,
             const std::function<void(const std::string &)> &onCarry = {});

} // namespace orzo::driver
