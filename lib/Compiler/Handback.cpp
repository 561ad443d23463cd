#include "Compiler/Handback.h"

#include "Compiler/Spelling.h"
#include "Export/Linalg/ExportIree.h"
#include "Export/Linalg/ExportLinalg.h"
#include "Export/Torch/ExportTorch.h"
#include "orzo/Spec/Canonical.h"

#include "mlir/IR/Verifier.h"

#include <algorithm>

namespace orzo {

bool isHandback(std::string_view stopAfter) {
  return stopAfter == "torch" || stopAfter == "linalg" || stopAfter == "linalg-source" || stopAfter == "iree" ||
         stopAfter == "spelling";
}

static Expected<HandedBack> handBackTorch(const ConvSpec &spec) {
  Expected<std::string> own = exportTorch(spec);
  if (own)
    return HandedBack{own.take(), {}};
  for (const Canonical &member : orbit(spec))
    if (Expected<std::string> other = exportTorch(member.spec))
      return HandedBack{other.take(),
                        {"written as " + std::string(name(member.spec.direction)) +
                         ", the same problem under other names: " + own.status().message()}};
  return own.status();
}

static std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

static std::string noteOf(const LinalgChoice &choice) {
  return "written as " + std::string(choice.form) + ": " + choice.reason;
}

Expected<HandedBack> handBack(mlir::MLIRContext &context, const ConvSpec &spec, std::string_view stopAfter) {
  if (stopAfter == "torch")
    return handBackTorch(spec);
  LinalgExport exported =
      exportLinalg(context, spec, stopAfter == "linalg-source" ? LinalgForm::Source : LinalgForm::Lowered);
  if (mlir::failed(mlir::verify(*exported.module)))
    return Status::internal("the exported module does not verify");
  HandedBack out{print(*exported.module), {}};
  if (stopAfter != "linalg-source")
    out.notes.push_back(noteOf(exported.choice));
  return out;
}

/// Where the source says no direction, raising has chosen among equals: the canonical names then.
static conv::BoundProblem underCanonicalNames(const conv::BoundProblem &problem) {
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

/// A problem whose source has unit dims beside its axes, as many in each tensor, is of a higher rank in its own eyes: a
/// filter k 1 s c is one of R and S. Dims are named in the filter's order, so that a person finds the letters there.
static conv::BoundProblem withUnitDims(const conv::BoundProblem &problem) {
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

/// Where the tensors are in the function that holds the work: results of @problem are what it returns, in order, or
/// arguments it writes.
static conv::BoundProblem atBorder(const conv::BoundProblem &problem, const Binding &binding) {
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

static Expected<HandedBack> handBackAtBorder(mlir::ModuleOp source, const Binding &binding,
                                             const conv::BoundProblem &problem) {
  mlir::OwningOpRef<mlir::ModuleOp> border;
  if (binding.frontEnd == "torch") {
    border = fencedBorder(*source.getContext(), binding.entry, int(binding.arguments.size()), problem);
    if (!border)
      return Status::internal("the border of " + binding.entry + " does not parse");
    source = *border;
  }
  Expected<LinalgChoice> choice = rewriteConvolution(source, problem);
  if (!choice)
    return choice.status();
  if (mlir::failed(mlir::verify(source)))
    return Status::internal("the rewritten module does not verify");
  return HandedBack{print(source), {noteOf(*choice)}};
}

Expected<HandedBack> handBack(mlir::ModuleOp source, const Binding &binding, std::string_view stopAfter) {
  if (binding.problems.size() != 1)
    return Status::unsupported("the module has " + std::to_string(binding.problems.size()) +
                               " convolutions; one can be handed back");
  conv::BoundProblem problem = binding.problems.front();
  if (binding.frontEnd == "iree" || binding.frontEnd == "linalg")
    problem = withUnitDims(underCanonicalNames(problem));
  problem = atBorder(problem, binding);
  if (stopAfter == "spelling")
    return HandedBack{spellingText(source, problem), {}};
  if (stopAfter == "iree" && binding.frontEnd != "conv")
    return handBackAtBorder(source, binding, problem);
  return handBack(*source.getContext(), problem.spec, stopAfter);
}

} // namespace orzo
