// Isolation: a problem in a process of its own, so that a crash or a hang of one is a line of the report and no more.
//
// The parent forks before it has any threads; the child does the work and sends what is to be printed through a pipe.
// Kernels are generated code between guard pages: a stray access ends the child with SIGSEGV, and the parent says so.
#pragma once

#include "orzo/Support/Status.h"

#include <functional>
#include <string>

namespace orzo::driver {

/// What became of one problem, ready to be printed.
struct Outcome {
  std::string status = "ok"; ///< As the report spells it.
  std::string output;        ///< For standard output.
  std::string errors;        ///< For standard error.
  std::string carry;         ///< Bytes for the parent process: what later problems need not find out again.
};

/// How a child ended that did not deliver.
struct Ending {
  bool timedOut = false;
  Status failure; ///< Internal: crashed, with the signal's name. Unavailable: killed for memory, or no process.
};

/// Runs `work` in a child process for at most `timeoutSeconds` (0: no limit) and returns its outcome. When it does not
/// deliver one, `onEnding` makes the outcome instead, in this process.
Outcome runIsolated(double timeoutSeconds, const std::function<Outcome()> &work,
                    const std::function<Outcome(const Ending &)> &onEnding);

/// The exit code of one problem's status: ok and skipped 0, wrong 1, invalid 2, unsupported 3, unavailable and timeout
/// 4, internal 5.
int exitCodeOf(const std::string &status);

/// The worse of two exit codes, in the order 5, 1, 4, 3, 2, 0.
int worse(int first, int second);

} // namespace orzo::driver
