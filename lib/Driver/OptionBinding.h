// OptionBinding: the one place where option structs meet CLI11.
#pragma once

#include "Driver/SharedOptions.h"

#include <CLI/CLI.hpp>

namespace orzo::driver {

/// Which of the shared options a command has.
struct OptionGroups {
  bool inputs = true;
  bool compile = true; ///< Target, lowering, plan, phases, cache.
  bool run = true;     ///< Data, verification, iterations.
};

/// Binds the shared options to `command`; `options` must outlive parsing.
void bindShared(CLI::App &command, SharedOptions &options, OptionGroups groups);

/// Binds --format, --quiet and --color alone.
void bindOutput(CLI::App &command, SharedOptions &options);

/// Binds --threads alone.
void bindThreads(CLI::App &command, int &threads);

/// Parses `words` (without the program's name). Empty when all is well; else the exit code, help or the error having
/// been printed: an error names the option or command, what was got, and where help is.
std::optional<int> parseWords(CLI::App &app, std::vector<std::string> words);

} // namespace orzo::driver
