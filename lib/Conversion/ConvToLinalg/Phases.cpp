#include "Conversion/ConvToLinalg/Forms.h"

#include "orzo/Spec/Phases.h"

#include <algorithm>

using namespace mlir;

namespace orzo {

namespace {

/// Loops of one product: the result's axes in its order, then K.
class PhaseBuilder {
public:
  PhaseBuilder(LinalgBuilder &linalg, const ConvSpec &spec, const RoleValues &tensors)
      : linalg(linalg), spec(spec), table(phases(spec)), filter(tensors[int(Role::W)]), output(tensors[int(Role::Y)]) {
    padOutput();
    setMaps();
  }

  Value build() {
    MLIRContext *context = linalg.builder.getContext();
    Type type = conv::elementType(context, spec.type(Role::X));
    // Phases cover every element of the result; those without taps are what is left of the zeros.
    bool hasIdlePhase = false;
    for (const DimPhases &dim : table.dims)
      hasIdlePhase |= llvm::any_of(dim.phases, [](const DimPhase &phase) { return phase.tapCount == 0; });
    Value result = hasIdlePhase ? linalg.zeros(spec.shape(Role::X), type, /*constant=*/false)
                                : linalg.empty(spec.shape(Role::X), type);
    for (int64_t i = 0; i < table.phaseCount(); ++i) {
      std::vector<DimPhase> phase = table.phase(i);
      if (llvm::all_of(phase, [](const DimPhase &dim) { return dim.tapCount > 0; }))
        result = linalg.insert(linalg.round(sumOf(phase), type), result, resultRanges(phase));
    }
    return result;
  }

private:
  /// The phases read y at i + offset: as many zeros in front and behind as they reach beyond it.
  void padOutput() {
    SmallVector<int64_t> low, high;
    for (Axis axis : spec.layout(Role::Y)) {
      int64_t before = 0, after = 0;
      if (isSpatial(axis)) {
        const DimPhases &dim = table.dims[spatialIndex(axis)];
        for (const DimPhase &phase : dim.phases)
          for (int64_t tap = 0; tap < phase.tapCount; ++tap) {
            int64_t offset = phase.offsetBegin + tap * dim.offsetStep;
            before = std::max(before, -offset);
            after = std::max(after, offset + phase.extent - spec.spatial[spatialIndex(axis)].out);
          }
        lows[spatialIndex(axis)] = before;
      }
      low.push_back(before);
      high.push_back(after);
    }
    padded = linalg.pad(output, low, high);
  }

  void setMaps() {
    MLIRContext *context = linalg.builder.getContext();
    const Layout &loops = spec.layout(Role::X);
    // Each tensor's axes as loops. K is the last; of w the taps are gone.
    auto mapOf = [&](Role role) {
      SmallVector<AffineExpr> indices;
      for (Axis axis : spec.layout(role)) {
        if (role == Role::W && isSpatial(axis))
          continue;
        auto found = std::find(loops.begin(), loops.end(), axis);
        bool isLoop = found != loops.end();
        if (axis == Axis::K)
          indices.push_back(linalg.builder.getAffineDimExpr(loops.size()));
        else if (isLoop)
          indices.push_back(linalg.builder.getAffineDimExpr(found - loops.begin()));
        else // An axis of extent 1 that the result leaves out.
          indices.push_back(linalg.builder.getAffineConstantExpr(0));
      }
      return AffineMap::get(loops.size() + 1, 0, indices, context);
    };
    maps = {mapOf(Role::Y), mapOf(Role::W), mapOf(Role::X)};
    iterators.assign(loops.size(), utils::IteratorType::parallel);
    iterators.push_back(utils::IteratorType::reduction);
  }

  SmallVector<DimRange> resultRanges(const std::vector<DimPhase> &phase) const {
    SmallVector<DimRange> ranges;
    for (Axis axis : spec.layout(Role::X)) {
      if (!isSpatial(axis)) {
        ranges.push_back({0, spec.extent(Role::X, axis), 1});
        continue;
      }
      const DimPhase &dim = phase[spatialIndex(axis)];
      ranges.push_back({dim.outBegin, dim.extent, table.dims[spatialIndex(axis)].outStride});
    }
    return ranges;
  }

  Value sumOf(const std::vector<DimPhase> &phase) {
    SmallVector<int64_t> shape;
    for (const DimRange &range : resultRanges(phase))
      shape.push_back(range.size);
    Value sum = linalg.zeros(shape, conv::elementType(linalg.builder.getContext(), spec.accumulate), false);
    std::vector<int64_t> taps(phase.size(), 0);
    while (true) {
      sum = linalg.multiplyAdd(outputSlice(phase, taps), filterSlice(phase, taps), sum, maps, iterators);
      size_t dim = phase.size();
      while (dim-- > 0) {
        if (++taps[dim] < phase[dim].tapCount)
          break;
        taps[dim] = 0;
      }
      if (dim == size_t(-1))
        return sum;
    }
  }

  /// Of y itself where that is possible: not every tap needs the zeros around it.
  Value outputSlice(const std::vector<DimPhase> &phase, const std::vector<int64_t> &taps) {
    SmallVector<DimRange> inside, around;
    bool isInside = true;
    for (Axis axis : spec.layout(Role::Y)) {
      int64_t size = spec.extent(Role::Y, axis);
      DimRange range = {0, size, 1};
      int64_t low = 0;
      if (isSpatial(axis)) {
        int dim = spatialIndex(axis);
        range = {phase[dim].offsetBegin + taps[dim] * table.dims[dim].offsetStep, phase[dim].extent, 1};
        low = lows[dim];
      }
      inside.push_back(range);
      around.push_back({range.offset + low, range.size, 1});
      isInside &= range.offset >= 0 && range.offset + range.size <= size;
    }
    return isInside ? linalg.slice(output, inside) : linalg.slice(padded, around);
  }

  Value filterSlice(const std::vector<DimPhase> &phase, const std::vector<int64_t> &taps) {
    SmallVector<DimRange> ranges;
    SmallVector<bool> drop;
    for (Axis axis : spec.layout(Role::W)) {
      drop.push_back(isSpatial(axis));
      if (!isSpatial(axis)) {
        ranges.push_back({0, spec.extent(Role::W, axis), 1});
        continue;
      }
      int dim = spatialIndex(axis);
      ranges.push_back({phase[dim].tapBegin + taps[dim] * table.dims[dim].tapStep, 1, 1});
    }
    return linalg.slice(filter, ranges, drop);
  }

  LinalgBuilder &linalg;
  const ConvSpec &spec;
  PhaseTable table;
  Value filter, output, padded; ///< `padded` is the output between zeros.
  int64_t lows[3] = {0, 0, 0};
  SmallVector<AffineMap> maps;
  SmallVector<utils::IteratorType> iterators;
};

} // namespace

Value buildPhases(LinalgBuilder &linalg, const ConvSpec &spec, const RoleValues &tensors) {
  return PhaseBuilder(linalg, spec, tensors).build();
}

} // namespace orzo
