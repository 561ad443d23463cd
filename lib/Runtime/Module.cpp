#include "orzo/Runtime/Module.h"
#include "Runtime/Core/ArtifactCheck.h"
#include "Runtime/ImageChoice.h"
#include "Runtime/ModuleState.h"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace orzo {

Module::Module(std::shared_ptr<const State> state) : state(std::move(state)) {}

Status Module::State::loadOnCpu(std::string_view isa) {
  Expected<size_t> index = chooseImage(artifact, supportedIsas(), isa);
  if (!index)
    return index.status();
  imageIndex = *index;
  if (image().code.empty()) {
    // Nothing is dispatched (the artifact was checked): fills and copies alone need no code.
    kernels.resize(image().steps.size());
    return {};
  }
  Expected<cpu::SharedObject> loaded =
      cpu::SharedObject::load(image().code, "orzo-" + image().kernelHash.substr(0, 16));
  if (!loaded)
    return loaded.status().within("image '" + image().isa + "'");
  object = loaded.take();
  Expected<std::vector<cpu::Kernel>> resolved = cpu::resolveKernels(image(), *object);
  if (!resolved)
    return resolved.status().within("image '" + image().isa + "'");
  kernels = resolved.take();
  return {};
}

Status Module::State::loadOnCuda(std::string_view isa) {
  Expected<Device> current = Device::current();
  if (!current)
    return current.status();
  device = current.take();
  Expected<size_t> index = chooseCudaImage(artifact, *device, isa);
  if (!index)
    return index.status();
  imageIndex = *index;
  Expected<cuda::KernelImage> loaded = cuda::KernelImage::load(*device, image());
  if (!loaded)
    return loaded.status().within("image '" + image().isa + "'");
  kernelImage = std::make_shared<cuda::KernelImage>(loaded.take());
  return {};
}

Expected<Module> Module::load(std::span<const uint8_t> bytes, std::string_view isa) {
  Expected<Artifact> parsed = parseArtifact(bytes);
  if (!parsed)
    return parsed.status();
  auto state = std::make_shared<State>();
  state->artifact = parsed.take();
  Status loaded = choosesCuda(state->artifact, isa) ? state->loadOnCuda(isa) : state->loadOnCpu(isa);
  if (!loaded.ok())
    return loaded;
  for (ArtifactImage &each : state->artifact.images)
    each.code = {};
  for (const ArtifactBinding &binding : state->artifact.bindings)
    state->bindings.push_back({binding.name, binding.role, binding.isResult, binding.type, binding.layout,
                               binding.shape, *packedBytes(binding.shape, binding.type)});
  return Module(std::move(state));
}

/// In pieces, so that pipes work and nothing trusts a reported size.
static Expected<std::vector<uint8_t>> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<uint8_t> bytes;
  constexpr size_t piece = 1 << 16;
  while (file.good()) {
    size_t done = bytes.size();
    bytes.resize(done + piece);
    file.read(reinterpret_cast<char *>(bytes.data() + done), piece);
    bytes.resize(done + file.gcount());
  }
  if (!file.is_open() || file.bad())
    return Status::unavailable(std::string("cannot be read: ") + std::strerror(errno));
  return bytes;
}

Expected<Module> Module::loadFile(const std::string &path, std::string_view isa) {
  Expected<std::vector<uint8_t>> bytes = readFile(path);
  if (!bytes)
    return bytes.status().within(path);
  Expected<Module> module = load(*bytes, isa);
  if (!module)
    return module.status().within(path);
  return module;
}

const std::string &Module::problem() const { return state->artifact.problem; }
const std::string &Module::isa() const { return image().isa; }
const std::vector<TensorBinding> &Module::bindings() const { return state->bindings; }
const Artifact &Module::artifact() const { return state->artifact; }
const ArtifactImage &Module::image() const { return state->image(); }

DeviceKind Module::deviceKind() const { return state->device ? DeviceKind::CUDA : DeviceKind::CPU; }
const std::optional<Device> &Module::device() const { return state->device; }

int64_t Module::workspaceBytes(int threads) const {
  if (state->device)
    return cuda::workspaceBytes(image());
  int64_t scratch = threads * cpu::scratchStride(image());
  // Slots need no rounding up where no scratch follows them.
  return scratch ? cpu::scratchOffset(image()) + scratch : image().workspaceBytes;
}

} // namespace orzo
