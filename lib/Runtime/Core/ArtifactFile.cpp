#include "Runtime/Core/Artifact.h"
#include "Runtime/Core/ArtifactCheck.h"
#include "Runtime/Core/Artifact_generated.h"
#include "orzo/Support/Sha256.h"

#include <algorithm>
#include <cstring>
#include <limits>

// The file: 4 bytes "ORZO", uint32 format version, uint64 bytes of the manifest, 32 bytes SHA-256 of the manifest, then
// the manifest (FlatBuffers, Artifact.fbs) up to the end of the file. Little-endian.

namespace orzo {

static constexpr uint32_t formatVersion = 2;
static constexpr size_t headerBytes = 48;
static constexpr std::string_view magic = "ORZO";

namespace {

constexpr uint8_t noRole = 3;

uint8_t roleNumber(std::optional<Role> role) { return role ? static_cast<uint8_t>(*role) : noRole; }

std::optional<Role> roleOf(uint8_t number) {
  return number == noRole ? std::nullopt : std::optional(static_cast<Role>(number));
}

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

Offset<format::Binding> write(FlatBufferBuilder &builder, const ArtifactBinding &binding) {
  auto name = builder.CreateString(binding.name);
  auto layout = builder.CreateString(binding.layout);
  auto shape = builder.CreateVector(binding.shape);
  return format::CreateBinding(builder, name, roleNumber(binding.role), binding.isResult,
                               static_cast<uint8_t>(binding.type), layout, shape);
}

template <typename Table> using Tables = Offset<flatbuffers::Vector<Offset<Table>>>;

template <typename Table, typename Part>
Tables<Table> writeAll(FlatBufferBuilder &builder, const std::vector<Part> &parts);

Offset<format::TensorMap> write(FlatBufferBuilder &builder, const TensorMapRecipe &map) {
  auto sizes = builder.CreateVector(map.sizes);
  auto byteStrides = builder.CreateVector(map.byteStrides);
  auto elementStrides = builder.CreateVector(map.elementStrides);
  auto box = builder.CreateVector(map.box);
  auto lowerCorner = builder.CreateVector(map.lowerCorner);
  auto upperCorner = builder.CreateVector(map.upperCorner);
  return format::CreateTensorMap(builder, map.slot, map.byteOffset, static_cast<uint8_t>(map.type),
                                 static_cast<uint8_t>(map.mode), static_cast<uint8_t>(map.swizzle), sizes, byteStrides,
                                 elementStrides, box, lowerCorner, upperCorner, map.channelsPerPixel,
                                 map.pixelsPerColumn);
}

Offset<format::CudaLaunch> write(FlatBufferBuilder &builder, const CudaLaunch &launch) {
  auto tensorMaps = writeAll<format::TensorMap>(builder, launch.tensorMaps);
  std::vector<format::Parameter> parameterStructs;
  for (const CudaParameter &parameter : launch.parameters)
    parameterStructs.emplace_back(parameter.value, parameter.index, static_cast<uint8_t>(parameter.kind));
  auto parameters = builder.CreateVectorOfStructs(parameterStructs);
  return format::CreateCudaLaunch(builder, launch.tiles, launch.persistent, launch.blocksPerMultiprocessor,
                                  launch.threads, launch.sharedBytes, launch.scratchBytes, tensorMaps, parameters);
}

Offset<format::Step> write(FlatBufferBuilder &builder, const ArtifactStep &step) {
  auto name = builder.CreateString(step.name);
  auto slots = builder.CreateVector(step.slots);
  auto symbol = builder.CreateString(step.symbol);
  auto unitRanges = builder.CreateVector(step.unitRanges);
  auto stageRanges = builder.CreateVector(step.stageRanges);
  std::vector<format::CopyDim> dims;
  for (const ArtifactCopyDim &dim : step.copyDims)
    dims.emplace_back(dim.extent, dim.sourceStride, dim.targetStride);
  auto copyDims = builder.CreateVectorOfStructs(dims);
  Offset<format::CudaLaunch> cuda = step.cuda ? write(builder, *step.cuda) : Offset<format::CudaLaunch>();
  return format::CreateStep(builder, static_cast<uint8_t>(step.kind), name, slots, symbol, unitRanges,
                            step.scratchBytes, step.flopsExecuted, step.flopsTile, step.fillByte, step.elementBytes,
                            step.sourceOffset, step.targetOffset, copyDims, step.isTranspose, cuda, stageRanges);
}

Offset<format::Image> write(FlatBufferBuilder &builder, const ArtifactImage &image);

template <typename Table, typename Part>
Tables<Table> writeAll(FlatBufferBuilder &builder, const std::vector<Part> &parts) {
  std::vector<Offset<Table>> offsets;
  for (const Part &part : parts)
    offsets.push_back(write(builder, part));
  return builder.CreateVector(offsets);
}

Offset<format::Image> write(FlatBufferBuilder &builder, const ArtifactImage &image) {
  auto isa = builder.CreateString(image.isa);
  auto code = builder.CreateVector(image.code);
  auto kernelHash = builder.CreateString(image.kernelHash);
  auto plan = builder.CreateString(image.plan);
  auto steps = writeAll<format::Step>(builder, image.steps);
  std::vector<format::Slot> slotStructs;
  for (const ArtifactSlot &slot : image.slots)
    slotStructs.emplace_back(slot.binding, slot.workspaceOffset, slot.bytes);
  auto slots = builder.CreateVectorOfStructs(slotStructs);
  return format::CreateImage(builder, isa, code, kernelHash, plan, steps, slots, image.workspaceBytes);
}

// An absent field reads as null: the same as empty.
std::string read(const flatbuffers::String *text) { return text ? text->str() : std::string(); }
std::string read(const flatbuffers::String &text) { return text.str(); }

// Elements are copied as bytes: the verifier does not check that a damaged vector's elements are aligned.
template <typename T> std::vector<T> copied(const uint8_t *data, size_t count) {
  std::vector<T> result(count);
  if (count > 0)
    std::memcpy(static_cast<void *>(result.data()), data, count * sizeof(T));
  return result;
}

template <typename T> std::vector<T> read(const flatbuffers::Vector<T> *values) {
  return values ? copied<T>(values->Data(), values->size()) : std::vector<T>();
}

template <typename Struct> std::vector<Struct> read(const flatbuffers::Vector<const Struct *> *values) {
  return values ? copied<Struct>(values->Data(), values->size()) : std::vector<Struct>();
}

ArtifactBinding read(const format::Binding &binding) {
  return {.name = read(binding.name()),
          .role = roleOf(binding.role()),
          .isResult = binding.is_result(),
          .type = static_cast<ElementType>(binding.type()),
          .layout = read(binding.layout()),
          .shape = read(binding.shape())};
}

template <typename Part, typename Table> std::vector<Part> readAll(const flatbuffers::Vector<Table> *parts);

TensorMapRecipe read(const format::TensorMap &map) {
  return {.slot = map.slot(),
          .byteOffset = map.byte_offset(),
          .type = static_cast<DataType>(map.type()),
          .mode = static_cast<TensorMapRecipe::Mode>(map.mode()),
          .swizzle = static_cast<TensorMapRecipe::Swizzle>(map.swizzle()),
          .sizes = read(map.sizes()),
          .byteStrides = read(map.byte_strides()),
          .elementStrides = read(map.element_strides()),
          .box = read(map.box()),
          .lowerCorner = read(map.lower_corner()),
          .upperCorner = read(map.upper_corner()),
          .channelsPerPixel = map.channels_per_pixel(),
          .pixelsPerColumn = map.pixels_per_column()};
}

CudaLaunch read(const format::CudaLaunch &launch) {
  CudaLaunch result{.tiles = launch.tiles(),
                    .persistent = launch.persistent(),
                    .blocksPerMultiprocessor = launch.blocks_per_multiprocessor(),
                    .threads = launch.threads(),
                    .sharedBytes = launch.shared_bytes(),
                    .scratchBytes = launch.scratch_bytes(),
                    .tensorMaps = readAll<TensorMapRecipe>(launch.tensor_maps()),
                    .parameters = {}};
  for (const format::Parameter &parameter : read(launch.parameters()))
    result.parameters.push_back(
        {static_cast<CudaParameter::Kind>(parameter.kind()), parameter.index(), parameter.value()});
  return result;
}

ArtifactStep read(const format::Step &step) {
  ArtifactStep result{.kind = static_cast<ArtifactStep::Kind>(step.kind()),
                      .name = read(step.name()),
                      .slots = read(step.slots()),
                      .symbol = read(step.symbol()),
                      .unitRanges = read(step.unit_ranges()),
                      .stageRanges = read(step.stage_ranges()),
                      .scratchBytes = step.scratch_bytes(),
                      .flopsExecuted = step.flops_executed(),
                      .flopsTile = step.flops_tile(),
                      .fillByte = step.fill_byte(),
                      .elementBytes = step.element_bytes(),
                      .sourceOffset = step.source_offset(),
                      .targetOffset = step.target_offset(),
                      .copyDims = {},
                      .isTranspose = step.is_transpose()};
  for (const format::CopyDim &dim : read(step.copy_dims()))
    result.copyDims.push_back({dim.extent(), dim.source_stride(), dim.target_stride()});
  if (const format::CudaLaunch *cuda = step.cuda())
    result.cuda = read(*cuda);
  return result;
}

ArtifactSlot read(const format::Slot &slot) {
  // Out of int32's range is out of range of any list of bindings too; -2 keeps it an error.
  bool fits = slot.binding() >= -1 && slot.binding() <= std::numeric_limits<int32_t>::max();
  return {static_cast<int32_t>(fits ? slot.binding() : -2), slot.workspace_offset(), slot.bytes()};
}

ArtifactImage read(const format::Image &image);

template <typename Part, typename Table> std::vector<Part> readAll(const flatbuffers::Vector<Table> *parts) {
  std::vector<Part> result;
  if (parts)
    for (const auto *part : *parts)
      result.push_back(read(*part));
  return result;
}

ArtifactImage read(const format::Image &image) {
  std::vector<ArtifactSlot> slots;
  for (const format::Slot &slot : read(image.slots()))
    slots.push_back(read(slot));
  return {.isa = read(image.isa()),
          .code = read(image.code()),
          .kernelHash = read(image.kernel_hash()),
          .plan = read(image.plan()),
          .steps = readAll<ArtifactStep>(image.steps()),
          .slots = std::move(slots),
          .workspaceBytes = image.workspace_bytes()};
}

Artifact read(const format::Manifest &manifest) {
  return {.problem = read(manifest.problem()),
          .lowering = read(manifest.lowering()),
          .reason = read(manifest.reason()),
          .compilerBuild = read(manifest.compiler_build()),
          .compileMilliseconds = manifest.compile_milliseconds(),
          .bindings = readAll<ArtifactBinding>(manifest.bindings()),
          .images = readAll<ArtifactImage>(manifest.images()),
          .notes = readAll<std::string>(manifest.notes())};
}

template <typename T> T littleEndian(std::span<const uint8_t> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// Checks the header and returns the manifest's bytes.
Expected<std::span<const uint8_t>> unseal(std::span<const uint8_t> bytes) {
  if (bytes.size() < magic.size() || !std::equal(magic.begin(), magic.end(), bytes.begin()))
    return Status::invalidArgument("not an orzo artifact: the file does not begin with \"ORZO\"");
  auto truncated = [&](uint64_t expected) {
    return Status::invalidArgument("artifact is truncated: " + std::to_string(bytes.size()) + " of " +
                                   std::to_string(expected) + " bytes are there");
  };
  if (bytes.size() < headerBytes)
    return truncated(headerBytes);
  auto version = littleEndian<uint32_t>(bytes.subspan(4));
  if (version != formatVersion)
    return Status::unsupported("artifact has format version " + std::to_string(version) +
                               ", this build reads version " + std::to_string(formatVersion) +
                               ": compile it again with this build");
  std::span<const uint8_t> manifest = bytes.subspan(headerBytes);
  auto length = littleEndian<uint64_t>(bytes.subspan(8));
  if (length >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return Status::invalidArgument("artifact is damaged: its header declares " + std::to_string(length) +
                                   " bytes of manifest, more than the format allows");
  if (manifest.size() < length)
    return truncated(headerBytes + length);
  if (manifest.size() > length)
    return Status::invalidArgument("artifact is damaged: " + std::to_string(manifest.size() - length) +
                                   " bytes follow its end");
  Sha256Digest digest = sha256(manifest);
  if (!std::equal(digest.begin(), digest.end(), bytes.begin() + 16))
    return Status::invalidArgument("artifact is damaged: its checksum does not match its contents");
  return manifest;
}

} // namespace

std::vector<uint8_t> serialise(const Artifact &artifact) {
  FlatBufferBuilder builder;
  auto problem = builder.CreateString(artifact.problem);
  auto lowering = builder.CreateString(artifact.lowering);
  auto reason = builder.CreateString(artifact.reason);
  auto compilerBuild = builder.CreateString(artifact.compilerBuild);
  auto bindings = writeAll<format::Binding>(builder, artifact.bindings);
  auto images = writeAll<format::Image>(builder, artifact.images);
  auto notes = builder.CreateVectorOfStrings(artifact.notes);
  builder.Finish(format::CreateManifest(builder, problem, lowering, reason, compilerBuild, artifact.compileMilliseconds,
                                        bindings, images, notes));
  std::span<const uint8_t> manifest(builder.GetBufferPointer(), builder.GetSize());

  std::vector<uint8_t> file(headerBytes + manifest.size());
  uint64_t length = manifest.size();
  Sha256Digest digest = sha256(manifest);
  std::copy(magic.begin(), magic.end(), file.begin());
  std::memcpy(file.data() + 4, &formatVersion, sizeof formatVersion);
  std::memcpy(file.data() + 8, &length, sizeof length);
  std::copy(digest.begin(), digest.end(), file.begin() + 16);
  std::copy(manifest.begin(), manifest.end(), file.begin() + headerBytes);
  return file;
}

Expected<Artifact> parseArtifact(std::span<const uint8_t> bytes) {
  Expected<std::span<const uint8_t>> sealed = unseal(bytes);
  if (!sealed)
    return sealed.status();
  // FlatBuffers reads scalars in place, which needs the manifest itself aligned; the caller's bytes need not be.
  std::vector<uint64_t> aligned((sealed->size() + 7) / 8);
  if (!sealed->empty())
    std::memcpy(aligned.data(), sealed->data(), sealed->size());
  const auto *data = reinterpret_cast<const uint8_t *>(aligned.data());
  flatbuffers::Verifier verifier(data, sealed->size());
  if (!format::VerifyManifestBuffer(verifier))
    return Status::invalidArgument("artifact is damaged: its manifest is not well-formed");
  Artifact artifact = read(*format::GetManifest(data));
  if (Status status = checkArtifact(artifact); !status.ok())
    return status.within("artifact is damaged");
  return artifact;
}

} // namespace orzo
