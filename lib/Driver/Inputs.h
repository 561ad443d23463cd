// Inputs: from the words of the command line to jobs.
//
// An input is a driver command (one quoted argument, or everything after `--`), a file of commands (.txt, .tsv), MLIR
// (.mlir), a graph (.graph), an artifact (.orzo), a canonical text (conv.v1 ... or graph.v1 ...), or "-", standard
// input, whose contents say what they are: an artifact by its magic, a graph by its first word, MLIR by a func.func,
// otherwise commands, one a line.
#pragma once

#include "Driver/Job.h"

#include <string>
#include <vector>

namespace orzo::driver {

struct InputWords {
  std::vector<std::string> inputs;        ///< INPUT arguments, in order.
  std::vector<std::string> commandsFiles; ///< --commands-file.
  std::vector<std::string> driverCommand; ///< The words after `--`; empty without one.
  bool hasDriverCommand = false;          ///< Whether there was a `--`.
};

/// Every problem of every input, in order: first `inputs`, then `commandsFiles`, then the driver command. A bad input
/// or line is a job with its failure; it keeps no other from being read. No input at all is one failed job.
std::vector<Job> readInputs(const InputWords &words);

} // namespace orzo::driver
