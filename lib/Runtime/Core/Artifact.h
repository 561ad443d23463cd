// Artifact: what the compiler hands to the runtime, in memory and as one self-describing file.
//
// An artifact holds one problem's program - a flat list of dispatches, fills and copies over slots - and one kernel
// image per target ISA. The compiler fills the struct; serialise() writes the FlatBuffers file (magic "ORZO"); parse()
// reads and checks it. Both sides share this header, so the format exists once.
#pragma once

#include "Runtime/Core/CudaLaunch.h"
#include "orzo/Spec/ElementType.h"
#include "orzo/Spec/Layout.h"
#include "orzo/Support/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orzo {

/// A caller-owned tensor: packed, shape outermost first.
struct ArtifactBinding {
  std::string name;         ///< "x", "w", "y"; in a graph the number of the value in its text: "%0".
  std::optional<Role> role; ///< In a convolution; a graph's tensors have none.
  bool isResult = false;    ///< Written, never read before it is written.
  ElementType type = ElementType::Float;
  std::string layout;         ///< Letters, e.g. "nhc"; none in a graph.
  std::vector<int64_t> shape; ///< Extents in layout order, of a graph's tensor its elements; empty for one element.
  bool operator==(const ArtifactBinding &) const = default;
};

/// Memory a step works on: a binding, or a piece of the workspace.
struct ArtifactSlot {
  int32_t binding = -1;        ///< Index into bindings, or -1 for workspace.
  int64_t workspaceOffset = 0; ///< Bytes, a multiple of 64.
  int64_t bytes = 0;           ///< Extent of the slot in bytes.
  bool operator==(const ArtifactSlot &) const = default;
};

struct ArtifactCopyDim {
  int64_t extent = 1, sourceStride = 0, targetStride = 0; ///< Strides in elements; a source stride may be negative.
  bool operator==(const ArtifactCopyDim &) const = default;
};

struct ArtifactStep {
  enum class Kind : uint8_t { Dispatch, Fill, Copy } kind = Kind::Dispatch;

  /// For people: "contract_4096x4096x2048_bf16", "fill_dy_zero", "copy_w_flip".
  std::string name;
  /// Slots by index. Dispatch: in the kernel's order. Fill: {target}. Copy: {source, target}.
  std::vector<int32_t> slots;

  // Dispatch on the CPU. The kernel is
  //   extern "C" void symbol(void *const *slots, int64_t begin, int64_t end, void *scratch)
  // and computes work units [begin, end); `slots` points at the slots' memory in order, `scratch` at scratchBytes bytes
  // of this thread, 64-byte aligned, contents undefined. Units of different calls are independent: any split over
  // threads gives the same bits. Range r covers the unitRanges[r] units after those of the ranges before it; units of
  // one range cost about the same, so a thread takes an equal share of every range. Where a part of the units needs
  // what others wrote, stageRanges says how many of the ranges, in order, belong to each stage: every unit of a stage
  // has finished before one of the next begins. Empty: all are of one stage.
  std::string symbol;
  std::vector<int64_t> unitRanges;
  std::vector<int32_t> stageRanges = {};
  int64_t scratchBytes = 0;

  // Dispatch on a CUDA device: `symbol` is an entry of the image's PTX, launched as `cuda` says; unitRanges,
  // stageRanges and scratchBytes are unused.
  std::optional<CudaLaunch> cuda = std::nullopt;

  // Dispatch on either.
  int64_t flopsExecuted = 0; ///< From the loop bounds: 2 per multiply-add of valid rows, columns and reduction.
  int64_t flopsTile = 0;     ///< Further ones spent in register-tile tails.

  // Fill: every byte of the slot becomes fillByte.
  uint8_t fillByte = 0;

  // Copy: elements of elementBytes bytes; copyDims outermost first; offsets in elements.
  int64_t elementBytes = 0, sourceOffset = 0, targetOffset = 0;
  std::vector<ArtifactCopyDim> copyDims;
  bool isTranspose = false; ///< Counted under "transposes" as well as "copies".

  bool operator==(const ArtifactStep &) const = default;
};

/// One kernel image: an ELF shared object without undefined symbols (CPU) or PTX text (CUDA).
struct ArtifactImage {
  std::string isa; ///< "avx2", "avx512", "avx512_bf16"; "sm_90a".
  std::vector<uint8_t> code;
  std::string kernelHash;          ///< SHA-256 (hex) over code and constants, symbol names normalised.
  std::string plan;                ///< The plan's text.
  std::vector<ArtifactStep> steps; ///< The program of this image.
  std::vector<ArtifactSlot> slots;
  int64_t workspaceBytes = 0; ///< Slots only; per-thread scratch is apart.
  bool operator==(const ArtifactImage &) const = default;
};

struct Artifact {
  std::string problem;  ///< Canonical text (conv.v1 ... or graph.v1 ...).
  std::string lowering; ///< "contract", "implicit", "wgrad", "zero-insert"; of a graph "graph".
  std::string reason;   ///< Why this lowering, one sentence.
  std::string compilerBuild;
  double compileMilliseconds = 0;        ///< Of the compile that made it.
  std::vector<ArtifactBinding> bindings; ///< x, w, y in role order; of a graph inputs, then outputs, by value.
  std::vector<ArtifactImage> images;
  std::vector<std::string> notes = {}; ///< What the compiler says about it: what did not fuse, and why.
  bool operator==(const Artifact &) const = default;
};

/// The file. Deterministic: equal artifacts give equal bytes.
std::vector<uint8_t> serialise(const Artifact &artifact);

/// Reads and checks a file: magic, format version, checksum, FlatBuffers structure, then meaning (slots in range,
/// steps' slots and copies within their bytes, known roles and types). InvalidArgument says what is damaged and where;
/// a version from the future or past is Unsupported and names both versions. Never reads past `bytes`.
Expected<Artifact> parseArtifact(std::span<const uint8_t> bytes);

} // namespace orzo
