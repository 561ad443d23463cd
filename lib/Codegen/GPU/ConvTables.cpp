#include "Codegen/GPU/TableBuilder.h"

#include "Spec/CanonicalRules.h"
#include "orzo/Spec/Phases.h"

#include <algorithm>
#include <array>
#include <optional>

namespace orzo::gpu {

namespace {

/// The positions that a window takes in the padded tensor along one dim, in one phase.
struct Walk {
  int64_t size = 1;  ///< Of the tensor that the map declares: what is never read is left out.
  int64_t shift = 0; ///< Elements of the dim skipped at its start.
  int64_t lower = 0; ///< First position, without the tap's offset.
  int64_t last = 0;  ///< Last one.
  int64_t reach = 0; ///< Largest offset of a tap, the smallest being 0.
};

Walk walkOf(const DimPhases &dim, DimPhase phase, int64_t size) {
  Walk walk;
  int64_t end = phase.offsetBegin + (phase.tapCount - 1) * dim.offsetStep;
  int64_t low = std::min(phase.offsetBegin, end);
  if (phase.tapCount == 0) // Its loads read zeros elsewhere, but must start inside the walk all the same.
    low = end = phase.offsetBegin = 0;
  walk.reach = std::max(phase.offsetBegin, end) - low;
  walk.shift = low > 0 && low < size ? low : 0;
  walk.lower = low - walk.shift;
  walk.last = walk.lower + (phase.extent - 1) * dim.inStride;
  walk.size = size - walk.shift;
  if (int64_t read = walk.last + walk.reach + 1; read > 0)
    walk.size = std::min(walk.size, read);
  return walk;
}

class ConvTables {
public:
  explicit ConvTables(const ConvSpec &spec)
      : spec(spec), rank(spec.rank()), isWgrad(spec.direction == Direction::WGrad),
        table(isWgrad ? wgradTaps(spec) : phases(spec)) {}

  Expected<Tables> build() {
    if (spec.groups != 1)
      return Status::unsupported("groups on this target");
    std::array<Role, 2> operands = operandRoles();
    if (Status status = checkTypes(spec.type(operands[0]), spec.type(operands[1])); !status.ok())
      return status;
    t.type = spec.type(operands[0]);
    t.result = toElementType(spec.type(resultRole(spec.direction)));
    t.phaseCount = table.phaseCount();
    for (int64_t index = 0; index < t.phaseCount; ++index)
      phaseList.push_back(table.phase(index));
    Status status = isWgrad ? addWgrad() : addImplicit();
    if (!status.ok())
      return status;
    chooseProducers(t);
    return std::move(t);
  }

private:
  std::array<Role, 2> operandRoles() const {
    if (isWgrad)
      return {Role::X, Role::Y};
    return {spec.direction == Direction::FProp ? Role::X : Role::Y, Role::W};
  }
  int64_t stride(Role role, Axis axis) const { return spec.elementStride(role, axis); }
  int64_t spatialStride(Role role, int dim) const { return stride(role, spatialAxis(dim)); }

  static Status needInner(const char *what) {
    return Status::unsupported(std::string("a layout where ") + what + " on this target; NHWC with KRSC works");
  }

  /// An affine whose base differs by phase.
  Affine byPhase(auto base, std::vector<Term> terms) const {
    Affine result{{}, std::move(terms)};
    for (const std::vector<DimPhase> &phase : phaseList)
      result.base.push_back(base(phase));
    return result;
  }

  static bool hasTaps(const std::vector<DimPhase> &phase) {
    return std::all_of(phase.begin(), phase.end(), [](const DimPhase &dim) { return dim.tapCount > 0; });
  }

  /// The distance between neighbours of dims (outermost first) that are one run of memory; nullopt where they are none.
  static std::optional<int64_t> runStride(const std::vector<MapDim> &dims) {
    int64_t line = 0, expected = 0;
    for (size_t i = dims.size(); i-- > 0;) {
      if (dims[i].size == 1)
        continue;
      if (line == 0)
        line = expected = dims[i].stride;
      else if (dims[i].stride != expected)
        return std::nullopt;
      expected *= dims[i].size;
    }
    return line;
  }

  /// Coordinates (channel, spatial innermost first, batch) and offsets of the padded operand, and its maps.
  void addWindows(Access &access, Role role, int64_t channels, Term channel, Term::Digit position, Term::Digit tap) {
    access.coordinates = {byPhase([&](auto &phase) { return hasTaps(phase) ? 0 : channels; }, {channel})};
    for (int i = rank; i-- > 0;) {
      const DimPhases &dim = table.dims[i];
      int64_t size = spec.extent(role, spatialAxis(i));
      auto walk = [&, i](const std::vector<DimPhase> &phase) { return walkOf(dim, phase[i], size); };
      access.coordinates.push_back(
          byPhase([&](auto &phase) { return walk(phase).lower; }, {{position, i + 1, dim.inStride}}));
      access.offsets.push_back(byPhase(
          [&](auto &phase) { // The first tap's offset is the largest where offsets fall.
            return dim.offsetStep < 0 ? walk(phase).reach : 0;
          },
          {{tap, i, dim.offsetStep}}));
      access.reach.push_back(0);
      for (const std::vector<DimPhase> &phase : phaseList)
        access.reach.back() = std::max(access.reach.back(), walk(phase).reach);
    }
    access.coordinates.push_back(affine(t, 0, {{position, 0, 1}}));
    for (const std::vector<DimPhase> &phase : phaseList) {
      std::vector<MapDim> dims = {{channels, 1}};
      std::vector<int64_t> lower, last, step;
      int64_t offset = 0;
      for (int i = rank; i-- > 0;) {
        Walk walk = walkOf(table.dims[i], phase[i], spec.extent(role, spatialAxis(i)));
        dims.push_back({walk.size, spatialStride(role, i)});
        lower.push_back(walk.lower);
        last.push_back(walk.last);
        step.push_back(phase[i].extent == 1 ? 1 : table.dims[i].inStride);
        offset += walk.shift * spatialStride(role, i);
      }
      dims.push_back({spec.n, stride(role, Axis::N)});
      addMap(access, im2colMap(t.type, dims, lower, last, step, offset));
    }
  }

  Status addImplicit() {
    bool isFprop = spec.direction == Direction::FProp;
    Role input = isFprop ? Role::X : Role::Y, result = isFprop ? Role::Y : Role::X;
    Axis inner = isFprop ? Axis::C : Axis::K, column = isFprop ? Axis::K : Axis::C;
    if (stride(input, inner) != 1 || stride(result, column) != 1)
      return needInner("the channels of an image are not innermost");
    t.lhsRole = input, t.rhsRole = Role::W, t.outRole = result;
    int64_t channels = spec.extent(input, inner);
    t.innerColumns = spec.extent(result, column);
    t.rowExtents.assign(rank + 1, {});
    t.depthExtents.assign(rank + 1, {});
    for (const std::vector<DimPhase> &phase : phaseList) {
      int64_t rows = spec.n, taps = 1;
      t.rowExtents[0].push_back(spec.n);
      for (int i = 0; i < rank; ++i) {
        rows *= phase[i].extent, taps *= phase[i].tapCount;
        t.rowExtents[i + 1].push_back(phase[i].extent);
        t.depthExtents[i].push_back(phase[i].tapCount);
      }
      t.rows.push_back(rows);
      t.depthExtents[rank].push_back((channels + 63) / 64);
      // A phase without taps multiplies one block of zeros: a loop that may not run would make the assembler move the
      // accumulators.
      t.depthBlocks.push_back(taps == 0 ? 1 : taps * ((channels + 63) / 64));
      t.depth.push_back(taps * channels);
    }
    if (std::none_of(phaseList.begin(), phaseList.end(), hasTaps))
      t.depthBlocks.assign(t.phaseCount, 0);
    t.depthStep.assign(rank + 1, 0);
    t.depthStep[rank] = 1;

    t.lhs.isDepthInner = t.lhs.isWholeTile = true;
    addWindows(t.lhs, input, channels, depthDigit(rank, 64), Term::Digit::RowDigit, Term::Digit::DepthDigit);
    if (Status status = addFilter(inner, column, channels); !status.ok())
      return status;
    addImage(result);
    return Status::success();
  }

  Status addFilter(Axis inner, Axis column, int64_t channels) {
    t.rhs.isDepthInner = t.rhs.isWholeTile = stride(Role::W, inner) == 1;
    if (!t.rhs.isDepthInner && stride(Role::W, column) != 1)
      return needInner("neither channel of the filter is innermost");
    MapDim depth = {channels, stride(Role::W, inner)}, columns = {t.innerColumns, stride(Role::W, column)};
    std::vector<MapDim> dims = {depth, columns};
    // Beyond the channels there is nothing but zeros, for the phases without taps.
    t.rhs.coordinates = {byPhase([&](auto &phase) { return hasTaps(phase) ? 0 : channels; }, {depthDigit(rank, 64)}),
                         affine(t, 0, {columnDigit(0)})};
    if (!t.rhs.isDepthInner) {
      std::swap(dims[0], dims[1]);
      std::swap(t.rhs.coordinates[0], t.rhs.coordinates[1]);
    }
    for (int i = rank; i-- > 0;) {
      if (spec.spatial[i].filter == 1)
        continue;
      dims.push_back({spec.spatial[i].filter, spatialStride(Role::W, i)});
      t.rhs.coordinates.push_back(
          byPhase([i](auto &phase) { return phase[i].tapBegin; }, {depthDigit(i, table.dims[i].tapStep)}));
    }
    TensorMapRecipe map = tiledMap(t.type, dims);
    for (int64_t index = 0; index < t.phaseCount; ++index)
      addMap(t.rhs, map);
    return Status::success();
  }

  void addImage(Role result) {
    t.outElement = byPhase(
        [&](auto &phase) {
          int64_t base = 0;
          for (int i = 0; i < rank; ++i)
            base += phase[i].outBegin * spatialStride(result, i);
          return base;
        },
        {columnDigit(0), rowDigit(0, stride(result, Axis::N))});
    for (int i = 0; i < rank; ++i)
      t.outElement.terms.push_back(rowDigit(i + 1, table.dims[i].outStride * spatialStride(result, i)));
    MapDim inner = {t.innerColumns, 1};
    std::vector<MapDim> run = {{spec.n, stride(result, Axis::N)}};
    for (int i = 0; i < rank; ++i)
      run.push_back({phaseList[0][i].extent, table.dims[i].outStride * spatialStride(result, i)});
    if (std::optional<int64_t> line = runStride(run); line && t.phaseCount == 1) {
      t.out.coordinates = {affine(t, 0, {columnDigit(0)}), affine(t, 0, {row()})};
      addMap(t.out, tiledMap(t.type, {inner, {t.rows[0], *line}}, t.outElement.base[0]));
      return;
    }
    if (t.phaseCount > mostPhaseMaps) {
      t.store = StoreMode::Global;
      return;
    }
    t.out.coordinates = {affine(t, 0, {columnDigit(0)})};
    for (int i = rank; i-- > 0;)
      t.out.coordinates.push_back(affine(t, 0, {rowDigit(i + 1)}));
    t.out.coordinates.push_back(affine(t, 0, {rowDigit(0)}));
    for (int64_t index = 0; index < t.phaseCount; ++index) {
      std::vector<MapDim> dims = {inner};
      std::vector<int64_t> last;
      for (int i = rank; i-- > 0;) {
        dims.push_back({phaseList[index][i].extent, table.dims[i].outStride * spatialStride(result, i)});
        last.push_back(dims.back().size - 1);
      }
      dims.push_back({spec.n, stride(result, Axis::N)});
      std::vector<int64_t> lower(rank, 0), step(rank, 1);
      addMap(t.out, im2colMap(t.type, dims, lower, last, step, t.outElement.base[index]));
    }
  }

  Status addWgrad() {
    if (stride(Role::X, Axis::C) != 1 || stride(Role::Y, Axis::K) != 1)
      return needInner("the channels of an image are not innermost");
    if (stride(Role::W, Axis::C) != 1)
      return needInner("the filter's input channels are not innermost");
    t.lhsRole = Role::Y, t.rhsRole = Role::X, t.outRole = Role::W;
    t.rows = {spec.extent(Role::Y, Axis::K)};
    t.innerColumns = spec.extent(Role::X, Axis::C);
    std::vector<int64_t> extents = {spec.n};
    std::vector<MapDim> run = {{spec.n, stride(Role::Y, Axis::N)}};
    for (int i = 0; i < rank; ++i) {
      t.columnExtents.push_back(spec.spatial[i].filter);
      extents.push_back(spec.spatial[i].out);
      run.push_back({spec.spatial[i].out, spatialStride(Role::Y, i)});
    }
    int64_t pixelCount = 1;
    for (int64_t extent : extents) {
      t.depthExtents.push_back({extent});
      pixelCount *= extent;
    }
    t.depth = {pixelCount};
    t.depthBlocks = {(pixelCount + 63) / 64};
    t.depthStep = digitsOf(64, extents);

    std::vector<MapDim> dims = {{t.rows[0], 1}};
    t.lhs.coordinates = {affine(t, 0, {row()})};
    if (std::optional<int64_t> line = runStride(run)) {
      dims.push_back({pixelCount, *line});
      t.lhs.coordinates.push_back(affine(t, 0, {depthElement()}));
      addMap(t.lhs, tiledMap(t.type, dims));
    } else {
      std::vector<int64_t> last;
      for (int i = rank; i-- > 0;) {
        dims.push_back(run[i + 1]);
        last.push_back(run[i + 1].size - 1);
        t.lhs.coordinates.push_back(affine(t, 0, {depthDigit(i + 1)}));
        t.lhs.offsets.push_back(affine(t, 0));
      }
      dims.push_back(run[0]);
      t.lhs.coordinates.push_back(affine(t, 0, {depthDigit(0)}));
      std::vector<int64_t> lower(rank, 0), step(rank, 1);
      addMap(t.lhs, im2colMap(t.type, dims, lower, last, step));
    }
    addWindows(t.rhs, Role::X, t.innerColumns, columnDigit(rank), Term::Digit::DepthDigit, Term::Digit::ColumnDigit);

    t.outElement = affine(t, 0, {columnDigit(rank), {Term::Digit::Row, 0, stride(Role::W, Axis::K)}});
    t.out.coordinates = {affine(t, 0, {columnDigit(rank)}), affine(t, 0, {row()})};
    dims = {{t.innerColumns, 1}, {t.rows[0], stride(Role::W, Axis::K)}};
    for (int i = rank; i-- > 0;) {
      const DimPhase &phase = phaseList[0][i];
      int64_t tapStep = table.dims[i].tapStep, tapStride = spatialStride(Role::W, i);
      dims.push_back({spec.spatial[i].filter, tapStride});
      t.out.coordinates.push_back(affine(t, phase.tapBegin, {columnDigit(i, tapStep)}));
      t.outElement.base[0] += phase.tapBegin * tapStride;
      t.outElement.terms.push_back(columnDigit(i, tapStep * tapStride));
    }
    addMap(t.out, tiledMap(t.type, dims));
    return Status::success();
  }

  /// With more phases the maps of operand and result together are more than a kernel's parameters hold.
  static constexpr int64_t mostPhaseMaps = 15;

  const ConvSpec &spec;
  int rank;
  bool isWgrad;
  PhaseTable table;
  std::vector<std::vector<DimPhase>> phaseList;
  Tables t;
};

} // namespace

/// The tables of one spelling, with the roles that its tensors have in the problem it came from.
static Expected<Tables> tablesOfSpelling(const Canonical &spelling) {
  // Without spatial dims it is a matrix product, which im2col maps (of 3 dims and more) do not describe.
  Expected<Tables> tables =
      spelling.spec.rank() == 0 ? tablesOf(nestOf(spelling.spec)) : ConvTables(spelling.spec).build();
  if (tables)
    for (Role *role : {&tables->lhsRole, &tables->rhsRole, &tables->outRole})
      *role = spelling.views[static_cast<int>(*role)].source;
  return tables;
}

Expected<Tables> tablesOf(const ConvSpec &spec) {
  Expected<Tables> first = tablesOfSpelling(sourceView(spec));
  if (first && !first->gathers())
    return first;
  // The canonical form may call images filters: the other spellings of the same memory have channels where tensor maps
  // need them.
  Canonical normal = sourceView(spec);
  normalise(normal);
  std::vector<Canonical> spellings = {normal};
  for (size_t i = 0; i < spellings.size(); ++i) {
    if (Expected<Tables> tables = tablesOfSpelling(spellings[i])) {
      if (!tables->gathers())
        return tables;
      if (!first)
        first = tables.take();
    }
    for (auto step : {swapFilterAndOutput, swapInputAndOutput}) {
      std::optional<Canonical> next = step(spellings[i]);
      auto isNext = [&](const Canonical &known) { return known.spec == next->spec; };
      if (next && std::none_of(spellings.begin(), spellings.end(), isNext))
        spellings.push_back(*next);
    }
  }
  return first;
}

} // namespace orzo::gpu
