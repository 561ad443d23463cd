// TestArtifact: small artifacts around the kernels of Kernels.c.
#pragma once

#include "Runtime/CPU/Isa.h"
#include "Runtime/Core/Artifact.h"

#include <fstream>
#include <iterator>

namespace orzo::test {

inline std::vector<uint8_t> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline constexpr int64_t rows = 101, columns = 37;

/// y = w x with the kernel rows_times_x, its units in two ranges; `code` is the kernel image.
inline Artifact rowsTimesX(std::vector<uint8_t> code) {
  ArtifactStep step{.name = "rows",
                    .slots = {0, 1, 2},
                    .symbol = "rows_times_x",
                    .unitRanges = {64, 37},
                    .scratchBytes = columns * 4,
                    .flopsExecuted = 2 * rows * columns,
                    .copyDims = {}};
  ArtifactImage image{.isa = "avx2",
                      .code = std::move(code),
                      .kernelHash = "0123",
                      .plan = "rows",
                      .steps = {step},
                      .slots = {{0, 0, columns * 4}, {1, 0, rows * columns * 4}, {2, 0, rows * 4}}};
  Artifact artifact;
  artifact.problem = "conv.v1 test";
  artifact.lowering = "contract";
  artifact.bindings = {{"x", Role::X, false, ElementType::Float, "c", {columns}},
                       {"w", Role::W, false, ElementType::Float, "kc", {rows, columns}},
                       {"y", Role::Y, true, ElementType::Float, "k", {rows}}};
  artifact.images = {image};
  return artifact;
}

/// One result "y" of `elements` f32 and no operands; `steps` over a single slot 0 that is y.
inline Artifact onlyResult(int64_t elements, std::vector<ArtifactStep> steps, std::vector<uint8_t> code) {
  Artifact artifact;
  artifact.bindings = {{"y", Role::Y, true, ElementType::Float, "k", {elements}}};
  artifact.images = {{.isa = "avx2",
                      .code = std::move(code),
                      .kernelHash = "",
                      .plan = "",
                      .steps = std::move(steps),
                      .slots = {{0, 0, elements * 4}}}};
  return artifact;
}

} // namespace orzo::test
