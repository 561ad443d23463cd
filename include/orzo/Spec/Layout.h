// Layout: the order of a tensor's dims in memory.
#pragma once

#include "orzo/Support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orzo {

/// The three tensors of a convolution. A gradient has the role of the tensor it is the gradient of.
enum class Role : uint8_t { X, W, Y };

/// "x", "w", "y".
std::string_view name(Role role);

/// The index letters of the relation, free of any tensor's spelling: S0..S2 is "the i-th spatial dim" in every role
/// (h in x, r in w, p in y).
enum class Axis : uint8_t { N, G, C, K, S0, S1, S2 };

inline Axis spatialAxis(int dim) { return static_cast<Axis>(static_cast<int>(Axis::S0) + dim); }
inline bool isSpatial(Axis axis) { return axis >= Axis::S0; }
inline int spatialIndex(Axis axis) { return static_cast<int>(axis) - static_cast<int>(Axis::S0); }

/// A dimension order, outermost first.
using Layout = std::vector<Axis>;

/// The letter of `axis` in `role` of a problem with `rank` spatial dims: n c g k, and for the spatial dims
/// h / hw / dhw in x, r / rs / trs in w, p / pq / zpq in y.
char letter(Role role, Axis axis, int rank);

/// `layout` in letters, e.g. "nhwc".
std::string text(const Layout &layout, Role role, int rank);

/// The reverse of text(). InvalidArgument names the letter that is unknown or repeated and lists those that `role` has.
Expected<Layout> parseLayout(std::string_view letters, Role role, int rank);

/// The axes that `role` has in a problem of `rank` spatial dims with groups: x: N G C S*, w: G K C S*, y: N G K S*.
std::vector<Axis> axesOf(Role role, int rank);

} // namespace orzo
