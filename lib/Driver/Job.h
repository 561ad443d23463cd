// Job: one problem that a command works on, whichever input it came from.
#pragma once

#include "orzo/Spec/ConvSpec.h"
#include "orzo/Spec/GraphSpec.h"
#include "orzo/Support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orzo::driver {

/// Run options that an input brought along. An option of orzo's own command line beats them.
struct WrittenOptions {
  std::optional<int64_t> iterations;
  std::optional<bool> verify; ///< false: verification off.
  bool ones = false;          ///< Data of ones.
  std::optional<std::string> cacheDirectory;
};

struct Job {
  enum class Kind : uint8_t {
    Problem,  ///< `spec` is set.
    Graph,    ///< `graph` is set: more than one convolution.
    Mlir,     ///< `source` is MLIR.
    Artifact, ///< `artifact` is an artifact file's bytes.
    Help,     ///< `source` is a text to print; nothing is computed.
  };

  Kind kind = Kind::Problem;
  std::string input; ///< As the user spelled it: the report's "input".
  std::string name;  ///< For diagnostics: a file's name, or "<command line>".
  std::optional<ConvSpec> spec;
  std::optional<GraphSpec> graph; ///< In canonical order.
  std::string direction;          ///< The user's word for it; empty where the input has none.
  std::string source;
  std::vector<uint8_t> artifact;
  WrittenOptions written;
  std::vector<std::string> notes;
  /// Not a success: why this input is no problem. The other fields may be empty then.
  Status failure;
};

/// A job that is nothing but its failure.
Job failedJob(std::string input, Status failure);

} // namespace orzo::driver
