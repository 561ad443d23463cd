#include "Command/ConvLayout.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace orzo {

std::string_view defaultLayout(int rank) { return rank == 1 ? "NCH" : rank == 2 ? "NCHW" : "NCDHW"; }

int rankOfLayout(std::string_view letters) { return static_cast<int>(letters.size()) - 2; }

/// The common letter (N C D H W) of one spelled letter, or 0.
static char commonLetter(char spelled, DriverTensor tensor) {
  struct Synonym {
    DriverTensor tensor;
    char spelled, common;
  };
  static constexpr Synonym synonyms[] = {
      {DriverTensor::Filter, 'K', 'N'}, {DriverTensor::Filter, 'T', 'D'}, {DriverTensor::Filter, 'R', 'H'},
      {DriverTensor::Filter, 'S', 'W'}, {DriverTensor::Filter, 'Z', 'D'}, {DriverTensor::Filter, 'Y', 'H'},
      {DriverTensor::Filter, 'X', 'W'}, {DriverTensor::Output, 'K', 'C'}, {DriverTensor::Output, 'Z', 'D'},
      {DriverTensor::Output, 'P', 'H'}, {DriverTensor::Output, 'Q', 'W'}};
  for (const Synonym &synonym : synonyms)
    if (synonym.tensor == tensor && synonym.spelled == spelled)
      return synonym.common;
  return std::string_view("NCDHW").find(spelled) == std::string_view::npos ? 0 : spelled;
}

Expected<Layout> parseDriverLayout(std::string_view letters, DriverTensor tensor, Role role, int rank, bool grouped) {
  std::string_view known = defaultLayout(rank);
  std::string quoted = "layout '" + std::string(letters) + "'";
  if (std::any_of(letters.begin(), letters.end(), [](char letter) { return letter >= '0' && letter <= '9'; }))
    return Status::unsupported(quoted + ": vectorised layouts are not supported");
  if (letters.size() != known.size())
    return Status::invalidArgument(quoted + " has " + std::to_string(letters.size()) + " letters; with " +
                                   std::to_string(rank) + " spatial dims it has " + std::to_string(known.size()) +
                                   ", e.g. " + std::string(known));
  Layout layout;
  std::string seen;
  for (char spelled : letters) {
    char common = commonLetter(static_cast<char>(std::toupper(static_cast<unsigned char>(spelled))), tensor);
    if (!common || known.find(common) == std::string_view::npos)
      return Status::invalidArgument(quoted + ": unknown letter '" + spelled + "'; it is an order of " +
                                     std::string(known));
    if (seen.find(common) != std::string::npos)
      return Status::invalidArgument(quoted + " has the dim '" + std::string(1, common) + "' twice");
    seen += common;
    if (common != 'N' && common != 'C') {
      layout.push_back(spatialAxis(static_cast<int>(known.find(common)) - 2));
      continue;
    }
    // The letter whose channels the groups split: K of the filter and of y, C of x.
    bool split = role == Role::W ? common == 'N' : common == 'C';
    if (split && grouped)
      layout.push_back(Axis::G);
    if (role == Role::W)
      layout.push_back(common == 'N' ? Axis::K : Axis::C);
    else if (common == 'N')
      layout.push_back(Axis::N);
    else
      layout.push_back(role == Role::X ? Axis::C : Axis::K);
  }
  return layout;
}

/// The axes of `role` longer than 1 as letters, in memory order; a group axis and its channels are one letter.
static Expected<std::string> longLetters(const ConvSpec &spec, Role role, int rank) {
  Axis split = role == Role::X ? Axis::C : Axis::K;
  Layout axes;
  for (Axis axis : spec.layout(role))
    if (spec.extent(role, axis) != 1)
      axes.push_back(axis);
  std::string letters;
  // Problems of lower rank take the innermost letters: a 1-D problem written with 2 dims has H = 1.
  std::string_view spatial = rank == 1 ? "H" : rank == 2 ? "HW" : "DHW";
  size_t shift = spatial.size() - spec.rank();
  for (size_t index = 0; index < axes.size(); ++index) {
    Axis axis = axes[index];
    if (isSpatial(axis)) {
      letters += spatial[spatialIndex(axis) + shift];
      continue;
    }
    if (axis == Axis::G && spec.extent(role, split) != 1) {
      if (index + 1 == axes.size() || axes[index + 1] != split)
        return Status::unsupported("layout " + text(spec.layout(role), role, spec.rank()) + " of " +
                                   std::string(name(role)) +
                                   ": a driver command has the groups just before the channels they split");
      continue;
    }
    bool batchLetter = axis == Axis::N || (role == Role::W && axis != Axis::C);
    letters += batchLetter ? 'N' : 'C';
  }
  return letters;
}

Expected<std::string> driverLayout(const ConvSpec &spec, Role role, int rank) {
  auto letters = longLetters(spec, role, rank);
  if (!letters)
    return letters;
  for (std::string_view known : {"NCH", "NCHW", "NHWC", "CHWN", "NCDHW", "NDHWC"}) {
    if (known.size() != static_cast<size_t>(rank) + 2)
      continue;
    std::string rest;
    for (char letter : known)
      if (letters->find(letter) != std::string::npos)
        rest += letter;
    if (rest == *letters)
      return std::string(known);
  }
  std::string ones;
  for (char letter : defaultLayout(rank))
    if (letters->find(letter) == std::string::npos)
      ones += letter;
  return ones + *letters;
}

} // namespace orzo
