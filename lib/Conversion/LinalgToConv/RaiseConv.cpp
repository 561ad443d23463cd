#include "Conversion/LinalgToConv/RaiseConv.h"

#include "Conversion/LinalgToConv/Relation.h"
#include "Dialect/Conv/ConvDialect.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace orzo {
namespace {

/// One result of a function, raised.
class Raiser {
public:
  explicit Raiser(func::FuncOp function) : function(function) {}
  OrRefusal<conv::BoundProblem> run(OpOperand &result);

private:
  OrRefusal<std::array<DataType, 3>> typesOf(linalg::LinalgOp product, const MultiplyAdd &body, Value result);
  std::optional<Refusal> outputSide(IndexSystem &system, linalg::LinalgOp product, SmallVector<IndexExpr> &loops);

  func::FuncOp function;
};

std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// What computes the value that the walk from a result arrived at; a refusal that says what it is otherwise.
OrRefusal<linalg::LinalgOp> productOf(const Access &access, Location end) {
  Location location = access.value.getDefiningOp() ? access.value.getLoc() : end;
  if (access.isZero)
    return Refusal{location, "the result is zero everywhere"};
  Operation *from = access.value.getDefiningOp();
  if (!from)
    return Refusal{location, "the result is an argument in another order: it computes nothing"};
  auto linalgOp = dyn_cast<linalg::LinalgOp>(from);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() || linalgOp.getNumDpsInits() != 1)
    return Refusal{location,
                   "it computes " + from->getName().getStringRef().str() + ", which is no part of a convolution"};
  return linalgOp;
}

OrRefusal<std::array<DataType, 3>> Raiser::typesOf(linalg::LinalgOp product, const MultiplyAdd &body, Value result) {
  if (!body.accumulate.isF32())
    return Refusal{product.getLoc(), "it accumulates in " + typeText(body.accumulate) + ", not in f32"};
  std::array<DataType, 3> types;
  std::array<Type, 3> found = {getElementTypeOrSelf(body.lhs.tensor.getType()),
                               getElementTypeOrSelf(body.rhs.tensor.getType()), getElementTypeOrSelf(result.getType())};
  for (int tensor = 0; tensor < 3; ++tensor) {
    Expected<DataType> type = conv::dataType(found[tensor]);
    if (!type)
      return Refusal{product.getLoc(), type.status().message()};
    types[tensor] = *type;
  }
  return types;
}

/// Solves for the product's parallel loops in terms of the result's indices, and adds its other loops.
std::optional<Refusal> Raiser::outputSide(IndexSystem &system, linalg::LinalgOp product,
                                          SmallVector<IndexExpr> &loops) {
  Location location = product.getLoc();
  OrRefusal<Loops> extents = loopsOf(product);
  if (!extents)
    return extents.refusal();
  AffineMap map = product.getMatchingIndexingMap(product.getDpsInitOperand(0));
  if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return Refusal{location, "its output is not indexed by one loop a dim"};
  // A result dim that inserts zeros is renamed to count what is there, so that the loops are whole.
  Access &access = system.accesses[0];
  loops.assign(extents->size(), IndexExpr());
  SmallVector<bool> known(extents->size(), false);
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      continue;
    for (int round = 0; round < 64; ++round) {
      const IndexExpr &index = system.accesses[0].dims[position].index;
      if (index.divisor() == 1)
        break;
      llvm::SmallVector<int> used = index.longLoops(system.loops);
      if (used.size() != 1 || index.loops().size() != 1 || index.coefficient(used[0]) == 0)
        return Refusal{location, "zeros are inserted into the result along more than one loop"};
      int64_t divisor = index.divisor(), first = 0;
      if (divisor > (int64_t(1) << 20))
        return Refusal{location, "zeros are inserted in steps beyond 2^20"};
      while (first < divisor && (__int128(index.coefficient(used[0])) * first + index.constant()) % divisor != 0)
        ++first;
      if (first == divisor)
        return Refusal{location, "the result is zero everywhere"};
      Interval old = system.loops[used[0]];
      int renamed = system.add({ceilDivide(old.low - first, divisor), floorDivide(old.high - first, divisor)});
      system.substitute(used[0], IndexExpr::loop(renamed).times(divisor).plus(first));
    }
    const DimAccess &dim = access.dims[position];
    // Where the result is padded, its loops end: the iterations left are those that are written.
    Interval range = dim.index.range(system.loops);
    if (!dim.present.contains(range)) {
      llvm::SmallVector<int> used = dim.index.longLoops(system.loops);
      if (used.size() > 1)
        return Refusal{location, "the result is padded along more than one loop"};
      if (used.empty())
        return Refusal{location, "the result is zero everywhere"};
      int64_t factor = dim.index.coefficient(used[0]);
      IndexExpr rest = dim.index.substitute(used[0], IndexExpr::constant(0));
      if (rest.numeratorRange(system.loops).low != rest.numeratorRange(system.loops).high)
        return Refusal{location, "the result is padded along more than one loop"};
      int64_t offset = rest.numeratorRange(system.loops).low;
      Interval bound = {dim.present.low - offset, dim.present.high - offset};
      if (factor < 0)
        bound = {-bound.high, -bound.low};
      system.loops[used[0]] = system.loops[used[0]].intersect(
          {ceilDivide(bound.low, std::abs(factor)), floorDivide(bound.high, std::abs(factor))});
      if (system.loops[used[0]].empty())
        return Refusal{location, "the result is zero everywhere"};
    }
    loops[loop.getPosition()] = dim.index;
    known[loop.getPosition()] = true;
  }
  for (size_t loop = 0; loop < loops.size(); ++loop)
    if (!known[loop])
      loops[loop] = IndexExpr::loop(system.add((*extents)[loop]));
  return std::nullopt;
}

OrRefusal<conv::BoundProblem> Raiser::run(OpOperand &result) {
  auto type = dyn_cast<RankedTensorType>(result.get().getType());
  if (!type || !type.hasStaticShape())
    return Refusal{result.getOwner()->getLoc(),
                   "result " + std::to_string(result.getOperandNumber()) + " is no tensor of static shape"};
  // Access 0 goes from the result to the product; access 1 stays at the result, so that what is done to the loops on
  // the way shows in the result's indices.
  IndexSystem system;
  Access start;
  start.value = result.get();
  start.shape.assign(type.getShape().begin(), type.getShape().end());
  for (int64_t extent : type.getShape())
    start.dims.push_back({IndexExpr::loop(system.add({0, extent - 1})), {0, extent - 1}});
  if (llvm::is_contained(type.getShape(), 0))
    return Refusal{result.getOwner()->getLoc(), "the result is empty"};
  system.accesses = {start, start};
  if (std::optional<Refusal> refusal = walk(system, 0, {/*mayRound=*/true}))
    return *refusal;
  OrRefusal<linalg::LinalgOp> product = productOf(system.accesses[0], result.getOwner()->getLoc());
  if (!product)
    return product.refusal();
  Location location = product->getLoc();
  OrRefusal<Loops> own = loopsOf(*product);
  if (!own)
    return own.refusal();
  OrRefusal<MultiplyAdd> body = readMultiplyAdd(*product, *own);
  if (!body)
    return body.refusal();
  if (!isZeroTensor(product->getDpsInits()[0]))
    return Refusal{location, "the product is added to something that is not zero"};

  SmallVector<IndexExpr> loops;
  if (std::optional<Refusal> refusal = outputSide(system, *product, loops))
    return *refusal;
  Access out = system.accesses[1];
  system.accesses = {};
  for (Element *element : {&body->lhs, &body->rhs}) {
    Access access;
    access.value = element->tensor;
    auto elementType = cast<RankedTensorType>(element->tensor.getType());
    access.shape.assign(elementType.getShape().begin(), elementType.getShape().end());
    for (auto [index, present] : llvm::zip_equal(element->index, element->present)) {
      IndexExpr composed = IndexExpr::constant(index.constant());
      for (int loop : index.loops())
        composed = composed.plus(loops[loop].times(index.coefficient(loop)));
      access.dims.push_back({composed.dividedBy(index.divisor()), present});
    }
    system.accesses.push_back(access);
  }
  system.accesses.push_back(out);
  for (int operand : {0, 1}) {
    if (std::optional<Refusal> refusal = walk(system, operand, {}))
      return *refusal;
    const Access &access = system.accesses[operand];
    if (access.isZero)
      return Refusal{location, "an operand is zero everywhere"};
    auto argument = dyn_cast<BlockArgument>(access.value);
    if (!argument || argument.getOwner() != &function.getBody().front()) {
      Operation *from = access.value.getDefiningOp();
      return Refusal{access.value.getLoc(), from ? "an operand is computed by " + from->getName().getStringRef().str()
                                                 : std::string("an operand is no argument of the function")};
    }
  }
  if (system.overflowed())
    return Refusal{location, "an index leaves 62 bits"};
  body->lhs.tensor = system.accesses[0].value;
  body->rhs.tensor = system.accesses[1].value;
  OrRefusal<std::array<DataType, 3>> types = typesOf(*product, *body, result.get());
  if (!types)
    return types.refusal();
  OrRefusal<Related> related = relate(system, *types, location);
  if (!related)
    return related.refusal();

  conv::BoundProblem problem;
  problem.spec = related->spec;
  for (int tensor = 0; tensor < 3; ++tensor) {
    conv::TensorBinding &binding = problem.tensors[static_cast<int>(related->roles[tensor])];
    const Access &access = system.accesses[tensor];
    binding.isResult = tensor == 2;
    binding.index = tensor == 2 ? static_cast<int>(result.getOperandNumber())
                                : static_cast<int>(cast<BlockArgument>(access.value).getArgNumber());
    binding.shape.assign(access.shape.begin(), access.shape.end());
    binding.dims = related->sourceDims[tensor];
  }
  return problem;
}

} // namespace

OrRefusal<std::vector<conv::BoundProblem>> raiseConvs(func::FuncOp function) {
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return Refusal{function.getLoc(), "function @" + function.getName().str() + " has no body of one block"};
  // Names are spellings: every product is a generic from here on.
  SmallVector<linalg::LinalgOp> named;
  function.walk([&](linalg::LinalgOp op) {
    bool moves = isa<linalg::GenericOp, linalg::FillOp, linalg::TransposeOp, linalg::CopyOp, linalg::BroadcastOp>(op);
    if (!moves && op.hasPureTensorSemantics())
      named.push_back(op);
  });
  IRRewriter rewriter(function.getContext());
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    Location location = op.getLoc();
    FailureOr<linalg::GenericOp> generic = linalg::generalizeNamedOp(rewriter, op);
    if (succeeded(generic)) // What stands in its body stands where the op stands.
      generic->getBody()->walk([&](Operation *inner) { inner->setLoc(location); });
  }
  auto end = dyn_cast<func::ReturnOp>(function.getBody().front().getTerminator());
  if (!end || end.getNumOperands() == 0)
    return Refusal{function.getLoc(), "function @" + function.getName().str() + " returns nothing"};
  std::vector<conv::BoundProblem> problems;
  for (OpOperand &result : end->getOpOperands()) {
    OrRefusal<conv::BoundProblem> problem = Raiser(function).run(result);
    if (!problem)
      return problem.refusal();
    problems.push_back(*problem);
  }
  return problems;
}

} // namespace orzo
