#include "Measure/Samples.h"

#include "Reference/Evaluate.h"
#include "Reference/Nest.h"

#include <algorithm>
#include <array>
#include <random>

namespace orzo {

namespace {

/// Draws elements of the result under conditions on some of its axes.
class Sampler {
public:
  Sampler(const ConvSpec &spec, uint64_t seed)
      : spec(spec), role(resultRole(spec.direction)), lane(reference::nestAxes(spec).lane), random(seed) {
    for (Axis axis : spec.layout(role))
      if (spec.extent(role, axis) > 1)
        axes.push_back(axis);
  }

  int64_t below(int64_t bound) { return static_cast<int64_t>(random() % static_cast<uint64_t>(bound)); }

  std::array<int64_t, 7> drawIndex() {
    std::array<int64_t, 7> index = {};
    for (Axis axis : axes)
      index[static_cast<int>(axis)] = below(spec.extent(role, axis));
    return index;
  }

  void add(const std::array<int64_t, 7> &index) {
    int64_t element = 0;
    for (Axis axis : axes)
      element += index[static_cast<int>(axis)] * spec.elementStride(role, axis);
    elements.push_back(element);
  }

  void addCorners() {
    for (uint64_t corner = 0; corner < uint64_t(1) << axes.size(); ++corner) {
      std::array<int64_t, 7> index = {};
      for (size_t i = 0; i < axes.size(); ++i)
        if (corner >> i & 1)
          index[static_cast<int>(axes[i])] = spec.extent(role, axes[i]) - 1;
      add(index);
    }
  }

  void addFaces(int64_t each) {
    for (Axis axis : axes)
      for (int64_t i = 0; isSpatial(axis) && i < each; ++i)
        for (bool high : {false, true}) {
          std::array<int64_t, 7> index = drawIndex();
          int64_t extent = spec.extent(role, axis);
          int64_t depth = below(std::min<int64_t>(extent, 3)); // The face itself and the two layers inside it.
          index[static_cast<int>(axis)] = high ? extent - 1 - depth : depth;
          add(index);
        }
  }

  void addResidues(int64_t each) {
    int64_t combinations = 1;
    for (int dim = 0; dim < spec.rank(); ++dim)
      combinations *= residues(dim);
    for (int64_t i = 0; i < std::min<int64_t>(combinations, 1024) * each; ++i) {
      int64_t combination = combinations <= 1024 ? i / each : below(combinations);
      std::array<int64_t, 7> index = drawIndex();
      for (int dim = 0; dim < spec.rank(); ++dim) {
        int64_t residue = combination % residues(dim), stride = spec.spatial[dim].stride;
        int64_t extent = spec.extent(role, spatialAxis(dim));
        index[static_cast<int>(spatialAxis(dim))] = residue + below((extent - residue + stride - 1) / stride) * stride;
        combination /= residues(dim);
      }
      add(index);
    }
  }

  void addRun(int64_t length) {
    std::array<int64_t, 7> index = drawIndex();
    int64_t extent = spec.extent(role, lane);
    int64_t first = std::max<int64_t>(0, std::min(index[static_cast<int>(lane)], extent - length));
    for (int64_t i = first; i < std::min(extent, first + length); ++i) {
      index[static_cast<int>(lane)] = i;
      add(index);
    }
  }

  int64_t distinct() {
    std::sort(elements.begin(), elements.end());
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    return static_cast<int64_t>(elements.size());
  }

  std::vector<int64_t> elements;

private:
  int64_t residues(int dim) const { return std::min(spec.spatial[dim].stride, spec.extent(role, spatialAxis(dim))); }

  const ConvSpec &spec;
  Role role;
  Axis lane;
  std::vector<Axis> axes;
  std::mt19937_64 random;
};

} // namespace

std::vector<int64_t> chooseSamples(const ConvSpec &spec, int64_t count, uint64_t seed) {
  Sampler sampler(spec, seed);
  int64_t all = spec.elementCount(resultRole(spec.direction));
  if (all <= 2 * count) {
    for (int64_t element = 0; element < all; ++element)
      sampler.elements.push_back(element);
    return sampler.elements;
  }
  sampler.addCorners();
  sampler.addFaces(64);
  sampler.addResidues(4);
  int64_t run = reference::reductionLength(spec) > 16384 ? 32 : 1;
  for (int64_t have = sampler.distinct(); have < count; have = sampler.distinct())
    for (int64_t added = have; added < count; added += run)
      sampler.addRun(run);
  return sampler.elements;
}

std::string describeElement(const ConvSpec &spec, Role role, int64_t element) {
  std::string words;
  for (Axis axis : spec.layout(role)) {
    int64_t extent = spec.extent(role, axis);
    if (extent == 1)
      continue;
    words += (words.empty() ? "" : " ") + std::string(1, letter(role, axis, spec.rank())) +
             std::to_string(element / spec.elementStride(role, axis) % extent);
  }
  return words.empty() ? "the only element" : words;
}

} // namespace orzo
