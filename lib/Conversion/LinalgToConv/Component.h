// Component: root dims that share loops, and the linear relation among their indices. See Relation.h.
#pragma once

#include "Conversion/LinalgToConv/Access.h"

#include <array>

namespace orzo {

/// One dim of a root tensor, or one digit of such a dim.
struct RootDim {
  int tensor = 0; ///< 0 a, 1 b, 2 out.
  int source = 0; ///< Dim of the root.
  int64_t extent = 1;
  IndexExpr index;
};

/// c[0]*ia + c[1]*ib + c[2]*io == constant, for all indices inside of the tensors. A tensor without a dim here has
/// coefficient 0, dim -1 and extent 1.
struct Component {
  std::array<int, 3> dims = {-1, -1, -1}; ///< Into the list of root dims.
  std::array<int64_t, 3> extents = {1, 1, 1};
  std::array<int64_t, 3> coefficients = {0, 0, 0};
  int64_t constant = 0;
  std::array<int64_t, 3> fixed = {0, 0, 0}; ///< Where no loop is left: the one index of each; not 0 is outside.
  bool isAxis = false;                      ///< One loop is the index itself wherever the component is.
};

/// Groups `dims` by the loops they share and finds each group's relation; digits of a dim are taken apart (`dims` then
/// has one entry per digit, in order).
OrRefusal<std::vector<Component>> findComponents(Loops loops, std::vector<RootDim> &dims, mlir::Location location);

} // namespace orzo
