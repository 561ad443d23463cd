// What the samples share: errors end the program, random contents, and a convolution in loops to compare with.
#pragma once
#include "orzo/Api/Graph.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace orzo::graph;

inline void check(const Status &status) {
  if (status.ok())
    return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::exit(1);
}

template <typename T> T check(Expected<T> value) {
  check(value.status());
  return value.take();
}

/// `count` values from -1 to 1.
template <typename T> std::vector<T> randomValues(int64_t count) {
  static std::mt19937 random(1); // NOLINT(bugprone-random-generator-seed): the same on every machine.
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<T> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(T(uniform(random)));
  return values;
}

/// A buffer with those values.
template <typename T> std::shared_ptr<Buffer> bufferOf(const Handle &handle, const std::vector<T> &values) {
  return std::make_shared<Buffer>(check(Buffer::allocate(handle, {static_cast<int64_t>(values.size())}, values)));
}

/// A square convolution, everything channels last: x is n h h c, w is k f f c, y is n p p k.
struct Square {
  int64_t n, c, k, h, f, p, stride, padding;

  TensorAttr x(const char *name) const { return image(name, c, h); }
  TensorAttr y(const char *name) const { return image(name, k, p); }
  TensorAttr w(const char *name) const {
    return TensorAttr().setName(name).setDim({k, c, f, f}).setStride({f * f * c, 1, f * c, c});
  }
  TensorAttr image(const char *name, int64_t channels, int64_t extent) const {
    return TensorAttr()
        .setName(name)
        .setDim({n, channels, extent, extent})
        .setStride({extent * extent * channels, 1, extent * channels, channels});
  }

  /// Calls body(x, w, y) with the elements of every product.
  template <typename Body> void forEachProduct(Body body) const {
    for (int64_t at = 0; at < n * p * p * f * f; ++at) {
      int64_t s = at % f, r = at / f % f, q = at / (f * f) % p, row = at / (f * f * p) % p,
              image = at / (f * f * p * p);
      int64_t i = row * stride + r - padding, j = q * stride + s - padding;
      if (i < 0 || i >= h || j < 0 || j >= h)
        continue;
      for (int64_t out = 0; out < k; ++out)
        for (int64_t in = 0; in < c; ++in)
          body(((image * h + i) * h + j) * c + in, ((out * f + r) * f + s) * c + in,
               ((image * p + row) * p + q) * k + out);
    }
  }
};

/// How many of the buffer's elements are further than 1e-4 (of their size, or of 1) from `expected`; says so.
inline int wrongIn(const char *name, const Handle &handle, const Buffer &buffer, const std::vector<double> &expected) {
  std::vector<float> values;
  check(buffer.read(handle, values));
  int wrong = values.size() != expected.size();
  for (size_t i = 0; i < std::min(values.size(), expected.size()); ++i)
    wrong += !(std::abs(values[i] - expected[i]) <= 1e-4 * std::max(1.0, std::abs(expected[i])));
  std::printf("%-3s %d of %zu elements are wrong\n", name, wrong, expected.size());
  return wrong;
}
