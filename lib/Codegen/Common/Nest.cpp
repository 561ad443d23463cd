#include "Codegen/Common/Nest.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace orzo {

static int64_t product(const std::vector<int64_t> &extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t(1), std::multiplies<>());
}

int64_t Nest::batchCount() const { return product(batchExtents); }
int64_t Nest::rows(const NestPhase &phase) const { return product(phase.m); }
int64_t Nest::columns(const NestPhase &phase) const { return product(phase.n); }
int64_t Nest::depth(const NestPhase &phase) const { return product(phase.k); }

static int64_t maximum(const Nest &nest, int64_t (Nest::*count)(const NestPhase &) const) {
  int64_t most = 0;
  for (const NestPhase &phase : nest.phases)
    most = std::max(most, (nest.*count)(phase));
  return most;
}

int64_t Nest::maxRows() const { return maximum(*this, &Nest::rows); }
int64_t Nest::maxColumns() const { return maximum(*this, &Nest::columns); }
int64_t Nest::maxDepth() const { return maximum(*this, &Nest::depth); }

namespace {

/// One loop dim on its way into a nest: its strides by role, and its extent in every phase.
struct LoopDim {
  NestDim strides; // lhs, rhs, out as the roles the builder was given; swapped later with them.
  std::vector<int64_t> extents;
};

/// Drops dims of extent 1 in all phases, orders m and n by the result's memory and k by the operands', and makes n the
/// side that holds the result's innermost dim.
class NestBuilder {
public:
  std::vector<LoopDim> batch, m, n, k;
  std::vector<NestPhase> phases; // Bases only.
  Nest nest;

  Nest build() {
    for (std::vector<LoopDim> *dims : {&batch, &m, &n, &k})
      std::erase_if(*dims, [](const LoopDim &dim) {
        return std::all_of(dim.extents.begin(), dim.extents.end(), [](int64_t extent) { return extent == 1; });
      });
    for (std::vector<LoopDim> *dims : {&batch, &m, &n})
      order(*dims, [](const LoopDim &dim) { return std::pair(dim.strides.out, int64_t(0)); });
    if (innermost(m) < innermost(n))
      swapSides();
    order(k, [](const LoopDim &dim) { return std::pair(std::abs(dim.strides.lhs), std::abs(dim.strides.rhs)); });
    place(batch, nest.batch, nullptr);
    for (const LoopDim &dim : batch)
      nest.batchExtents.push_back(dim.extents.front());
    nest.phases = phases;
    place(m, nest.m, &NestPhase::m);
    place(n, nest.n, &NestPhase::n);
    place(k, nest.k, &NestPhase::k);
    return std::move(nest);
  }

private:
  static void order(std::vector<LoopDim> &dims, auto key) {
    std::stable_sort(dims.begin(), dims.end(), [&](const LoopDim &a, const LoopDim &b) { return key(a) > key(b); });
  }

  /// The result stride of the innermost dim; a side without dims has one row, infinitely far from the next.
  static int64_t innermost(const std::vector<LoopDim> &dims) {
    return dims.empty() ? INT64_MAX : dims.back().strides.out;
  }

  void swapSides() {
    std::swap(m, n);
    for (std::vector<LoopDim> *dims : {&batch, &m, &n, &k})
      for (LoopDim &dim : *dims)
        std::swap(dim.strides.lhs, dim.strides.rhs);
    for (NestPhase &phase : phases)
      std::swap(phase.lhsBase, phase.rhsBase);
    std::swap(nest.lhs, nest.rhs);
    std::swap(nest.lhsType, nest.rhsType);
    if (nest.padded != Nest::Padded::None)
      nest.padded = nest.padded == Nest::Padded::Lhs ? Nest::Padded::Rhs : Nest::Padded::Lhs;
  }

  void place(const std::vector<LoopDim> &dims, std::vector<NestDim> &target, std::vector<int64_t> NestPhase::*extents) {
    for (const LoopDim &dim : dims) {
      target.push_back(dim.strides);
      if (extents)
        for (size_t phase = 0; phase < nest.phases.size(); ++phase)
          (nest.phases[phase].*extents).push_back(dim.extents[phase]);
    }
  }
};

/// Fills a NestBuilder from the relation: the padded operand `in`, the filter-like operand and the result by role.
class ConvNest {
public:
  explicit ConvNest(const ConvSpec &spec)
      : spec(spec), isWgrad(spec.direction == Direction::WGrad), table(isWgrad ? wgradTaps(spec) : phases(spec)) {
    // The padded operand is the one whose index is a sum: x of fprop and wgrad, y of dgrad.
    input = spec.direction == Direction::DGrad ? Role::Y : Role::X;
    other = isWgrad ? Role::Y : Role::W;
    result = resultRole(spec.direction);
  }

  Nest build() {
    // wgrad's rows come from y and its columns from x; elsewhere the rows are the padded operand's.
    builder.nest.lhs = isWgrad ? other : input;
    builder.nest.rhs = isWgrad ? input : other;
    builder.nest.out = result;
    builder.nest.lhsType = spec.type(builder.nest.lhs);
    builder.nest.rhsType = spec.type(builder.nest.rhs);
    builder.nest.outType = spec.type(result);
    count = table.phaseCount();
    builder.phases.resize(count);
    addBatchAndChannels();
    for (int dim = 0; dim < spec.rank(); ++dim)
      addSpatial(dim);
    bool bounded = !builder.nest.coordinateExtents.empty();
    builder.nest.padded = !bounded ? Nest::Padded::None : isWgrad ? Nest::Padded::Rhs : Nest::Padded::Lhs;
    return builder.build();
  }

private:
  LoopDim loop(Axis axis, Role role) const {
    LoopDim dim;
    dim.strides.lhs = spec.elementStride(builder.nest.lhs, axis);
    dim.strides.rhs = spec.elementStride(builder.nest.rhs, axis);
    dim.strides.out = spec.elementStride(result, axis);
    dim.extents.assign(count, spec.extent(role, axis));
    return dim;
  }

  void addBatchAndChannels() {
    builder.batch.push_back(loop(Axis::G, Role::X));
    LoopDim batch = loop(Axis::N, Role::X), c = loop(Axis::C, Role::X), k = loop(Axis::K, Role::Y);
    switch (spec.direction) {
    case Direction::FProp:
      builder.m.push_back(batch), builder.n.push_back(k), builder.k.push_back(c);
      break;
    case Direction::DGrad:
      builder.m.push_back(batch), builder.n.push_back(c), builder.k.push_back(k);
      break;
    case Direction::WGrad:
      builder.m.push_back(k), builder.n.push_back(c), builder.k.push_back(batch);
      break;
    }
  }

  /// Whether some phase's (i, t) leave the padded operand along `dim`.
  bool isBounded(const DimPhases &dim, int64_t extent) const {
    for (const DimPhase &phase : dim.phases) {
      if (phase.tapCount == 0 || phase.extent == 0)
        continue;
      int64_t lastTap = phase.offsetBegin + (phase.tapCount - 1) * dim.offsetStep;
      int64_t low = std::min(phase.offsetBegin, lastTap), high = std::max(phase.offsetBegin, lastTap);
      if (low < 0 || high + (phase.extent - 1) * dim.inStride >= extent)
        return true;
    }
    return false;
  }

  void addSpatial(int index) {
    const DimPhases &dim = table.dims[index];
    Axis axis = spatialAxis(index);
    int64_t inStride = spec.elementStride(input, axis), otherStride = spec.elementStride(other, axis);
    int64_t resultStride = spec.elementStride(result, axis);
    bool inputIsLhs = !isWgrad;

    LoopDim position, tap; // i and t of Phases.h.
    (inputIsLhs ? position.strides.lhs : position.strides.rhs) = dim.inStride * inStride;
    (inputIsLhs ? tap.strides.lhs : tap.strides.rhs) = dim.offsetStep * inStride;
    if (isWgrad) {
      position.strides.lhs = otherStride;           // y[p]
      tap.strides.out = dim.tapStep * resultStride; // w[r]
    } else {
      tap.strides.rhs = dim.tapStep * otherStride; // w[tap(t)]
      position.strides.out = dim.outStride * resultStride;
    }
    if (isBounded(dim, spec.extent(input, axis))) {
      size_t coordinate = builder.nest.coordinateExtents.size();
      builder.nest.coordinateExtents.push_back(spec.extent(input, axis));
      position.strides.coordinate[coordinate] = dim.inStride;
      tap.strides.coordinate[coordinate] = dim.offsetStep;
      forEachPhase(
          index, [&](NestPhase &phase, const DimPhase &part) { phase.coordinateBase[coordinate] = part.offsetBegin; });
    }
    forEachPhase(index, [&](NestPhase &phase, const DimPhase &part) {
      position.extents.push_back(part.extent);
      tap.extents.push_back(part.tapCount);
      (inputIsLhs ? phase.lhsBase : phase.rhsBase) += part.offsetBegin * inStride;
      if (isWgrad) {
        phase.outBase += part.tapBegin * resultStride;
      } else {
        phase.rhsBase += part.tapBegin * otherStride;
        phase.outBase += part.outBegin * resultStride;
      }
    });
    (isWgrad ? builder.k : builder.m).push_back(position);
    (isWgrad ? builder.n : builder.k).push_back(tap);
  }

  void forEachPhase(int dim, auto visit) {
    for (int64_t index = 0; index < count; ++index)
      visit(builder.phases[index], table.phase(index)[dim]);
  }

  const ConvSpec &spec;
  bool isWgrad;
  PhaseTable table;
  Role input, other, result;
  int64_t count = 1;
  NestBuilder builder;
};

} // namespace

Nest nestOf(const ConvSpec &spec) { return ConvNest(spec).build(); }

Nest nestOf(const Contraction &contraction, DataType lhs, DataType rhs, DataType out) {
  assert(!contraction.hasZeroTail && "a contraction with a zero tail is lowered as an implicit GEMM");
  NestBuilder builder;
  builder.phases.resize(1);
  auto add = [](std::vector<LoopDim> &target, const std::vector<ContractionDim> &dims) {
    for (const ContractionDim &dim : dims)
      target.push_back({{dim.lhs, dim.rhs, dim.out, {}}, {dim.extent}});
  };
  add(builder.batch, contraction.batch);
  add(builder.m, contraction.m);
  add(builder.n, contraction.n);
  add(builder.k, contraction.k);
  builder.nest.lhs = contraction.lhs;
  builder.nest.rhs = contraction.rhs;
  builder.nest.out = contraction.out;
  builder.nest.lhsType = lhs;
  builder.nest.rhsType = rhs;
  builder.nest.outType = out;
  return builder.build();
}

} // namespace orzo
