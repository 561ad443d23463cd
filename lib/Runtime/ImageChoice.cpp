#include "Runtime/ImageChoice.h"
#include "Runtime/CUDA/KernelImage.h"
#include "Runtime/Core/CudaLaunchCheck.h"

#include <algorithm>

namespace orzo {

static std::string listed(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

Expected<size_t> chooseImage(const Artifact &artifact, std::span<const Isa> machine, std::string_view requested) {
  std::vector<std::string> imageNames, machineNames;
  for (const ArtifactImage &image : artifact.images)
    imageNames.push_back(image.isa);
  for (Isa isa : machine)
    machineNames.emplace_back(name(isa));
  std::string have =
      "the artifact has images for " + listed(imageNames) + "; this machine runs " + listed(machineNames);

  auto imageOf = [&](std::string_view isa) { return std::ranges::find(imageNames, isa) - imageNames.begin(); };
  if (!requested.empty()) {
    if (Expected<Isa> isa = parseIsa(requested); !isa)
      return Status::invalidArgument(isa.status().message() + ", or sm_90a for CUDA devices");
    size_t index = imageOf(requested);
    if (index == imageNames.size() || std::ranges::find(machineNames, requested) == machineNames.end())
      return Status::unsupported("ISA " + std::string(requested) + " was asked for, but " + have);
    return index;
  }
  for (size_t level = machineNames.size(); level-- > 0;)
    if (size_t index = imageOf(machineNames[level]); index < imageNames.size())
      return index;
  return Status::unsupported("no kernel image for this machine: " + have);
}

bool choosesCuda(const Artifact &artifact, std::string_view requested) {
  auto isCuda = [](const ArtifactImage &image) { return isCudaIsa(image.isa); };
  return isCudaIsa(requested) || (requested.empty() && std::ranges::all_of(artifact.images, isCuda));
}

Expected<size_t> chooseCudaImage(const Artifact &artifact, const Device &device, std::string_view requested) {
  const Device::State &state = *device.shared();
  std::vector<std::string> imageNames;
  for (const ArtifactImage &image : artifact.images)
    imageNames.push_back(image.isa);
  for (size_t index = 0; index < imageNames.size(); ++index)
    if (requested.empty() ? cuda::runsOn(imageNames[index], state.major, state.minor) : imageNames[index] == requested)
      return index;
  return Status::unsupported(
      (requested.empty() ? "no kernel image for this device" : "ISA " + std::string(requested) + " was asked for") +
      std::string(": the artifact has images for ") + listed(imageNames) + "; device " +
      std::to_string(device.ordinal()) + " is " + device.name() + " (" + device.architecture() + ")");
}

} // namespace orzo
