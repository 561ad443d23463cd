#include "orzo/Spec/Layout.h"

#include <algorithm>

namespace orzo {

std::string_view name(Role role) {
  switch (role) {
  case Role::X:
    return "x";
  case Role::W:
    return "w";
  case Role::Y:
    break;
  }
  return "y";
}

/// The spatial letters of `role`, outermost first, for the highest rank; lower ranks use the last ones, but for rank 1,
/// which uses the middle letter (h, r, p).
static std::string_view spatialLetters(Role role, int rank) {
  std::string_view all = role == Role::X ? "dhw" : role == Role::W ? "trs" : "zpq";
  return rank == 1 ? all.substr(1, 1) : all.substr(3 - rank);
}

char letter(Role role, Axis axis, int rank) {
  switch (axis) {
  case Axis::N:
    return 'n';
  case Axis::G:
    return 'g';
  case Axis::C:
    return 'c';
  case Axis::K:
    return 'k';
  default:
    return spatialLetters(role, rank)[spatialIndex(axis)];
  }
}

std::string text(const Layout &layout, Role role, int rank) {
  std::string letters;
  for (Axis axis : layout)
    letters += letter(role, axis, rank);
  return letters;
}

std::vector<Axis> axesOf(Role role, int rank) {
  std::vector<Axis> axes;
  if (role == Role::X)
    axes = {Axis::N, Axis::G, Axis::C};
  else if (role == Role::W)
    axes = {Axis::G, Axis::K, Axis::C};
  else
    axes = {Axis::N, Axis::G, Axis::K};
  for (int dim = 0; dim < rank; ++dim)
    axes.push_back(spatialAxis(dim));
  return axes;
}

Expected<Layout> parseLayout(std::string_view letters, Role role, int rank) {
  std::vector<Axis> axes = axesOf(role, rank);
  std::string known;
  for (Axis axis : axes)
    known += letter(role, axis, rank);
  Layout layout;
  for (char spelled : letters) {
    size_t position = known.find(spelled);
    if (position == std::string::npos)
      return Status::invalidArgument("layout '" + std::string(letters) + "' of " + std::string(name(role)) +
                                     " has the letter '" + spelled + "'; it may have " + known);
    if (std::find(layout.begin(), layout.end(), axes[position]) != layout.end())
      return Status::invalidArgument("layout '" + std::string(letters) + "' of " + std::string(name(role)) +
                                     " has the letter '" + spelled + "' twice");
    layout.push_back(axes[position]);
  }
  return layout;
}

} // namespace orzo
