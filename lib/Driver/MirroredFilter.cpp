#include "Driver/MirroredFilter.h"

#include "orzo/Spec/Canonical.h"

#include <cctype>

namespace orzo::driver {

std::optional<std::string> mirroredFilterWarning(const ConvSpec &spec) {
  ConvSpec canonical = canonicalise(spec).spec;
  std::string dims;
  int longDims = 0;
  for (int dim = 0; dim < canonical.rank(); ++dim) {
    longDims += canonical.spatial[dim].filter > 1;
    if (!canonical.spatial[dim].flip)
      continue;
    std::string name(1, letter(Role::W, spatialAxis(dim), canonical.rank()));
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    dims += (dims.empty() ? "" : ", ") + name;
  }
  if (dims.empty())
    return std::nullopt;
  std::string warning = "warning: the filter is mirrored along " + dims + " of the canonical form: ";
  if (canonical.direction == Direction::DGrad)
    warning += "this is the input backward of the mirrored filter" +
               (longDims == 1 ? "; " + std::string(missingFlipCause) : std::string());
  else if (canonical.direction == Direction::FProp)
    warning += "this is the forward convolution with the mirrored filter";
  else
    warning += "this is the filter's gradient, written mirrored";
  return warning + ". What is verified is that it computes just this";
}

} // namespace orzo::driver
