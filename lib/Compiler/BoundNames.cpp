#include "Compiler/BoundNames.h"

#include "orzo/Spec/Canonical.h"

#include <algorithm>

namespace orzo {

conv::BoundProblem underCanonicalNames(const conv::BoundProblem &problem) {
  Canonical canonical = canonicalise(problem.spec);
  conv::BoundProblem out{canonical.spec, {}};
  for (Role role : {Role::X, Role::W, Role::Y}) {
    const View &view = canonical.views[int(role)];
    conv::TensorBinding tensor = problem.tensors[int(view.source)];
    std::vector<int> sourceDims = std::move(tensor.dims);
    tensor.dims.clear();
    const Layout &sourceLayout = problem.spec.layout(view.source);
    for (Axis axis : view.sourceAxes)
      tensor.dims.push_back(
          sourceDims[std::find(sourceLayout.begin(), sourceLayout.end(), axis) - sourceLayout.begin()]);
    out.tensors[int(role)] = std::move(tensor);
  }
  return out;
}

/// The source dims of extent 1 that hold no axis.
static std::vector<int> unitDims(const conv::TensorBinding &tensor) {
  std::vector<int> dims;
  for (int dim = 0; dim < int(tensor.shape.size()); ++dim)
    if (tensor.shape[dim] == 1 && std::find(tensor.dims.begin(), tensor.dims.end(), dim) == tensor.dims.end())
      dims.push_back(dim);
  return dims;
}

conv::BoundProblem withUnitDims(const conv::BoundProblem &problem) {
  const ConvSpec &spec = problem.spec;
  size_t units = unitDims(problem.tensors[int(Role::W)]).size();
  const Layout &filter = spec.layout(Role::W);
  bool isClear = units > 0 && spec.rank() + units <= 3;
  for (Role role : {Role::X, Role::W, Role::Y})
    isClear &= unitDims(problem.tensors[int(role)]).size() == units;
  for (int dim = 0; dim < spec.rank(); ++dim)
    isClear &= std::find(filter.begin(), filter.end(), spatialAxis(dim)) != filter.end();
  if (!isClear)
    return problem;
  conv::BoundProblem out = problem;
  std::vector<int> renamed(spec.rank()), unitIndex;
  out.spec.spatial.clear();
  const conv::TensorBinding &w = problem.tensors[int(Role::W)];
  for (int dim = 0; dim < int(w.shape.size()); ++dim) {
    auto held = std::find(w.dims.begin(), w.dims.end(), dim);
    int next = out.spec.rank();
    if (held == w.dims.end() && w.shape[dim] == 1) {
      unitIndex.push_back(next);
      out.spec.spatial.emplace_back();
    } else if (held != w.dims.end() && isSpatial(filter[held - w.dims.begin()])) {
      int index = spatialIndex(filter[held - w.dims.begin()]);
      renamed[index] = next;
      out.spec.spatial.push_back(spec.spatial[index]);
    }
  }
  for (Role role : {Role::X, Role::W, Role::Y}) {
    const conv::TensorBinding &source = problem.tensors[int(role)];
    conv::TensorBinding &tensor = out.tensors[int(role)];
    Layout &layout = out.spec.layout(role);
    layout.clear();
    tensor.dims.clear();
    size_t nextUnit = 0;
    std::vector<int> holes = unitDims(source);
    for (int dim = 0; dim < int(source.shape.size()); ++dim) {
      if (std::find(holes.begin(), holes.end(), dim) != holes.end()) {
        layout.push_back(spatialAxis(unitIndex[nextUnit++]));
        tensor.dims.push_back(dim);
        continue;
      }
      for (size_t i = 0; i < source.dims.size(); ++i)
        if (source.dims[i] == dim) {
          Axis axis = spec.layout(role)[i];
          layout.push_back(isSpatial(axis) ? spatialAxis(renamed[spatialIndex(axis)]) : axis);
          tensor.dims.push_back(dim);
        }
    }
  }
  return validate(out.spec).ok() && canonicalise(out.spec).spec == canonicalise(spec).spec ? out : problem;
}

conv::BoundProblem atBorder(const conv::BoundProblem &problem, const Binding &binding) {
  conv::BoundProblem out = problem;
  conv::TensorBinding &result = out.tensors[int(resultRole(problem.spec.direction))];
  int destination = result.index < int(binding.destinations.size()) ? binding.destinations[result.index] : -1;
  if (destination >= 0) {
    result.isResult = false;
    result.index = destination;
    return out;
  }
  int returned = 0;
  for (int i = 0; i < result.index && i < int(binding.destinations.size()); ++i)
    returned += binding.destinations[i] < 0;
  result.index = returned;
  return out;
}

} // namespace orzo
