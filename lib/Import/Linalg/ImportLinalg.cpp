#include "Import/Linalg/ImportLinalg.h"

#include "Dialect/Compat/HAL/HALDialect.h"
#include "Dialect/Compat/Util/UtilDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace orzo {
namespace {

constexpr llvm::StringLiteral abiModel = "iree.abi.model", coarseFences = "coarse-fences";

std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Whether the function computes on tensors.
bool holdsWork(FunctionOpInterface function) {
  return !function.isExternal() && function
                                       .walk([](Operation *op) {
                                         bool tensors = llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
                                         return tensors ? WalkResult::interrupt() : WalkResult::advance();
                                       })
                                       .wasInterrupted();
}

/// One import: the function that holds the work, rebuilt.
class Importer {
public:
  explicit Importer(ModuleOp source) : source(source), builder(source.getContext()) {}

  FailureOr<ImportedModule> run();

private:
  LogicalResult findFunction();
  LogicalResult checkEncodings();
  LogicalResult arguments();
  LogicalResult body();
  LogicalResult importTensor(hal::TensorImportOp op);
  LogicalResult copy(Operation &op);
  LogicalResult finish(Operation &end);
  InFlightDiagnostic refuse(Operation *op) { return op->emitError("unsupported: "); }

  /// Makes `value` a result of @problem, written into `destination` (an argument's number) or returned.
  void addResult(Value value, int destination) {
    results.push_back(mapping.lookup(value));
    imported.binding.destinations.push_back(destination);
  }

  ModuleOp source;
  OpBuilder builder;
  FunctionOpInterface work;
  func::FuncOp problem;
  IRMapping mapping;
  SmallVector<Value> results;
  llvm::DenseMap<Value, Value> exported; ///< A buffer, and the tensor in it.
  ImportedModule imported;
};

LogicalResult Importer::findFunction() {
  for (Operation &op : source.getBody()->getOperations()) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return refuse(&op) << "'" << op.getName() << "' at the top of a module; functions are read";
    if (!holdsWork(function))
      continue;
    if (work) {
      refuse(&op) << "the module has two functions on tensors, @" << work.getName() << " and @" << function.getName()
                  << "; one is read";
      return failure();
    }
    work = function;
  }
  if (!work) {
    Operation *first = source.getBody()->empty() ? source.getOperation() : &source.getBody()->front();
    return first->emitError("unsupported: the module has no function that computes on tensors");
  }
  if (!isa<util::FuncOp, func::FuncOp>(work.getOperation()))
    return refuse(work) << "'" << work->getName() << "' is no kind of function that is read";
  if (!llvm::hasSingleElement(work.getFunctionBody()))
    return refuse(work) << "the function has more than one block";
  Binding &binding = imported.binding;
  binding.entry = work.getName().str();
  binding.frontEnd = isa<util::FuncOp>(work.getOperation()) ? "iree" : "linalg";
  auto model = work->getAttrOfType<StringAttr>(abiModel);
  binding.coarseFences = model && model.getValue() == coarseFences;
  if (!binding.coarseFences)
    return success();
  binding.asyncEntry = binding.entry;
  for (auto wrapper : source.getOps<util::FuncOp>())
    for (auto call : wrapper.getOps<util::CallOp>())
      if (call.getCallee() == work.getName())
        binding.entry = wrapper.getName().str();
  return success();
}

/// A tensor's encoding says that it lies in memory otherwise than its shape tells.
LogicalResult Importer::checkEncodings() {
  auto check = [&](Operation *op, Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.getEncoding())
      return refuse(op) << "a " << typeText(type) << " has an encoding; tensors without one are read";
    return success();
  };
  for (Type type : work.getArgumentTypes())
    if (failed(check(work, type)))
      return failure();
  WalkResult result = work.walk([&](Operation *op) {
    bool good = llvm::all_of(op->getResultTypes(), [&](Type type) { return succeeded(check(op, type)); });
    return good ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult Importer::arguments() {
  for (BlockArgument argument : work.getArguments()) {
    ArgumentBinding &binding = imported.binding.arguments.emplace_back();
    binding.type = typeText(argument.getType());
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    if (isa<TensorType>(argument.getType()) && (!tensor || !tensor.hasStaticShape()))
      return refuse(work) << "argument " << argument.getArgNumber() << " is a " << binding.type
                          << "; shapes must be static";
    if (tensor) {
      binding.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
      if (argument.use_empty())
        continue;
      binding.use = ArgumentUse::Operand;
      binding.tensor = static_cast<int>(problem.getBody().front().getNumArguments());
      mapping.map(argument, problem.getBody().front().addArgument(tensor, argument.getLoc()));
    } else if (isa<hal::FenceType>(argument.getType())) {
      bool signals = llvm::any_of(argument.getUsers(), llvm::IsaPred<hal::TensorBarrierOp>);
      if (!argument.use_empty())
        binding.use = signals ? ArgumentUse::SignalFence : ArgumentUse::WaitFence;
    } else if (!isa<hal::BufferViewType, hal::BufferType>(argument.getType()) && !argument.use_empty()) {
      return refuse(work) << "argument " << argument.getArgNumber() << " is a " << binding.type
                          << "; tensors, buffers and fences are read";
    }
  }
  return success();
}

LogicalResult Importer::importTensor(hal::TensorImportOp op) {
  auto type = cast<RankedTensorType>(op.getTarget().getType());
  auto argument = dyn_cast<BlockArgument>(op.getSource());
  if (!argument || argument.getOwner() != &work.getFunctionBody().front())
    return refuse(op) << "a buffer is imported that is no argument";
  if (!type.hasStaticShape())
    return refuse(op) << "a buffer is imported as " << typeText(type) << "; shapes must be static";
  ArgumentBinding &binding = imported.binding.arguments[argument.getArgNumber()];
  if (binding.use == ArgumentUse::Operand) {
    Value before = problem.getArgument(binding.tensor);
    if (before.getType() != type)
      return refuse(op) << "argument " << argument.getArgNumber() << " is imported as " << typeText(type) << " and as "
                        << typeText(before.getType());
    mapping.map(op.getTarget(), before);
    return success();
  }
  if (binding.use == ArgumentUse::Destination)
    return refuse(op) << "argument " << argument.getArgNumber() << " is both written and read";
  binding.use = ArgumentUse::Operand;
  binding.shape.assign(type.getShape().begin(), type.getShape().end());
  binding.tensor = static_cast<int>(problem.getBody().front().getNumArguments());
  mapping.map(op.getTarget(), problem.getBody().front().addArgument(type, op.getLoc()));
  return success();
}

LogicalResult Importer::copy(Operation &op) {
  if (auto import = dyn_cast<hal::TensorImportOp>(op))
    return importTensor(import);
  if (auto alias = dyn_cast<hal::TensorAliasOp>(op)) {
    auto argument = dyn_cast<BlockArgument>(alias.getStorage());
    if (!argument || argument.getOwner() != &work.getFunctionBody().front())
      return refuse(&op) << "a tensor is written into a buffer that is no argument";
    ArgumentBinding &binding = imported.binding.arguments[argument.getArgNumber()];
    if (binding.use != ArgumentUse::Unused)
      return refuse(&op) << "argument " << argument.getArgNumber() << " is written and also "
                         << name(binding.use).data();
    binding.use = ArgumentUse::Destination;
    auto type = cast<RankedTensorType>(alias.getSource().getType());
    binding.shape.assign(type.getShape().begin(), type.getShape().end());
    binding.tensor = static_cast<int>(results.size());
    addResult(alias.getSource(), static_cast<int>(argument.getArgNumber()));
    mapping.map(alias.getResult(), mapping.lookup(alias.getSource()));
    return success();
  }
  if (auto barrier = dyn_cast<hal::TensorBarrierOp>(op)) {
    for (auto [from, to] : llvm::zip_equal(barrier.getSources(), barrier.getResults()))
      mapping.map(to, mapping.lookup(from));
    return success();
  }
  if (auto exportOp = dyn_cast<hal::TensorExportOp>(op)) {
    exported[exportOp.getTarget()] = exportOp.getSource();
    return success();
  }
  if (auto barrier = dyn_cast<util::OptimizationBarrierOp>(op)) {
    if (barrier.getNumOperands() != barrier.getNumResults())
      return refuse(&op) << "a barrier has more or fewer results than operands";
    for (auto [from, to] : llvm::zip_equal(barrier.getOperands(), barrier.getResults()))
      mapping.map(to, mapping.lookup(from));
    return success();
  }
  Operation *foreign = nullptr;
  op.walk([&](Operation *inner) {
    if (isa_and_nonnull<hal::HALDialect, util::UtilDialect>(inner->getDialect()) || isa<CallOpInterface>(inner))
      foreign = inner;
  });
  if (foreign)
    return refuse(foreign) << "'" << foreign->getName() << "' among the ops on tensors";
  llvm::SetVector<Value> operands(op.operand_begin(), op.operand_end());
  getUsedValuesDefinedAbove(op.getRegions(), operands);
  for (Value operand : operands)
    if (!mapping.contains(operand))
      return refuse(&op) << "'" << op.getName() << "' takes a " << typeText(operand.getType());
  builder.clone(op, mapping);
  return success();
}

LogicalResult Importer::finish(Operation &end) {
  for (Value value : end.getOperands()) {
    auto tensor = exported.find(value);
    if (tensor != exported.end())
      value = tensor->second;
    if (!mapping.contains(value) || !isa<RankedTensorType>(value.getType()))
      return refuse(&end) << "a " << typeText(value.getType()) << " is returned that holds no tensor computed here";
    addResult(value, -1);
  }
  func::ReturnOp::create(builder, end.getLoc(), results);
  SmallVector<Type> types(problem.getBody().front().getArgumentTypes());
  problem.setFunctionType(builder.getFunctionType(types, ValueRange(results).getTypes()));
  return success();
}

LogicalResult Importer::body() {
  Block &block = work.getFunctionBody().front();
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      return finish(op);
    if (failed(copy(op)))
      return failure();
  }
  return refuse(work) << "the function does not return";
}

FailureOr<ImportedModule> Importer::run() {
  if (failed(findFunction()))
    return failure();
  imported.module = ModuleOp::create(source.getLoc());
  builder.setInsertionPointToStart(imported.module->getBody());
  problem = func::FuncOp::create(builder, work.getLoc(), "problem", builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(problem.addEntryBlock());
  if (failed(checkEncodings()) || failed(arguments()) || failed(body()))
    return failure();
  return std::move(imported);
}

} // namespace

FailureOr<ImportedModule> importLinalg(ModuleOp source) { return Importer(source).run(); }

} // namespace orzo
