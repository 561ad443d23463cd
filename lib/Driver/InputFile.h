// InputFile: the bytes of an input file, or of standard input.
#pragma once

#include "Driver/Job.h"

#include <string>

namespace orzo::driver {

/// The contents of `path`; "-" is standard input. Unavailable when it cannot be read, and says why; InvalidArgument for
/// a folder.
Expected<std::string> readInputFile(const std::string &path);

/// Writes `contents`, replacing what was there; "-" is standard output. Unavailable when that fails, and says why.
Status writeOutputFile(const std::string &path, std::string_view contents);

/// Whether `contents` begin as artifact files do. It may still be a damaged one.
bool isArtifactFile(std::string_view contents);

/// The job of an artifact file's contents. Whether they are whole is found where they are loaded.
Job artifactJob(const std::string &path, const std::string &contents);

} // namespace orzo::driver
