#include "Compiler/Spelling.h"

#include "orzo/Spec/Canonical.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace orzo {

namespace {

class Facts {
public:
  Facts(mlir::ModuleOp source, const conv::BoundProblem &problem) : source(source), problem(problem) {
    source.walk([&](mlir::Operation *op) {
      llvm::StringRef dialect = op->getName().getDialectNamespace();
      isTorch |= dialect == "torch";
      hasBorder |= dialect == "hal" || dialect == "util";
      if (op->getName().getStringRef().starts_with("torch.aten.conv"))
        convolution = op;
    });
  }

  std::string text() {
    lines = orzo::text(problem.spec) + "\n";
    add("written as", isTorch ? "torch IR" : hasBorder ? "linalg between buffers and fences" : "linalg on tensors");
    add("entry", entries());
    add("direction", isTorch && convolution ? std::string(name(problem.spec.direction)) : "");
    add("arguments", arguments());
    for (Role role : {Role::X, Role::W, Role::Y})
      add("layout of " + std::string(name(role)), layout(role));
    add("transposes", transposes());
    if (!isTorch) {
      add("zeros", zeros());
      add("filter", mirrors() ? "mirrored in memory" : "read as it is stored");
    }
    add("completion", hasBorder ? "by fences" : isTorch ? "as the compiler makes it" : "when it returns");
    return lines;
  }

private:
  void add(const std::string &topic, const std::string &fact) {
    if (!fact.empty())
      lines += topic + "\t" + fact + "\n";
  }

  const conv::TensorBinding &binding(Role role) const { return problem.tensors[int(role)]; }

  std::string nameOf(Role role) const {
    bool isGradient =
        problem.spec.direction != Direction::FProp && (role == Role::Y || role == resultRole(problem.spec.direction));
    return (isGradient ? "d" : "") + std::string(name(role));
  }

  /// Public functions that are called from outside.
  std::string entries() const {
    std::string names;
    source.walk([&](mlir::FunctionOpInterface function) {
      if (function.isPublic() && !function.getName().ends_with("$async"))
        names += (names.empty() ? "@" : ", @") + function.getName().str();
    });
    return names;
  }

  std::string arguments() const {
    int last = -1;
    for (Role role : {Role::X, Role::W, Role::Y})
      if (!binding(role).isResult)
        last = std::max(last, binding(role).index);
    source.walk([&](mlir::FunctionOpInterface function) {
      if (function.isPublic() && !function.getName().ends_with("$async"))
        last = std::max(last, int(function.getNumArguments()) - 1);
    });
    std::string list, returned = "nothing";
    for (int i = 0; i <= last; ++i) {
      std::string what = "not used";
      for (Role role : {Role::X, Role::W, Role::Y})
        if (!binding(role).isResult && binding(role).index == i)
          what = nameOf(role) + (role == resultRole(problem.spec.direction) ? " (written)" : "");
      list += (list.empty() ? "" : ", ") + what;
    }
    if (Role result = resultRole(problem.spec.direction); binding(result).isResult)
      returned = nameOf(result);
    return "(" + list + ") -> " + returned;
  }

  /// The source's dims in order, each by the letters of the axes in it (- for one of extent 1 that holds none).
  std::string layout(Role role) const {
    const conv::TensorBinding &tensor = binding(role);
    std::vector<std::string> letters(tensor.shape.size());
    const Layout &axes = problem.spec.layout(role);
    for (size_t i = 0; i < axes.size() && i < tensor.dims.size(); ++i)
      if (tensor.dims[i] >= 0 && tensor.dims[i] < int(letters.size()))
        letters[tensor.dims[i]] += letter(role, axes[i], problem.spec.rank());
    std::string order, shape;
    for (size_t dim = 0; dim < letters.size(); ++dim) {
      order += (order.empty() ? "" : " ") + (letters[dim].empty() ? "-" : letters[dim]);
      shape += (shape.empty() ? "" : "x") + std::to_string(tensor.shape[dim]);
    }
    return order + " " + shape;
  }

  static std::string shapeOf(mlir::Value value) {
    std::string text;
    if (auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType()))
      for (int64_t extent : type.getShape())
        text += (text.empty() ? "" : "x") + std::to_string(extent);
    return text;
  }

  std::string transposes() const {
    std::string list;
    int64_t count = 0;
    source.walk([&](mlir::Operation *op) {
      auto transpose = mlir::dyn_cast<mlir::linalg::TransposeOp>(op);
      if (!transpose && op->getName().getStringRef() != "torch.aten.permute")
        return;
      ++count;
      if (!transpose)
        return;
      std::string order;
      for (int64_t dim : transpose.getPermutation())
        order += (order.empty() ? "" : ",") + std::to_string(dim);
      list += (list.empty() ? ": " : "; ") + shapeOf(transpose.getInput()) + " by " + order;
    });
    return (count == 0 ? "none" : std::to_string(count)) + list;
  }

  std::string zeros() const {
    std::string how;
    source.walk([&](mlir::tensor::InsertSliceOp insert) {
      mlir::Operation *target = insert.getDest().getDefiningOp();
      bool isFill = target && mlir::isa<mlir::linalg::FillOp>(target);
      how += (how.empty() ? "inserted into " : ", ") + std::string(isFill ? "a fill of " : "a constant of ") +
             shapeOf(insert.getDest());
    });
    source.walk([&](mlir::tensor::PadOp pad) {
      how += (how.empty() ? "" : ", ") + std::string("padded to ") + shapeOf(pad.getResult());
    });
    return how.empty() ? "none" : how;
  }

  bool mirrors() const {
    bool found = false;
    source.walk([&](mlir::tensor::ExtractOp) { found = true; });
    return found;
  }

  mutable mlir::ModuleOp source; // Walking is no const member of a handle.
  const conv::BoundProblem &problem;
  bool isTorch = false, hasBorder = false;
  mlir::Operation *convolution = nullptr;
  std::string lines;
};

} // namespace

std::string spellingText(mlir::ModuleOp source, const conv::BoundProblem &problem) {
  return Facts(source, problem).text();
}

} // namespace orzo
