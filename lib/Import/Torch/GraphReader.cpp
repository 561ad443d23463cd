#include "Import/Torch/GraphReader.h"

#include "Graph/NodeRules.h"
#include "Graph/Renaming.h"
#include "Import/Torch/TensorValue.h"

#include <cmath>

using namespace mlir;

namespace orzo::torch {

using graph::DataType;
using graph::TensorAttr;
using graph::TensorPtr;

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static DataType dataType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() == 1)
      return DataType::Boolean;
    if (integer.isUnsigned())
      return integer.getWidth() == 8 ? DataType::Uint8 : DataType::NotSet;
    switch (integer.getWidth()) {
    case 8:
      return DataType::Int8;
    case 16:
      return DataType::Int16;
    case 32:
      return DataType::Int32;
    case 64:
      return DataType::Int64;
    default:
      return DataType::NotSet;
    }
  }
  return type.isF16()    ? DataType::Half
         : type.isBF16() ? DataType::BFloat16
         : type.isF32()  ? DataType::Float
         : type.isF64()  ? DataType::Double
                         : DataType::NotSet;
}

static std::vector<int64_t> rows(const std::vector<int64_t> &dim) {
  std::vector<int64_t> stride(dim.size(), 1);
  for (size_t i = dim.size(); i-- > 1;)
    stride[i - 1] = stride[i] * std::max<int64_t>(dim[i], 1);
  return stride;
}

bool GraphReader::declared(Value value, GraphTensor &into) {
  auto type = staticTensor(value.getType());
  if (!type)
    return false;
  into.dim.assign(type->first.begin(), type->first.end());
  if (into.dim.empty())
    into.dim = {1};
  into.type = dataType(type->second);
  __int128 volume = 1;
  for (int64_t extent : into.dim)
    volume = volume > (__int128(1) << 61) ? volume : volume * std::max<int64_t>(extent, 1);
  return into.type != DataType::NotSet && into.dim.size() <= 16 && volume <= (__int128(1) << 61);
}

void GraphReader::arguments() {
  imported.binding.frontEnd = "torch";
  imported.binding.entry = function.getName().str();
  for (BlockArgument argument : function.getArguments()) {
    ArgumentBinding &bound = imported.binding.arguments.emplace_back();
    bound.type = typeText(argument.getType());
    int number = static_cast<int>(argument.getArgNumber());
    GraphTensor tensor;
    if (!declared(argument, tensor)) {
      tensor.isRead = false;
      tensor.culprit = function;
      tensor.complaint.reason =
          "argument " + std::to_string(number) + " is a " + bound.type + "; tensors of static shape are read";
    } else {
      bound.shape.assign(tensor.dim.begin(), tensor.dim.end());
      tensor.tensor = graph.tensor(
          TensorAttr().setName("arg" + std::to_string(number)).setDim(tensor.dim).setDataType(tensor.type));
      argumentOf[tensor.tensor.get()] = number;
      seenArguments[argument] = {number, rows(tensor.dim)};
    }
    define(argument, std::move(tensor));
  }
}

const GraphTensor &GraphReader::at(Value value) {
  auto [found, isNew] = values.try_emplace(value);
  if (isNew) {
    found->second.isRead = false;
    found->second.culprit = value.getDefiningOp() ? value.getDefiningOp() : function.getOperation();
    found->second.complaint = {true, "a value that is no tensor is read as one"};
  }
  return found->second;
}

void GraphReader::refuse(Operation *op, std::string reason, bool isInvalid) {
  GraphTensor unread;
  unread.isRead = false;
  unread.culprit = op;
  unread.complaint = {isInvalid, std::move(reason)};
  for (Value result : op->getResults())
    if (isa<VTensorType, NonValueTensorType>(result.getType()))
      define(result, unread);
}

TensorPtr GraphReader::node(Operation *op, graph::NodeAttr attr, std::vector<TensorPtr> inputs, Extents dim,
                            DataType type) {
  std::string number = std::to_string(nodes.size());
  std::visit([&](auto &kind) { kind.setName("n" + number); }, attr);
  auto output = std::make_shared<TensorAttr>();
  output->setName("t" + number).setDim(std::move(dim)).setDataType(type).setIsVirtual(true);
  makers[output.get()] = static_cast<int>(nodes.size());
  nodes.push_back({std::move(attr), std::move(inputs), output, ""});
  nodeOps.push_back(op);
  return output;
}

void GraphReader::define(Operation *op, const TensorPtr &tensor, Value value) {
  if (!tensor)
    return;
  if (!value)
    value = op->getResult(0);
  GraphTensor result;
  if (!declared(value, result))
    return refuse(op, "its result is a " + typeText(value.getType()) + "; tensors of static shape are read");
  result.tensor = tensor;
  define(value, std::move(result));
}

TensorPtr GraphReader::scalar(double value, DataType like) {
  bool isWhole = value == std::floor(value) && std::abs(value) < 9e15;
  TensorAttr attr = isFloat(like) || !isWhole              ? TensorAttr(static_cast<float>(value))
                    : value == static_cast<int32_t>(value) ? TensorAttr(static_cast<int32_t>(value))
                                                           : TensorAttr(static_cast<int64_t>(value));
  TensorPtr tensor = graph.tensor(attr);
  tensor->setName("constant" + std::to_string(graph.tensors().size()));
  return tensor;
}

LogicalResult GraphReader::report(Operation *op, const Complaint &complaint) {
  if (complaint.isInvalid)
    return op->emitError(complaint.reason);
  return op->emitError("unsupported: ") << complaint.reason;
}

/// A message of the graph's, at the op that the node came from: "convFProp 'n3', tensor 't3': what is wrong".
LogicalResult GraphReader::report(const Status &status) {
  Operation *op = function;
  std::string message = status.message();
  size_t start = message.find(" 'n"), number = 0, end = 0;
  if (start != std::string::npos) {
    end = start + 3;
    for (; end < message.size() && std::isdigit(static_cast<unsigned char>(message[end])); ++end)
      number = number * 10 + static_cast<size_t>(message[end] - '0');
    if (end > start + 3 && end < message.size() && message[end] == '\'' && number < nodeOps.size())
      op = nodeOps[number];
  }
  if (size_t colon = message.find("': "); op != function && colon != std::string::npos)
    message = nameOf(op) + ": " + message.substr(colon + 3);
  return report(op, {status.code() == StatusCode::InvalidArgument, message});
}

/// Convolutions take over zeros around an operand; what is around one is otherwise not read.
static bool takesPadding(Operation *op) {
  return isa<AtenConvolutionOp, AtenUnderscoreConvolutionOp, AtenConv1dOp, AtenConv2dOp, AtenConv3dOp,
             AtenConv1dPaddingOp, AtenConv2dPaddingOp, AtenConv3dPaddingOp, AtenConvolutionBackwardOp>(op);
}

LogicalResult GraphReader::read(Operation *op) {
  if (auto overwrite = dyn_cast<OverwriteTensorContentsOp>(op)) {
    auto argument = dyn_cast<BlockArgument>(overwrite.getOverwritten());
    if (!argument || argument.getOwner() != &function.getBody().front())
      return op->emitError("unsupported: it overwrites something else than an argument");
    if (staticTensor(overwrite.getValue().getType()) != staticTensor(argument.getType()))
      return op->emitError() << "it writes a " << typeText(overwrite.getValue().getType()) << " into a "
                             << typeText(argument.getType());
    return deliver(op, overwrite.getValue(), static_cast<int>(argument.getArgNumber()));
  }
  bool makesTensor = false;
  for (Value result : op->getResults())
    makesTensor = makesTensor || isa<VTensorType, NonValueTensorType>(result.getType());
  if (!makesTensor)
    return success(); // Constants and lists are read where they are used.
  for (Value operand : op->getOperands())
    if (isa<VTensorType, NonValueTensorType>(operand.getType()) && !at(operand).isRead &&
        !(takesPadding(op) && at(operand).inner)) {
      GraphTensor unread = at(operand);
      refuse(op, unread.complaint);
      for (Value result : op->getResults())
        if (values.count(result))
          values[result].culprit = unread.culprit;
      return success();
    }
  GraphTensor result;
  for (Value value : op->getResults())
    if (isa<VTensorType, NonValueTensorType>(value.getType()) && !value.use_empty() && !declared(value, result)) {
      refuse(op, nameOf(op) + " makes a " + typeText(value.getType()) + "; tensors of static shape are read");
      return success();
    }
  for (auto reader : {&GraphReader::creation, &GraphReader::convolution, &GraphReader::product, &GraphReader::view})
    if ((this->*reader)(op))
      return success();
  for (auto reader : {&GraphReader::reduction, &GraphReader::composition, &GraphReader::scalarOp,
                      &GraphReader::activation, &GraphReader::backwardOp})
    if ((this->*reader)(op))
      return success();
  if (!pointwise(op))
    refuse(op, "op " + nameOf(op) + " is none that is read");
  return success();
}

TensorPtr GraphReader::writable(const TensorPtr &tensor, Extents stride, Extents &makerStride) {
  TensorPtr at = tensor;
  while (true) {
    auto maker = makers.find(at.get());
    if (maker == makers.end() || !at->isVirtual())
      return nullptr; // An argument, or written already.
    const graph::Node &node = nodes[maker->second];
    if (std::holds_alternative<graph::TransposeAttr>(node.attr)) {
      stride = graph::toSource(node, stride);
    } else if (std::holds_alternative<graph::ReshapeAttr>(node.attr)) {
      std::optional<Extents> source = graph::reshapedStrides(at->getDim(), stride, node.inputs[0]->getDim());
      if (!source)
        return nullptr;
      stride = *source;
    } else if (std::holds_alternative<graph::SliceAttr>(node.attr)) {
      return nullptr;
    } else {
      // A product over several batch dims exists row by row only.
      if (std::holds_alternative<graph::MatmulAttr>(node.attr) && at->getDim().size() > 2 &&
          graph::memoryOrder(at->getDim(), stride) != graph::memoryOrder(at->getDim(), rows(at->getDim())))
        return nullptr;
      makerStride = std::move(stride);
      return at;
    }
    at = node.inputs[0];
  }
}

LogicalResult GraphReader::deliver(Operation *op, Value value, int destination) {
  const GraphTensor &from = at(value);
  if (!from.isRead)
    return report(from.culprit, from.complaint);
  if (!from.tensor)
    return op->emitError("unsupported: what it writes or returns was never computed");
  if (from.tensor->getDim() != from.dim)
    return op->emitError("unsupported: it writes or returns ")
           << shapeText(from.dim) << " that repeats a tensor of " << shapeText(from.tensor->getDim());
  if (destination >= 0) {
    ArgumentBinding &argument = imported.binding.arguments[destination];
    if (argument.use != ArgumentUse::Unused)
      return op->emitError("unsupported: ") << "argument " << destination << " is written twice";
    argument.use = ArgumentUse::Destination;
  }
  Extents stride;
  TensorPtr tensor = writable(from.tensor, rows(from.dim), stride);
  if (!tensor) {
    tensor = node(op, graph::PointwiseAttr().setMode(PointwiseMode::IDENTITY), {from.tensor}, from.dim, from.type);
    stride = rows(from.dim);
  }
  tensor->setOutput(true).setStride(stride);
  written.push_back({tensor, destination});
  return success();
}

LogicalResult GraphReader::finish() {
  if (written.empty())
    return function->emitError("unsupported: the function writes and returns nothing that is read");
  std::vector<bool> isLive(nodes.size(), false);
  for (size_t i = nodes.size(); i-- > 0;) {
    isLive[i] = isLive[i] || !nodes[i].output->isVirtual();
    for (const TensorPtr &input : nodes[i].inputs)
      if (auto maker = makers.find(input.get()); isLive[i] && maker != makers.end())
        isLive[maker->second] = true;
  }
  for (size_t i = 0; i < nodes.size(); ++i)
    if (isLive[i])
      graph.node(nodes[i]);
  if (Status status = graph.validate(); !status.ok())
    return report(status);
  Expected<graph::GraphProblem> problem = graph.problem();
  if (!problem)
    return report(problem.status());
  imported.problem = problem.take();

  llvm::DenseMap<const TensorAttr *, int> outputs;
  const GraphSpec &spec = imported.problem.spec;
  int inputs = 0;
  for (size_t value = 0; value < spec.values.size(); ++value) {
    auto argument = argumentOf.find(imported.problem.tensors[value].get());
    if (spec.values[value].kind != GraphValue::Kind::Input)
      continue;
    ArgumentBinding &bound = imported.binding.arguments[argument->second];
    if (bound.use == ArgumentUse::Destination)
      return function->emitError("unsupported: ") << "argument " << argument->second << " is read and written";
    bound.use = ArgumentUse::Operand;
    bound.tensor = inputs++;
  }
  for (auto [number, value] : llvm::enumerate(spec.outputs))
    outputs[imported.problem.tensors[value].get()] = static_cast<int>(number);
  imported.binding.destinations.assign(spec.outputs.size(), -1);
  for (const Written &each : written) {
    int output = outputs.at(each.tensor.get());
    imported.binding.destinations[output] = each.destination;
    if (each.destination >= 0)
      imported.binding.arguments[each.destination].tensor = output;
    else
      imported.returned.push_back(output);
  }
  return success();
}

LogicalResult GraphReader::run() {
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return function->emitError("unsupported: the function has no body of one block");
  graph.setStrictRounding(function->hasAttr("orzo.strict_rounding"));
  arguments();
  for (Operation &op : function.getBody().front()) {
    if (auto end = dyn_cast<func::ReturnOp>(op)) {
      for (Value value : end.getOperands())
        if (failed(deliver(end, value, -1)))
          return failure();
    } else if (failed(read(&op))) {
      return failure();
    }
  }
  return finish();
}

} // namespace orzo::torch

namespace orzo {

FailureOr<ImportedGraph> importTorchGraph(ModuleOp source) {
  func::FuncOp found;
  for (Operation &op : source.getBody()->getOperations()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function || found)
      return op.emitError("unsupported: expected a module of one function on torch tensors");
    found = function;
  }
  if (!found)
    return source.emitError("unsupported: expected a module of one function on torch tensors");
  torch::GraphReader reader(found);
  if (failed(reader.run()))
    return failure();
  return std::move(reader.imported);
}

} // namespace orzo
