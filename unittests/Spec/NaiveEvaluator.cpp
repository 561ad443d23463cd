#include "NaiveEvaluator.h"

#include <algorithm>

namespace orzo::test {

static int64_t extentOf(const ConvSpec &spec, Role role, Axis axis) {
  if (axis == Axis::N)
    return spec.n;
  if (axis == Axis::G)
    return spec.groups;
  if (axis == Axis::C)
    return spec.c / spec.groups;
  if (axis == Axis::K)
    return spec.k / spec.groups;
  const SpatialDim &dim = spec.spatial[int(axis) - int(Axis::S0)];
  return role == Role::X ? dim.in : role == Role::W ? dim.filter : dim.out;
}

static std::array<int64_t, 7> stridesOf(const ConvSpec &spec, Role role) {
  std::array<int64_t, 7> strides{};
  int64_t stride = 1;
  const Layout &layout = spec.layouts[int(role)];
  for (size_t i = layout.size(); i-- > 0;) {
    strides[int(layout[i])] = stride;
    stride *= extentOf(spec, role, layout[i]);
  }
  return strides;
}

int64_t naiveCount(const ConvSpec &spec, Role role) {
  int64_t count = role == Role::W ? spec.c / spec.groups * spec.k : spec.n * (role == Role::X ? spec.c : spec.k);
  for (const SpatialDim &dim : spec.spatial)
    count *= role == Role::X ? dim.in : role == Role::W ? dim.filter : dim.out;
  return count;
}

Bytes randomTensor(const ConvSpec &spec, Role role, std::mt19937 &random) {
  DataType type = spec.types[int(role)];
  int64_t count = naiveCount(spec, role);
  Bytes bytes(count * byteSize(type));
  std::uniform_int_distribution<int> value(-4, 4);
  for (int64_t i = 0; i < count; ++i)
    storeElement(bytes.data(), i, type, value(random));
  return bytes;
}

std::vector<double> widened(const Bytes &bytes, DataType type) {
  std::vector<double> values(bytes.size() / byteSize(type));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = loadElement(bytes.data(), int64_t(i), type);
  return values;
}

/// Calls visit(x index, w index, y index) for every product of the problem.
template <typename Visit> static void forEachProduct(const ConvSpec &spec, Visit visit) {
  auto sx = stridesOf(spec, Role::X), sw = stridesOf(spec, Role::W), sy = stridesOf(spec, Role::Y);
  auto spatial = [&](auto &self, int i, int64_t x, int64_t w, int64_t y) -> void {
    if (i == int(spec.spatial.size()))
      return visit(x, w, y);
    const SpatialDim &dim = spec.spatial[i];
    int axis = int(Axis::S0) + i;
    for (int64_t p = 0; p < dim.out; ++p)
      for (int64_t r = 0; r < dim.filter; ++r) {
        int64_t h = dim.stride * p + dim.dilation * r - dim.padLow;
        if (h < 0 || h >= dim.in)
          continue;
        int64_t stored = dim.flip ? dim.filter - 1 - r : r;
        self(self, i + 1, x + h * sx[axis], w + stored * sw[axis], y + p * sy[axis]);
      }
  };
  for (int64_t n = 0; n < spec.n; ++n)
    for (int64_t g = 0; g < spec.groups; ++g)
      for (int64_t c = 0; c < spec.c / spec.groups; ++c)
        for (int64_t k = 0; k < spec.k / spec.groups; ++k) {
          auto at = [&](const std::array<int64_t, 7> &s, int64_t n, int64_t c, int64_t k) {
            return n * s[int(Axis::N)] + g * s[int(Axis::G)] + c * s[int(Axis::C)] + k * s[int(Axis::K)];
          };
          spatial(spatial, 0, at(sx, n, c, 0), at(sw, 0, c, k), at(sy, n, 0, k));
        }
}

Bytes evaluate(const ConvSpec &spec, const std::array<Bytes, 3> &tensors) {
  int result = spec.direction == Direction::FProp ? 2 : spec.direction == Direction::DGrad ? 0 : 1;
  std::array<std::vector<double>, 3> values;
  for (int tensor = 0; tensor < 3; ++tensor)
    values[tensor] = tensor == result ? std::vector<double>(naiveCount(spec, Role(tensor)), 0.0)
                                      : widened(tensors[tensor], spec.types[tensor]);
  forEachProduct(spec, [&](int64_t x, int64_t w, int64_t y) {
    if (result == 2)
      values[2][y] += values[0][x] * values[1][w];
    else if (result == 0)
      values[0][x] += values[2][y] * values[1][w];
    else
      values[1][w] += values[0][x] * values[2][y];
  });
  Bytes bytes(values[result].size() * byteSize(spec.types[result]));
  for (size_t i = 0; i < values[result].size(); ++i)
    storeElement(bytes.data(), int64_t(i), spec.types[result], values[result][i] + 0.0); // -0 as +0
  return bytes;
}

int64_t naiveProducts(const ConvSpec &spec) {
  int64_t products = 0;
  forEachProduct(spec, [&](int64_t, int64_t, int64_t) { ++products; });
  return products;
}

} // namespace orzo::test
