#include "Graph/NodeRules.h"
#include "orzo/Graph/GraphDefinition.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace orzo::graph {

/// One run of GraphDefinition::validate().
class Validation {
public:
  explicit Validation(GraphDefinition &graph) : graph(graph) {}

  Status run() {
    for (auto step :
         {&Validation::checkNodes, &Validation::checkNames, &Validation::checkProducers, &Validation::orderNodes,
          &Validation::checkTypes, &Validation::visitInputs, &Validation::visitNodes, &Validation::checkOutputs})
      if (Status status = (this->*step)(); !status.ok())
        return status;
    return Status::success();
  }

private:
  /// Every tensor there, of this graph; as many as the node takes at least.
  Status checkNodes() {
    int counter = 0;
    std::unordered_set<const TensorAttr *> known;
    for (const TensorPtr &tensor : graph.tensorList)
      known.insert(tensor.get());
    for (Node &node : graph.nodeList) {
      node.name = givenName(node.attr);
      if (node.name.empty())
        node.name = "#" + std::to_string(counter);
      ++counter;
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        if (!node.inputs[i])
          return invalid(node, "input " + std::to_string(i) + " is null; it takes what graph.tensor() or a node gave");
        if (!known.contains(node.inputs[i].get()))
          return invalid(node, *node.inputs[i],
                         "is none of this graph's; a graph takes tensors made by its own tensor() and nodes");
      }
      if (!node.output)
        return invalid(node, "its output is null");
      size_t wanted = node.attr.index() < 4 ? 2 : 1;
      if (node.inputs.size() < wanted ||
          (node.inputs.size() > wanted && !std::holds_alternative<PointwiseAttr>(node.attr)))
        return invalid(node, "takes " + std::to_string(wanted) + " inputs; got " + std::to_string(node.inputs.size()));
    }
    return Status::success();
  }

  /// Names made up for those that have none; no name twice.
  Status checkNames() {
    std::unordered_map<std::string, const Node *> nodeNames;
    for (const Node &node : graph.nodeList)
      if (!nodeNames.emplace(node.name, &node).second)
        return invalid(node, *node.output, "another node has this name, " + describe(*nodeNames[node.name]));
    std::unordered_map<const TensorAttr *, const Node *> makers;
    for (const Node &node : graph.nodeList)
      makers[node.output.get()] = &node;
    std::unordered_set<std::string> names;
    int counter = 0;
    for (const TensorPtr &tensor : graph.tensorList) {
      TensorInference::clear(*tensor);
      auto maker = makers.find(tensor.get());
      if (tensor->getName().empty())
        TensorInference::setName(*tensor,
                                 maker != makers.end() ? maker->second->name + ".out" : "#" + std::to_string(counter));
      ++counter;
      if (names.insert(tensor->getName()).second)
        continue;
      std::string message = "another tensor of the graph has this name";
      return maker != makers.end() ? invalid(*maker->second, *tensor, message)
                                   : Status::invalidArgument("tensor '" + tensor->getName() + "': " + message);
    }
    return Status::success();
  }

  Status checkProducers() {
    for (int i = 0; i < static_cast<int>(graph.nodeList.size()); ++i) {
      const Node &node = graph.nodeList[i];
      if (node.output->isScalar())
        return invalid(node, *node.output, "a scalar constant cannot be a result");
      auto [other, isNew] = producers.emplace(node.output.get(), i);
      if (!isNew)
        return invalid(node, *node.output, "is the result of " + describe(graph.nodeList[other->second]) + " already");
    }
    return Status::success();
  }

  Status orderNodes() {
    std::vector<int> missing(graph.nodeList.size(), 0);
    std::vector<std::vector<int>> users(graph.nodeList.size());
    std::deque<int> ready;
    for (int i = 0; i < static_cast<int>(missing.size()); ++i) {
      for (const TensorPtr &input : graph.nodeList[i].inputs)
        if (auto producer = producers.find(input.get()); producer != producers.end()) {
          ++missing[i];
          users[producer->second].push_back(i);
        }
      if (missing[i] == 0)
        ready.push_back(i);
    }
    graph.order.clear();
    for (; !ready.empty(); ready.pop_front()) {
      graph.order.push_back(ready.front());
      for (int user : users[ready.front()])
        if (--missing[user] == 0)
          ready.push_back(user);
    }
    // What is left hangs on a cycle; going from input to input, it is entered after as many steps as there are nodes.
    auto stuck = std::find_if(missing.begin(), missing.end(), [](int count) { return count > 0; });
    if (stuck == missing.end())
      return Status::success();
    int at = static_cast<int>(stuck - missing.begin());
    for (size_t step = 0; step < missing.size(); ++step)
      for (const TensorPtr &input : graph.nodeList[at].inputs)
        if (auto producer = producers.find(input.get()); producer != producers.end() && missing[producer->second] > 0) {
          at = producer->second;
          break;
        }
    const Node &node = graph.nodeList[at];
    return invalid(node, *node.output, "depends on itself: the graph has a cycle");
  }

  Status checkTypes() {
    if (graph.computeType == DataType::Double)
      return Status::unsupported("graph '" + graph.name + "': the compute data type must be f32 or less; got f64");
    return Status::success();
  }

  /// "tensor 'x': message", with its first user where it has one.
  Status wrong(const TensorAttr &tensor, const std::string &message) const {
    for (const Node &node : graph.nodeList)
      for (const TensorPtr &used : node.inputs)
        if (used.get() == &tensor)
          return invalid(node, tensor, message);
    return Status::invalidArgument("tensor '" + tensor.getName() + "': " + message);
  }

  std::optional<std::string> wrongShape(const TensorAttr &tensor, bool isResult) const {
    const Extents &dim = tensor.getDim(), &stride = tensor.getStride();
    if (dim.empty())
      return "has no dims; setDim would work";
    if (dim.size() > 16)
      return "may have 1 to 16 dims; got " + std::to_string(dim.size());
    for (int64_t extent : dim)
      if (extent < 0)
        return "its dims must not be negative; got " + text(dim);
    if (!volume(dim))
      return "may have at most 2^62 elements; its dims " + text(dim) + " multiply to more";
    if (stride.size() != dim.size())
      return "must have a stride for each of its " + std::to_string(dim.size()) + " dims (" + text(dim) + "); got " +
             std::to_string(stride.size()) + " (" + text(stride) + ")";
    for (size_t i = 0; i < dim.size(); ++i)
      if (dim[i] != 1 && stride[i] < 0)
        return "its strides must not be negative; got " + text(stride);
    if (!span(dim, stride))
      return "its strides " + text(stride) + " reach beyond 2^62 elements";
    if (isResult && !isInjective(dim, stride))
      return "two elements of a result would share memory: dims " + text(dim) + ", strides " + text(stride);
    return std::nullopt;
  }

  Status visitInputs() {
    for (const TensorPtr &tensor : graph.tensorList) {
      if (producers.contains(tensor.get()))
        continue;
      if (tensor->isVirtual() && !tensor->isScalar())
        return wrong(*tensor, "is virtual and no node makes it; an input must not be virtual");
      if (tensor->getDataType() == DataType::NotSet) {
        if (graph.ioType == DataType::NotSet)
          return wrong(*tensor, "has no data type; setDataType on it or setIODataType on the graph would work");
        TensorInference::setType(*tensor, graph.ioType);
      }
      if (tensor->getStride().empty() && volume(tensor->getDim()))
        TensorInference::setStride(*tensor, packedRows(tensor->getDim()));
      if (std::optional<std::string> message = wrongShape(*tensor, false))
        return wrong(*tensor, *message);
      if (tensor->isScalar() && tensor->getVolume() != 1)
        return wrong(*tensor, "a scalar has one element; got dims " + text(tensor->getDim()));
    }
    return Status::success();
  }

  Status visitNodes() {
    for (int index : graph.order) {
      const Node &node = graph.nodeList[index];
      TensorAttr &output = *node.output;
      const NodeRules &rules = rulesOf(node);
      if (Status status = rules.preValidate(node); !status.ok())
        return status;
      // Given dims are looked at before anything is inferred from them.
      if (!output.getDim().empty() && (output.getDim().size() > 16 || !volume(output.getDim()) ||
                                       *std::min_element(output.getDim().begin(), output.getDim().end()) < 0))
        return invalid(node, output,
                       "its dims must be at most 16, not negative, and multiply to at most 2^62; got " +
                           text(output.getDim()));
      if (Status status = rules.infer(node); !status.ok())
        return status;
      if (output.getDataType() == DataType::NotSet) {
        bool inner = output.isVirtual() && graph.intermediateType != DataType::NotSet;
        DataType type = inner ? graph.intermediateType : graph.ioType;
        if (type == DataType::NotSet)
          return invalid(node, output, "has no data type; setDataType on it or setIODataType on the graph would work");
        TensorInference::setType(output, type);
      }
      if (std::optional<std::string> message = wrongShape(output, true))
        return invalid(node, output, *message);
      if (Status status = rules.postValidate(node); !status.ok())
        return status;
    }
    return Status::success();
  }

  Status checkOutputs() {
    for (const Node &node : graph.nodeList)
      if (!node.output->isVirtual())
        return Status::success();
    return Status::invalidArgument("graph '" + graph.name +
                                   "': no tensor is an output; setOutput(true) on the "
                                   "result of a node would work");
  }

  GraphDefinition &graph;
  std::unordered_map<const TensorAttr *, int> producers;
};

Status GraphDefinition::validate() {
  validated = false;
  Status status = Validation(*this).run();
  validated = status.ok();
  checked.clear();
  for (const TensorPtr &tensor : tensorList)
    checked.push_back(*tensor);
  return status;
}

Status GraphDefinition::checkValidated(std::string_view call) const {
  std::string where = "graph '" + name + "': ";
  if (!validated)
    return Status::invalidArgument(where + std::string(call) +
                                   " needs a validate() that succeeded after the last change of the graph");
  for (size_t i = 0; i < tensorList.size(); ++i) {
    const TensorAttr &now = *tensorList[i], &then = checked[i];
    if (now.getDim() != then.getDim() || now.getStride() != then.getStride() ||
        now.getDataType() != then.getDataType() || now.isVirtual() != then.isVirtual())
      return Status::invalidArgument(where + "tensor '" + now.getName() + "' has changed since validate(); " +
                                     std::string(call) + " needs another validate()");
  }
  return Status::success();
}

} // namespace orzo::graph
