// ConvSpec: what a convolution is.
//
// A convolution is the relation, per spatial dim,
//
//     h = stride * p + dilation * r - padLow
//
// among three tensors: x (indexed by n, c, h), w (k, c, r) and y (n, k, p). One of the three is the result, summed
// over what it does not index:
//
//     fprop   y[n,k,p]  = sum over c, r of  x[n,c,h] * w[k,c,r]
//     dgrad   x[n,c,h]  = sum over k, r, p of  y[n,k,p] * w[k,c,r]      (for those p, r that give this h)
//     wgrad   w[k,c,r]  = sum over n, p of  y[n,k,p] * x[n,c,h]
//
// with x read as 0 where h is outside [0, in). Gradients are named by the tensor they belong to: dgrad's result dx is
// "x" here. Channels are split into `groups` equal groups; group g's x channels meet only group g's y channels.
// Where `flip` is set, w is stored mirrored along that dim: element r above lives at index filter-1-r.
//
// padHigh is not a parameter: it follows from the extents (SpatialDim::padHigh) and may be negative.
#pragma once

#include "orzo/Spec/Layout.h"
#include "orzo/Support/DataType.h"
#include "orzo/Support/Status.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orzo {

enum class Direction : uint8_t { FProp, DGrad, WGrad };

/// "fprop", "dgrad", "wgrad".
std::string_view name(Direction direction);

/// The tensor that `direction` computes: Y, X, W.
Role resultRole(Direction direction);

/// The two tensors `direction` reads, in role order (X before W before Y).
std::array<Role, 2> operandRoles(Direction direction);

struct SpatialDim {
  int64_t in = 1;     ///< Extent in x (H).
  int64_t filter = 1; ///< Extent in w (R).
  int64_t out = 1;    ///< Extent in y (P).
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t padLow = 0; ///< May be negative (leading rows of x never read).
  bool flip = false;

  /// (out-1)*stride + (filter-1)*dilation + 1 - in - padLow. Negative: trailing rows of x are never read.
  int64_t padHigh() const { return (out - 1) * stride + (filter - 1) * dilation + 1 - in - padLow; }
  bool operator==(const SpatialDim &) const = default;
};

struct ConvSpec {
  Direction direction = Direction::FProp;
  int64_t n = 1; ///< Batch; 0 is legal (empty fprop and dgrad, zero wgrad).
  int64_t c = 1; ///< Input channels of all groups together.
  int64_t k = 1; ///< Output channels of all groups together.
  int64_t groups = 1;
  std::vector<SpatialDim> spatial; ///< 0 to 3 dims, in the order the axes S0, S1, S2 name them.

  /// Dimension order of x, w and y in memory, outermost first, packed. Indexed by Role. An axis of extent 1 may be
  /// left out; every other axis of the role appears exactly once, G included when groups > 1 (there C and K are the
  /// channels of one group).
  std::array<Layout, 3> layouts;
  std::array<DataType, 3> types = {DataType::F32, DataType::F32, DataType::F32};
  DataType accumulate = DataType::F32;

  int rank() const { return static_cast<int>(spatial.size()); }
  const Layout &layout(Role role) const { return layouts[static_cast<int>(role)]; }
  Layout &layout(Role role) { return layouts[static_cast<int>(role)]; }
  DataType type(Role role) const { return types[static_cast<int>(role)]; }
  DataType &type(Role role) { return types[static_cast<int>(role)]; }

  /// Extent of `axis` in the tensor `role`: C and K are per group; 1 for an axis the role does not have.
  int64_t extent(Role role, Axis axis) const;

  /// Extents in layout order: the shape of the tensor as it lies in memory.
  std::vector<int64_t> shape(Role role) const;

  /// Elements between neighbours along `axis` in `role`; 0 for an axis that its layout leaves out.
  int64_t elementStride(Role role, Axis axis) const;

  /// Elements of the tensor. Only meaningful after validate() succeeded (which bounds it to 2^62).
  int64_t elementCount(Role role) const;
  int64_t byteCount(Role role) const { return elementCount(role) * int64_t(byteSize(type(role))); }

  /// Two per (result element, tap, channel) whose other operand lies inside its tensor.
  int64_t flopsUseful() const;

  /// Two per (result element, tap, channel) that a lowering without inserted zeros visits although the operand lies
  /// outside its tensor: fprop and wgrad, positions of x in the padding; dgrad, positions p outside [0, out).
  int64_t flopsPadding() const;

  bool operator==(const ConvSpec &) const = default;
};

/// Checks the numbered constraints (docs/Spec.md). The first violated one is an InvalidArgument whose message begins
/// with its number, e.g. "C3: ...".
Status validate(const ConvSpec &spec);

/// Rank-generic constructor helper: a spec of `direction` with channels-last layouts (NHWC, KRSC, NPQK), groups placed
/// just before the channels they split (x: n h w g c, w: g k r s c, y: n p q g k).
ConvSpec channelsLast(Direction direction, int64_t n, int64_t c, int64_t k, int64_t groups,
                      std::vector<SpatialDim> spatial, DataType type);

} // namespace orzo
