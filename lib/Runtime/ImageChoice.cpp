#include "Runtime/ImageChoice.h"

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
      return isa.status();
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

} // namespace orzo
