// SampleArtifact: an artifact in which every field differs from its default.
#pragma once

#include "Runtime/Core/Artifact.h"

namespace orzo::test {

/// The dispatch of the sample's CUDA image: a tiled map of x, an im2col map of the workspace, every kind of parameter.
inline ArtifactStep sampleCudaDispatch() {
  using Kind = CudaParameter::Kind;
  TensorMapRecipe tiled{.slot = 0,
                        .byteOffset = 0,
                        .type = DataType::BF16,
                        .mode = TensorMapRecipe::Mode::Tiled,
                        .swizzle = TensorMapRecipe::Swizzle::Bytes32,
                        .sizes = {8, 2},
                        .byteStrides = {16},
                        .elementStrides = {1, 1},
                        .box = {8, 2},
                        .lowerCorner = {},
                        .upperCorner = {}};
  TensorMapRecipe im2col{.slot = 1,
                         .byteOffset = 32,
                         .type = DataType::F16,
                         .mode = TensorMapRecipe::Mode::Im2col,
                         .swizzle = TensorMapRecipe::Swizzle::Bytes64,
                         .sizes = {8, 2, 3, 1},
                         .byteStrides = {16, 32, 96},
                         .elementStrides = {1, 2, 2, 1},
                         .box = {},
                         .lowerCorner = {-1, -2},
                         .upperCorner = {0, 1},
                         .channelsPerPixel = 8,
                         .pixelsPerColumn = 128};
  return {.name = "implicit_8x6_bf16",
          .slots = {0, 3, 2},
          .symbol = "kernel_0",
          .unitRanges = {},
          .cuda = CudaLaunch{.tiles = 12,
                             .persistent = false,
                             .blocksPerMultiprocessor = 2,
                             .threads = 128,
                             .sharedBytes = 65536,
                             .scratchBytes = 512,
                             .tensorMaps = {tiled, im2col},
                             .parameters = {{Kind::TensorMap, 0, 0},
                                            {Kind::TensorMap, 1, 0},
                                            {Kind::Pointer, 2, 8},
                                            {Kind::Integer32, 0, -7},
                                            {Kind::Workspace, 0, 256}}},
          .flopsExecuted = 960,
          .flopsTile = 64,
          .copyDims = {}};
}

/// Two operands, one result, a workspace; a fill of the workspace, a flipping copy of w into it, a dispatch. Images for
/// two CPU levels and for CUDA.
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
                        .stageRanges = {1, 1},
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
  ArtifactImage cuda = image;
  cuda.isa = "sm_90a";
  cuda.steps = {fill, copy, sampleCudaDispatch()};
  Artifact artifact;
  artifact.problem = "conv.v1 fprop";
  artifact.lowering = "zero-insert";
  artifact.reason = "it was forced";
  artifact.compilerBuild = "build-1";
  artifact.compileMilliseconds = 12.5;
  artifact.bindings = {{"x", Role::X, false, ElementType::BFloat16, "nhc", {2, 4, 2}},
                       {"w", Role::W, false, ElementType::BFloat16, "krc", {2, 3, 2}},
                       {"y", Role::Y, true, ElementType::Float, "npk", {2, 1, 2}}};
  artifact.images = {image, second, cuda};
  return artifact;
}

} // namespace orzo::test
