#include "Reference/Evaluate.h"

#include "Reference/Nest.h"
#include "Reference/ParallelRanges.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>
#include <tuple>

namespace orzo::reference {

static constexpr int64_t lanesAtOnce = 32;

/// Adds outer steps [outer, outer + steps) of a row's lanes [lane, lane + count) to value[at(i)], and their squares to
/// spread[at(i)]; the last steps turn the sum of squares into the spread.
template <typename At>
static void addLanes(const Row &row, int64_t outer, int64_t steps, int64_t lane, int64_t count, double *value,
                     double *spread, At at) {
  double sums[lanesAtOnce], squares[lanesAtOnce];
  Row part = row;
  part.a += outer * row.aOuter;
  part.b += outer * row.bOuter;
  part.outerCount = steps;
  rowSum(part, lane, count, sums, spread ? squares : nullptr);
  auto terms = static_cast<double>(row.terms());
  bool last = outer + steps == row.outerCount;
  for (int64_t i = 0; i < count; ++i) {
    value[at(i)] = (outer ? value[at(i)] : 0) + sums[i];
    if (!spread)
      continue;
    double total = (outer ? spread[at(i)] : 0) + squares[i];
    spread[at(i)] = last ? std::sqrt(terms * total) : total;
  }
}

void evaluateOperands(const ConvSpec &spec, const Operand &a, const Operand &b, double *value, double *spread,
                      int threads) {
  NestAxes axes = nestAxes(spec);
  Nest nest(spec, axes, a, b);
  int64_t work = std::max<int64_t>(1, reductionLength(spec) * nest.laneCount());
  // All rows of a wgrad read the same lanes of b: a few images at a time, so that these stay in cache.
  int64_t outerCount = axes.reduced == Axis::N ? spec.n : 1;
  int64_t pairsAbout = std::max<int64_t>(1, reductionLength(spec) / std::max<int64_t>(1, spec.n));
  int64_t steps = axes.reduced == Axis::N ? std::max<int64_t>(1, 1024 / pairsAbout) : 1;
  parallelRanges(nest.rowCount(), 100000 / work + 1, threads, [&](int64_t begin, int64_t end) {
    std::vector<Pair> pairs;
    int64_t key = -1, outer = 0;
    do {
      int64_t now = std::min(steps, outerCount - outer);
      // Lanes outside of rows, for the same reason.
      for (int64_t lane = 0; lane < nest.laneCount(); lane += lanesAtOnce)
        for (int64_t index = begin; index < end; ++index) {
          int64_t offset = nest.resultOffset(index) + lane * nest.resultLane();
          addLanes(nest.row(index, pairs, key), outer, now, lane, std::min(lanesAtOnce, nest.laneCount() - lane), value,
                   spread, [&](int64_t i) { return offset + i * nest.resultLane(); });
        }
      outer += now;
    } while (outer < outerCount);
  });
}

static Operand widenFor(const ConvSpec &spec, Role role, const Tensors &tensors, int threads) {
  return widen(spec, role, operandOrder(spec, role), tensors[static_cast<int>(role)], Rows::Staggered, threads);
}

void evaluate(const ConvSpec &spec, const Tensors &tensors, double *value, double *spread, int threads) {
  NestAxes axes = nestAxes(spec);
  Operand a = widenFor(spec, axes.a, tensors, threads), b = widenFor(spec, axes.b, tensors, threads);
  evaluateOperands(spec, a, b, value, spread, threads);
}

void sample(const ConvSpec &spec, const Tensors &tensors, std::span<const int64_t> elements, double *value,
            double *spread, int threads) {
  NestAxes axes = nestAxes(spec);
  Operand a = widenFor(spec, axes.a, tensors, threads), b = widenFor(spec, axes.b, tensors, threads);
  sampleOperands(spec, a, b, elements, value, spread, threads);
}

void sampleOperands(const ConvSpec &spec, const Operand &a, const Operand &b, std::span<const int64_t> elements,
                    double *value, double *spread, int threads) {
  Nest nest(spec, nestAxes(spec), a, b);
  struct Wanted {
    int64_t row, lane, position;
  };
  std::vector<Wanted> wanted;
  for (size_t position = 0; position < elements.size(); ++position) {
    auto [row, lane] = nest.locate(elements[position]);
    wanted.push_back({row, lane, static_cast<int64_t>(position)});
  }
  std::sort(wanted.begin(), wanted.end(), [](const Wanted &left, const Wanted &right) {
    return std::tie(left.row, left.lane, left.position) < std::tie(right.row, right.lane, right.position);
  });
  parallelRanges(static_cast<int64_t>(wanted.size()), 1, threads, [&](int64_t begin, int64_t end) {
    std::vector<Pair> pairs;
    int64_t key = -1;
    while (begin < end) {
      // A run of consecutive lanes of one row is one pass over the operands.
      int64_t count = 1;
      while (begin + count < end && count < lanesAtOnce && wanted[begin + count].row == wanted[begin].row &&
             wanted[begin + count].lane == wanted[begin].lane + count)
        ++count;
      Row row = nest.row(wanted[begin].row, pairs, key);
      addLanes(row, 0, row.outerCount, wanted[begin].lane, count, value, spread,
               [&](int64_t i) { return wanted[begin + i].position; });
      begin += count;
    }
  });
}

int64_t reductionLength(const ConvSpec &spec) {
  int64_t length = spec.direction == Direction::FProp   ? spec.c / spec.groups
                   : spec.direction == Direction::DGrad ? spec.k / spec.groups
                                                        : spec.n;
  for (const SpatialDim &dim : spec.spatial)
    length *= spec.direction == Direction::WGrad ? dim.out : dim.filter;
  return length;
}

double estimateSeconds(const ConvSpec &spec, int threads) {
  double products = static_cast<double>(spec.flopsUseful()) / 2;
  NestAxes axes = nestAxes(spec);
  int64_t lanes = spec.extent(resultRole(spec.direction), axes.lane);
  int64_t reduced = axes.reduced == Axis::N ? 1 : spec.extent(axes.a, axes.reduced);
  // Measured on an x86 core with AVX-512; the squares are free, the sums wait for memory.
  double nanoseconds = lanes >= 32 ? 0.22 : lanes >= 8 ? 0.35 : reduced >= 16 ? 0.2 : 1.5;
  double rows = static_cast<double>(spec.elementCount(resultRole(spec.direction))) / static_cast<double>(lanes);
  double elements = 0;
  for (Role role : {Role::X, Role::W, Role::Y})
    elements += static_cast<double>(spec.elementCount(role));
  if (threads <= 0)
    threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return (products * nanoseconds + rows * 120 + elements * 6) * 1e-9 / threads;
}

} // namespace orzo::reference
