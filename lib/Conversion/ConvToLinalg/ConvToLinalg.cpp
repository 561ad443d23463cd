#include "Conversion/ConvToLinalg/ConvToLinalg.h"

#include "Conversion/ConvToLinalg/Forms.h"
#include "Conversion/ConvToLinalg/Passes.h"

#include <algorithm>

namespace orzo {
#define GEN_PASS_DEF_CONVTOLINALGPASS
#include "Conversion/ConvToLinalg/Passes.h.inc"

Expected<LinalgForm> parseLinalgForm(std::string_view text) {
  if (text == "source")
    return LinalgForm::Source;
  if (text == "lowered")
    return LinalgForm::Lowered;
  return Status::invalidArgument("unknown form '" + std::string(text) + "'; the forms are source and lowered");
}

/// A dgrad whose source form would put zeros between the elements of y.
static bool insertsZeros(const ConvSpec &spec) {
  return spec.direction == Direction::DGrad &&
         llvm::any_of(spec.spatial, [](const SpatialDim &dim) { return dim.stride > 1 && dim.out > 1; });
}

LinalgChoice chooseLinalg(const ConvSpec &spec) {
  if (std::optional<PackedContraction> packed = packedContraction(spec))
    return {"contraction", "one matrix product over packed tensors: " + text(packed->contraction)};
  if (insertsZeros(spec))
    return {"phases", "one sum of products for every residue of the strides, so that no zero is inserted"};
  return {"window", "one generic over windows: no zeros would be inserted"};
}

/// `spec` with every axis in its layouts, those of extent 1 that were left out in front. Forms need not ask then
/// whether a tensor has a dim.
static ConvSpec completed(const ConvSpec &spec) {
  ConvSpec complete = spec;
  for (Role role : {Role::X, Role::W, Role::Y}) {
    Layout &layout = complete.layout(role);
    for (Axis axis : axesOf(role, spec.rank()))
      if ((axis != Axis::G || spec.groups > 1) && std::find(layout.begin(), layout.end(), axis) == layout.end())
        layout.insert(layout.begin(), axis);
    if (spec.groups == 1)
      std::erase(layout, Axis::G);
  }
  return complete;
}

LinalgChoice convToLinalg(conv::ConvOpInterface conv, LinalgForm form) {
  // The lowered form is that of the canonical problem: its tensors are the op's own under other names, so that the same
  // form comes out of every spelling.
  ConvSpec source = conv.getSpec();
  Canonical problem = {source, {}};
  for (Role role : {Role::X, Role::W, Role::Y})
    problem.views[int(role)] = {role, source.layout(role)};
  if (form == LinalgForm::Lowered)
    problem = canonicalise(source);
  ConvSpec spec = completed(problem.spec);
  mlir::OpBuilder builder(conv);
  LinalgBuilder linalg(builder, conv.getLoc());
  RoleValues tensors;
  for (Role role : operandRoles(spec.direction))
    tensors[int(role)] = linalg.reshape(conv.getTensor(problem.views[int(role)].source), spec.shape(role));
  LinalgChoice choice = form == LinalgForm::Source ? LinalgChoice{"window", "the source form"} : chooseLinalg(spec);
  mlir::Value result = choice.form == "contraction" ? buildContraction(linalg, spec, *packedContraction(spec), tensors)
                       : choice.form == "phases"    ? buildPhases(linalg, spec, tensors)
                                                    : buildWindow(linalg, spec, tensors);
  result = linalg.reshape(result, source.shape(resultRole(source.direction)));
  conv->getResult(0).replaceAllUsesWith(result);
  mlir::Block *block = conv->getBlock();
  conv->erase();
  // Reshapes that others have looked through.
  for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
    if (mlir::isa<mlir::tensor::CollapseShapeOp, mlir::tensor::ExpandShapeOp>(op) && op.use_empty())
      op.erase();
  return choice;
}

namespace {

class ConvToLinalgPass : public impl::ConvToLinalgPassBase<ConvToLinalgPass> {
public:
  using ConvToLinalgPassBase::ConvToLinalgPassBase;

private:
  void runOnOperation() override {
    Expected<LinalgForm> parsed = parseLinalgForm(form);
    if (!parsed) {
      getOperation()->emitError(parsed.status().message());
      return signalPassFailure();
    }
    llvm::SmallVector<conv::ConvOpInterface> convolutions;
    getOperation()->walk([&](conv::ConvOpInterface conv) { convolutions.push_back(conv); });
    for (conv::ConvOpInterface conv : convolutions) {
      mlir::Location location = conv.getLoc();
      LinalgChoice choice = convToLinalg(conv, *parsed);
      mlir::emitRemark(location) << "written as " << choice.form << ": " << choice.reason;
    }
  }
};

} // namespace
} // namespace orzo
