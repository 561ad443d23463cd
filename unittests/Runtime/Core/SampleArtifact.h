// SampleArtifact: an artifact in which every field differs from its default.
#pragma once

#include "Runtime/Core/Artifact.h"

namespace orzo::test {

/// Two operands, one result, a workspace; a fill of the workspace, a flipping copy of w into it, a dispatch.
inline Artifact sampleArtifact() {
  using Kind = ArtifactStep::Kind;
  ArtifactStep fill{.kind = Kind::Fill,
                    .name = "fill_workspace_zero",
                    .slots = {3},
                    .symbol = "",
                    .unitRanges = {},
                    .fillByte = 0x7f,
                    .copyDims = {}};
  ArtifactStep copy{.kind = Kind::Copy,
                    .name = "copy_w_flip",
                    .slots = {1, 3},
                    .symbol = "",
                    .unitRanges = {},
                    .elementBytes = 2,
                    .sourceOffset = 4,
                    .targetOffset = 32,
                    .copyDims = {{2, 6, 6}, {3, -2, 2}, {2, 1, 1}},
                    .isTranspose = true};
  ArtifactStep dispatch{.name = "contract_8x6_bf16",
                        .slots = {0, 3, 2},
                        .symbol = "kernel_0",
                        .unitRanges = {3, 5},
                        .scratchBytes = 640,
                        .flopsExecuted = 960,
                        .flopsTile = 64,
                        .copyDims = {}};
  ArtifactImage image{.isa = "avx2",
                      .code = {0x7f, 'E', 'L', 'F', 1, 2, 3},
                      .kernelHash = "00ff",
                      .plan = "avx2 6x16",
                      .steps = {fill, copy, dispatch},
                      .slots = {{0, 0, 32}, {1, 0, 24}, {2, 0, 16}, {-1, 64, 128}},
                      .workspaceBytes = 192};
  ArtifactImage second = image;
  second.isa = "avx512_bf16";
  second.code.push_back(9);
  Artifact artifact;
  artifact.problem = "conv.v1 fprop";
  artifact.lowering = "zero-insert";
  artifact.reason = "it was forced";
  artifact.compilerBuild = "build-1";
  artifact.compileMilliseconds = 12.5;
  artifact.bindings = {{"x", Role::X, false, DataType::BF16, "nhc", {2, 4, 2}},
                       {"w", Role::W, false, DataType::BF16, "krc", {2, 3, 2}},
                       {"y", Role::Y, true, DataType::F32, "npk", {2, 1, 2}}};
  artifact.images = {image, second};
  return artifact;
}

} // namespace orzo::test
