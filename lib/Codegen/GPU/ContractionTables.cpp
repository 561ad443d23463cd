#include "Codegen/GPU/TableBuilder.h"

#include <algorithm>

namespace orzo::gpu {

namespace {

class ContractionTables {
public:
  explicit ContractionTables(const Nest &nest) : nest(nest), phase(nest.phases.front()) {}

  Expected<Tables> build() {
    if (nest.batchCount() != 1)
      return Status::unsupported("a batched matrix product on this target");
    if (nest.padded != Nest::Padded::None || nest.phases.size() != 1)
      return Status::internal("a contraction with padding or phases; please report this");
    if (nest.n.empty() || nest.n.back().out != 1)
      return Status::unsupported("a result without a contiguous dim of several elements on this target");
    if (Status status = checkTypes(nest.lhsType, nest.rhsType); !status.ok())
      return status;
    t.type = nest.lhsType;
    t.result = toElementType(nest.outType);
    t.lhsRole = nest.lhs, t.rhsRole = nest.rhs, t.outRole = nest.out;
    addRowsAndColumns();
    if (Status status = addDepth(); !status.ok())
      return status;
    addLhs();
    addRhs();
    addOut();
    chooseProducers(t);
    return std::move(t);
  }

private:
  void addRowsAndColumns() {
    std::vector<int64_t> outerColumns(phase.n.begin(), phase.n.end() - 1);
    int64_t count = 1;
    for (int64_t extent : outerColumns)
      count *= extent;
    // Rows of several dims are stored by maps that walk them, which have no room for column dims: each index of those
    // is a phase with maps of its own, while these are few.
    if (nest.m.size() > 1 && count > 1 && count <= mostPhases) {
      t.phaseCount = count;
      for (int64_t index = 0; index < count; ++index)
        columnsOfPhase.push_back(digitsOf(index, outerColumns));
    } else {
      t.columnExtents = outerColumns;
    }
    t.rows.assign(t.phaseCount, nest.rows(phase));
    if (nest.m.size() > 1)
      for (int64_t extent : phase.m)
        t.rowExtents.push_back(everyPhase(extent));
    t.innerColumns = phase.n.back();
  }

  std::vector<int64_t> everyPhase(int64_t value) const { return std::vector<int64_t>(t.phaseCount, value); }

  /// Which k dim is contiguous in an operand, or -1.
  int contiguous(int64_t NestDim::*stride) const {
    for (size_t dim = 0; dim < nest.k.size(); ++dim)
      if (nest.k[dim].*stride == 1)
        return static_cast<int>(dim);
    return -1;
  }

  Status addDepth() {
    int lhsInner = contiguous(&NestDim::lhs), rhsInner = contiguous(&NestDim::rhs);
    bool lhsLeads = nest.m.size() == 1 && nest.m[0].lhs == 1, rhsLeads = nest.n.back().rhs == 1;
    int block = lhsInner >= 0 ? lhsInner : rhsInner;
    t.lhs.isDepthInner = lhsInner >= 0 && lhsInner == block;
    t.rhs.isDepthInner = rhsInner >= 0 && rhsInner == block;
    if ((!t.lhs.isDepthInner && !lhsLeads) || (!t.rhs.isDepthInner && !rhsLeads))
      return Status::unsupported("an operand that is contiguous neither along the reduction nor along the result");
    t.depth = everyPhase(nest.depth(phase));
    if (block < 0 && nest.k.size() > 1) {
      for (size_t dim = 0; dim < nest.k.size(); ++dim)
        group.push_back(dim);
      t.depthStep = digitsOf(64, phase.k);
      for (int64_t extent : phase.k)
        t.depthExtents.push_back(everyPhase(extent));
      t.depthBlocks = everyPhase((t.depth[0] + 63) / 64);
      return Status::success();
    }
    int64_t blocks = 1;
    for (size_t dim = 0; dim < nest.k.size(); ++dim) {
      if (static_cast<int>(dim) == std::max(block, 0))
        continue;
      outer.push_back(dim);
      t.depthExtents.push_back(everyPhase(phase.k[dim]));
      blocks *= phase.k[dim];
    }
    if (!nest.k.empty())
      group = {static_cast<size_t>(std::max(block, 0))};
    int64_t inner = group.empty() ? 1 : phase.k[group[0]];
    t.depthExtents.push_back(everyPhase((inner + 63) / 64));
    t.depthStep.assign(t.depthExtents.size(), 0);
    t.depthStep.back() = 1;
    t.depthBlocks = everyPhase(blocks * ((inner + 63) / 64));
    return Status::success();
  }

  Term depthInGroup() const { return depthDigit(static_cast<int>(t.depthExtents.size()) - 1, 64); }
  Term innerColumn() const { return columnDigit(static_cast<int>(t.columnExtents.size())); }
  int64_t groupSize() const { return group.empty() ? 1 : phase.k[group[0]]; }

  /// Dims beside those a tile runs over: the coordinate or offset that selects one index of each.
  struct Extra {
    MapDim dim;
    Affine index;
  };

  std::vector<Extra> outerDepth(int64_t NestDim::*stride) const {
    std::vector<Extra> extras;
    for (size_t i = 0; i < outer.size(); ++i)
      extras.push_back(
          {{phase.k[outer[i]], nest.k[outer[i]].*stride}, affine(t, 0, {depthDigit(static_cast<int>(i))})});
    return extras;
  }

  void addOuterColumns(std::vector<Extra> &extras, int64_t NestDim::*stride) const {
    for (size_t i = 0; i + 1 < nest.n.size(); ++i) {
      Affine index = affine(t, 0);
      if (t.phaseCount == 1)
        index.terms = {columnDigit(static_cast<int>(i))};
      for (size_t p = 0; p < columnsOfPhase.size(); ++p)
        index.base[p] = columnsOfPhase[p][i];
      extras.push_back({{phase.n[i], nest.n[i].*stride}, index});
    }
  }

  /// A tiled map over (inner, lines, extras...).
  void addTiled(Access &access, MapDim inner, Term innerTerm, MapDim lines, Term lineTerm,
                const std::vector<Extra> &extras, int64_t base) {
    std::vector<MapDim> dims = {inner, lines};
    access.coordinates = {affine(t, 0, {innerTerm}), affine(t, 0, {lineTerm})};
    for (const Extra &extra : extras) {
      dims.push_back(extra.dim);
      access.coordinates.push_back(extra.index);
    }
    addMaps(access, tiledMap(t.type, dims, base));
  }

  /// An im2col map that walks `lines` (outermost first); extras are spatial dims whose box is one element wide.
  void addWalk(Access &access, MapDim inner, Term innerTerm, const std::vector<MapDim> &lines,
               const std::vector<Term> &lineTerms, const std::vector<Extra> &extras, int64_t base) {
    std::vector<MapDim> dims = {inner};
    access.coordinates = {affine(t, 0, {innerTerm})};
    std::vector<int64_t> last;
    for (size_t i = lines.size(); i-- > 1;) {
      dims.push_back(lines[i]);
      last.push_back(lines[i].size - 1);
      access.coordinates.push_back(affine(t, 0, {lineTerms[i]}));
      access.offsets.push_back(affine(t, 0));
      access.reach.push_back(0);
    }
    for (const Extra &extra : extras) {
      dims.push_back(extra.dim);
      last.push_back(0);
      access.coordinates.push_back(affine(t, 0));
      access.offsets.push_back(extra.index);
      access.reach.push_back(extra.dim.size - 1);
    }
    dims.push_back(lines[0]);
    access.coordinates.push_back(affine(t, 0, {lineTerms[0]}));
    std::vector<int64_t> lower(last.size(), 0), step(last.size(), 1);
    addMaps(access, im2colMap(t.type, dims, lower, last, step, base));
  }

  void addMaps(Access &access, const TensorMapRecipe &map) {
    for (int64_t index = 0; index < t.phaseCount; ++index)
      addMap(access, map);
  }

  void rowLines(int64_t NestDim::*stride, std::vector<MapDim> &lines, std::vector<Term> &terms) const {
    for (size_t i = 0; i < nest.m.size(); ++i) {
      lines.push_back({phase.m[i], nest.m[i].*stride});
      terms.push_back(rowDigit(static_cast<int>(i)));
    }
  }

  MapDim rowLine(int64_t NestDim::*stride) const {
    return nest.m.empty() ? MapDim{1, 8} : MapDim{phase.m[0], nest.m[0].*stride};
  }

  /// The operand whose rows (columns) are contiguous: lines run over depth.
  void addLeading(Access &access, int64_t NestDim::*stride, MapDim inner, Term innerTerm, std::vector<Extra> extras,
                  int64_t base) {
    if (group.size() <= 1) {
      MapDim lines = {groupSize(), group.empty() ? 8 : nest.k[group[0]].*stride};
      return addTiled(access, inner, innerTerm, lines, depthInGroup(), extras, base);
    }
    std::vector<MapDim> lines;
    std::vector<Term> terms;
    bool merges = true;
    for (size_t i = 0; i < group.size(); ++i) {
      lines.push_back({phase.k[i], nest.k[i].*stride});
      terms.push_back(depthDigit(static_cast<int>(i)));
      merges &= i == 0 || lines[i - 1].stride == lines[i].stride * lines[i].size;
    }
    if (merges)
      addTiled(access, inner, innerTerm, {t.depth[0], lines.back().stride}, depthElement(), extras, base);
    else
      addWalk(access, inner, innerTerm, lines, terms, extras, base);
  }

  void addLhs() {
    std::vector<Extra> extras = outerDepth(&NestDim::lhs);
    if (!t.lhs.isDepthInner)
      return addLeading(t.lhs, &NestDim::lhs, {phase.m[0], 1}, row(), extras, phase.lhsBase);
    t.lhs.isWholeTile = true;
    MapDim inner = {groupSize(), 1};
    if (nest.m.size() <= 1)
      return addTiled(t.lhs, inner, depthInGroup(), rowLine(&NestDim::lhs), row(), extras, phase.lhsBase);
    std::vector<MapDim> lines;
    std::vector<Term> terms;
    rowLines(&NestDim::lhs, lines, terms);
    addWalk(t.lhs, inner, depthInGroup(), lines, terms, extras, phase.lhsBase);
  }

  void addRhs() {
    std::vector<Extra> extras;
    addOuterColumns(extras, &NestDim::rhs);
    for (Extra &extra : outerDepth(&NestDim::rhs))
      extras.push_back(extra);
    if (!t.rhs.isDepthInner)
      return addLeading(t.rhs, &NestDim::rhs, {t.innerColumns, 1}, innerColumn(), extras, phase.rhsBase);
    t.rhs.isWholeTile = nest.n.size() == 1;
    MapDim lines = {t.innerColumns, nest.n.back().rhs};
    addTiled(t.rhs, {groupSize(), 1}, depthInGroup(), lines, innerColumn(), extras, phase.rhsBase);
  }

  void addOut() {
    t.outElement = affine(t, phase.outBase, {innerColumn()});
    for (size_t i = 0; i < nest.m.size(); ++i) {
      Term term = nest.m.size() == 1 ? row() : rowDigit(static_cast<int>(i));
      term.coefficient = nest.m[i].out;
      t.outElement.terms.push_back(term);
    }
    for (size_t i = 0; i + 1 < nest.n.size(); ++i) {
      if (t.phaseCount == 1)
        t.outElement.terms.push_back(columnDigit(static_cast<int>(i), nest.n[i].out));
      for (size_t p = 0; p < columnsOfPhase.size(); ++p)
        t.outElement.base[p] += columnsOfPhase[p][i] * nest.n[i].out;
    }
    MapDim inner = {t.innerColumns, 1};
    if (nest.m.size() <= 1) {
      std::vector<Extra> extras;
      addOuterColumns(extras, &NestDim::out);
      addTiled(t.out, inner, innerColumn(), rowLine(&NestDim::out), row(), extras, phase.outBase);
    } else if (t.columnExtents.empty()) {
      std::vector<MapDim> lines;
      std::vector<Term> terms;
      rowLines(&NestDim::out, lines, terms);
      addWalk(t.out, inner, innerColumn(), lines, terms, {}, phase.outBase);
      TensorMapRecipe map = t.out.maps.front();
      t.out.maps.clear(), t.out.mapOfPhase.clear();
      for (int64_t base : t.outElement.base) {
        map.byteOffset = base * static_cast<int64_t>(byteSize(t.type));
        addMap(t.out, map);
      }
    }
    if (t.out.maps.empty() || t.out.maps[0].sizes.size() > 5) {
      t.out = {};
      t.store = StoreMode::Global;
    }
  }

  static constexpr int64_t mostPhases = 16;

  const Nest &nest;
  const NestPhase &phase;
  Tables t;
  std::vector<std::vector<int64_t>> columnsOfPhase; ///< Outer column indices, where each is a phase.
  std::vector<size_t> group, outer;                 ///< k dims that a block runs over, and the others.
};

} // namespace

Expected<Tables> tablesOf(const Nest &nest) { return ContractionTables(nest).build(); }

} // namespace orzo::gpu
