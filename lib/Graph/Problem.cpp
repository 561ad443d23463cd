// GraphDefinition::problem(): from tensors and nodes to the canonical list of steps over memory.
#include "Graph/NodeRules.h"
#include "Graph/Renaming.h"
#include "Graph/StepOrder.h"
#include "orzo/Graph/GraphDefinition.h"
#include "orzo/Spec/Canonical.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>

namespace orzo::graph {

namespace {

/// A tensor as memory of a value: the value, its first element, and the elements between neighbours along each dim.
struct View {
  int value = 0;
  int64_t offset = 0;
  Extents dim, stride;
};

} // namespace

class ProblemMaker {
public:
  explicit ProblemMaker(const GraphDefinition &graph) : graph(graph) {}

  Expected<GraphProblem> run() {
    result.spec.strictRounding = graph.strictRounding;
    findLive();
    findCopies();
    chooseStrides();
    for (int index : graph.order) {
      const Node &node = graph.nodeList[index];
      if (!live.contains(node.output.get()))
        continue;
      if (Status status = addNode(node); !status.ok())
        return status;
    }
    return inCanonicalOrder(std::move(result));
  }

private:
  /// Tensors that an output depends on.
  void findLive() {
    for (auto index = graph.order.rbegin(); index != graph.order.rend(); ++index) {
      const Node &node = graph.nodeList[*index];
      if (node.output->isVirtual() && !live.contains(node.output.get()))
        continue;
      live[node.output.get()] = {};
      makers[node.output.get()] = &node;
      for (const TensorPtr &input : node.inputs)
        live[input.get()] = {};
    }
  }

  static bool isShape(const Node &node) { return node.attr.index() > 6; }

  /// The node that makes the elements which `tensor` shows, where those are whole and virtual; else null.
  const Node *rootOf(const TensorAttr &tensor) const {
    const TensorAttr *at = &tensor;
    while (true) {
      auto maker = makers.find(at);
      if (maker == makers.end() || !at->isVirtual())
        return nullptr;
      if (!isRenaming(*maker->second))
        return isShape(*maker->second) ? nullptr : maker->second;
      at = maker->second->inputs[0].get();
    }
  }

  /// Whether the result of `node` is its input under another name. That of a copy is only where nobody sees the
  /// difference: a part or an input that is copied is meant to have memory of its own.
  bool isAlias(const Node &node) const {
    if (!isRenaming(node))
      return false;
    if (!node.output->isVirtual())
      return takenOver.contains(node.output.get());
    return isShape(node) || rootOf(*node.inputs[0]);
  }

  /// A virtual tensor that goes into one output renamed needs no memory besides: its maker writes the output.
  void findCopies() {
    std::unordered_map<const Node *, int> count;
    std::vector<std::pair<const Node *, const Node *>> copies; // A node, and the one whose output it writes.
    for (int index : graph.order) {
      const Node &node = graph.nodeList[index];
      if (node.output->isVirtual() || !isRenaming(node))
        continue;
      if (const Node *root = rootOf(*node.inputs[0])) {
        ++count[root];
        copies.emplace_back(root, &node);
      }
    }
    for (auto [root, copy] : copies) {
      if (count[root] != 1)
        continue;
      Extents stride = copy->output->getStride();
      const Node *at = copy;
      for (; at != root; at = makers.at(at->inputs[0].get()))
        stride = toSource(*at, stride);
      const Extents &dim = root->output->getDim();
      if (root->attr.index() < 4 && !isPacked(dim, stride))
        continue;
      if (wantsRows(*root) && memoryOrder(dim, stride) != memoryOrder(dim, packedRows(dim)))
        continue;
      memoryOf[root->output.get()] = copy->output;
      takenOver.insert(copy->output.get());
      live[root->output.get()] = stride;
      settled.insert(root->output.get());
    }
  }

  /// A virtual tensor has no memory, so its strides are nobody's wish but a hint, and two graphs that differ in them
  /// alone are one. It lies as the result that it goes into, where that has its dims; what goes into none lies as what
  /// it is made from. Among several the first in order of strides decides, whatever order the nodes have. A tensor
  /// under another name is the tensor: it has no strides of its own, and what it is offered its source is.
  void chooseStrides() {
    for (auto &[tensor, stride] : live)
      if (!tensor->isVirtual() || tensor->isScalar())
        stride = tensor->getStride();
    for (const Node &node : graph.nodeList)
      if (live.contains(node.output.get()) && node.output->isVirtual() && !settled.contains(node.output.get()) &&
          wantsRows(node)) {
        live[node.output.get()] = packedRows(node.output->getDim());
        settled.insert(node.output.get());
      }
    for (auto index = graph.order.rbegin(); index != graph.order.rend(); ++index)
      if (live.contains(graph.nodeList[*index].output.get()))
        chooseInputs(graph.nodeList[*index]);
    for (int index : graph.order)
      if (const Node &node = graph.nodeList[index]; live.contains(node.output.get()))
        chooseOutput(node);
  }

  /// A product over several batch dims, or of a matrix repeated over the batch, exists in one order of memory only.
  static bool wantsRows(const Node &node) {
    return std::holds_alternative<MatmulAttr>(node.attr) &&
           (node.output->getDim().size() > 3 || node.inputs[0]->getDim().size() != node.inputs[1]->getDim().size() ||
            node.inputs[0]->getDim()[0] != node.inputs[1]->getDim()[0]);
  }

  void chooseInputs(const Node &node) {
    const Extents &stride = live[node.output.get()];
    if (isAlias(node)) // What it was offered its source was.
      return;
    if (std::holds_alternative<ReshapeAttr>(node.attr) && !isRenaming(node))
      return offer(*node.inputs[0], packedRows(node.inputs[0]->getDim()));
    if (stride.empty() || !isPacked(node.output->getDim(), stride))
      return;
    if (isShape(node) && isRenaming(node))
      return offer(*node.inputs[0], toSource(node, stride));
    if (std::holds_alternative<PointwiseAttr>(node.attr) || std::holds_alternative<CastAttr>(node.attr))
      for (const TensorPtr &input : node.inputs)
        if (input->getDim() == node.output->getDim())
          offer(*input, stride);
  }

  void chooseOutput(const Node &node) {
    const Extents &dim = node.output->getDim();
    if (!live[node.output.get()].empty())
      return;
    if (isAlias(node)) {
      live[node.output.get()] = fromSource(node, live[node.inputs[0].get()]);
      return;
    }
    bool anyInput = std::holds_alternative<PointwiseAttr>(node.attr);
    for (const TensorPtr &input : node.inputs) {
      const Extents &stride = live[input.get()];
      bool fits = anyInput ? input->getDim() == dim && isInjective(dim, stride) : input->getDim().size() == dim.size();
      if (fits && !std::holds_alternative<MatmulAttr>(node.attr))
        offer(*node.output, packedInOrder(dim, fullOrder(input->getDim(), stride)));
      if (!anyInput)
        break;
    }
    if (live[node.output.get()].empty())
      live[node.output.get()] = packedRows(dim);
  }

  /// A virtual tensor takes the first of the strides offered; those of dims of extent 1 are set to 0 for that.
  void offer(const TensorAttr &tensor, Extents stride) {
    if (!tensor.isVirtual() || tensor.isScalar() || settled.contains(&tensor))
      return;
    if (const Node &maker = *makers.at(&tensor); isAlias(maker))
      return offer(*maker.inputs[0], toSource(maker, stride));
    for (size_t i = 0; i < stride.size(); ++i)
      if (tensor.getDim()[i] == 1)
        stride[i] = 0;
    Extents &chosen = live[&tensor];
    if (chosen.empty() || stride < chosen)
      chosen = stride;
  }

  int addValue(const TensorPtr &tensor, GraphValue::Kind kind) {
    GraphValue value{kind, tensor->getDataType(), 0, 0};
    value.elements = span(tensor->getDim(), live[tensor.get()]).value_or(0);
    if (kind == GraphValue::Kind::Constant)
      value.constant = roundTo(value.type, tensor->getScalarValue().value_or(0));
    result.spec.values.push_back(value);
    result.tensors.push_back(tensor);
    return static_cast<int>(result.tensors.size()) - 1;
  }

  /// Equal constants are one.
  int constantOf(const TensorPtr &tensor) {
    double wanted = roundTo(tensor->getDataType(), tensor->getScalarValue().value_or(0));
    for (int value = 0; value < static_cast<int>(result.spec.values.size()); ++value)
      if (const GraphValue &other = result.spec.values[value];
          other.kind == GraphValue::Kind::Constant && other.type == tensor->getDataType() &&
          std::bit_cast<uint64_t>(other.constant) == std::bit_cast<uint64_t>(wanted))
        return value;
    return addValue(tensor, GraphValue::Kind::Constant);
  }

  View &viewOf(const TensorPtr &tensor) {
    auto found = views.find(tensor.get());
    if (found != views.end())
      return found->second;
    View view;
    view.value = tensor->isScalar() ? constantOf(tensor) : addValue(tensor, GraphValue::Kind::Input);
    view.dim = tensor->getDim();
    view.stride = tensor->isScalar() ? Extents(view.dim.size(), 0) : live[tensor.get()];
    return views[tensor.get()] = view;
  }

  int addResult(const Node &node) {
    auto found = memoryOf.find(node.output.get());
    const TensorPtr &memory = found == memoryOf.end() ? node.output : found->second;
    View view;
    view.value = addValue(memory, memory->isVirtual() ? GraphValue::Kind::Virtual : GraphValue::Kind::Output);
    view.dim = node.output->getDim();
    view.stride = live[node.output.get()];
    views[node.output.get()] = view;
    if (!memory->isVirtual())
      result.spec.outputs.push_back(view.value);
    return view.value;
  }

  void addStep(const Node &node, GraphStep step) {
    result.spec.steps.push_back(std::move(step));
    result.nodes.push_back(describe(node));
  }

  Status addNode(const Node &node) {
    if (isAlias(node)) {
      View view = viewOf(node.inputs[0]);
      view.stride = fromSource(node, view.stride);
      view.dim = node.output->getDim();
      views[node.output.get()] = view;
      return Status::success();
    }
    if (node.attr.index() < 4)
      return addConvolution(node);
    if (const auto *attr = std::get_if<PointwiseAttr>(&node.attr))
      return addPointwise(node, *attr);
    if (const auto *attr = std::get_if<ReductionAttr>(&node.attr))
      return addReduction(node, *attr);
    if (std::holds_alternative<CastAttr>(node.attr))
      return addPointwise(node, PointwiseAttr().setMode(PointwiseMode::IDENTITY));
    return addShape(node);
  }

  Status addConvolution(const Node &node) {
    NodeStrides strides;
    for (int i = 0; i < 2; ++i) {
      const View &view = viewOf(node.inputs[i]);
      if (node.inputs[i]->isScalar())
        return unsupported(node, *node.inputs[i], "a scalar constant cannot be an operand here");
      if (view.offset != 0 || result.spec.values[view.value].elements != volume(view.dim))
        return unsupported(node, *node.inputs[i], "is a part of another tensor; a convolution reads whole ones");
      strides[i] = view.stride;
    }
    strides[2] = live[node.output.get()];
    bool isMatmul = std::holds_alternative<MatmulAttr>(node.attr);
    Expected<ConvSpec> spec = isMatmul ? matmulSpecOf(node, strides) : convSpecOf(node, strides);
    if (!spec)
      return spec.status();
    std::array<Role, 3> roles = isMatmul ? std::array{Role::X, Role::W, Role::Y} : convRoles(node);
    Canonical canonical = canonicalise(*spec);
    GraphStep step{canonical.spec, {}, 0};
    for (Role role : operandRoles(canonical.spec.direction)) {
      Role source = canonical.views[static_cast<int>(role)].source;
      step.operands.push_back(viewOf(node.inputs[source == roles[0] ? 0 : 1]).value);
    }
    step.result = addResult(node);
    addStep(node, std::move(step));
    return Status::success();
  }

  /// The loops over `dim` in which operand i moves by strides[i], the last being the result.
  static std::vector<GraphLoop> loopsOver(const Extents &dim, const std::vector<Extents> &strides,
                                          const Extents &order) {
    std::vector<GraphLoop> loops;
    for (int i : memoryOrder(dim, order)) {
      GraphLoop loop{dim[i], {}};
      for (const Extents &stride : strides)
        loop.strides.push_back(stride[i]);
      loops.push_back(std::move(loop));
    }
    return merged(std::move(loops));
  }

  Status addPointwise(const Node &node, const PointwiseAttr &attr) {
    PointwiseStep step;
    step.mode = attr.getMode();
    step.parameters = relevant(step.mode, attr.getParameters());
    std::vector<int> operands;
    std::vector<Extents> strides;
    std::vector<int64_t> offsets;
    for (const TensorPtr &input : node.inputs) {
      const View &view = viewOf(input);
      operands.push_back(view.value);
      offsets.push_back(view.offset);
      strides.push_back(broadcastStrides(view.dim, view.stride, node.output->getDim()));
    }
    // a > b is b < a: one of each pair suffices.
    if (step.mode == PointwiseMode::CMP_GT || step.mode == PointwiseMode::CMP_GE) {
      step.mode = step.mode == PointwiseMode::CMP_GT ? PointwiseMode::CMP_LT : PointwiseMode::CMP_LE;
      std::swap(operands[0], operands[1]);
      std::swap(strides[0], strides[1]);
      std::swap(offsets[0], offsets[1]);
    }
    return addLoops(node, std::move(step), std::move(operands), std::move(strides), std::move(offsets));
  }

  Status addLoops(const Node &node, PointwiseStep step, std::vector<int> operands, std::vector<Extents> strides,
                  std::vector<int64_t> offsets) {
    strides.push_back(live[node.output.get()]);
    step.loops = loopsOver(node.output->getDim(), strides, strides.back());
    step.offsets = std::move(offsets);
    GraphStep whole{std::move(step), std::move(operands), 0};
    whole.result = addResult(node);
    addStep(node, std::move(whole));
    return Status::success();
  }

  Status addReduction(const Node &node, const ReductionAttr &attr) {
    const View &view = viewOf(node.inputs[0]);
    if (view.offset != 0)
      return unsupported(node, *node.inputs[0], "is a part of another tensor; a reduction reads from its beginning");
    Extents target = live[node.output.get()];
    for (size_t i = 0; i < target.size(); ++i)
      if (node.output->getDim()[i] == 1)
        target[i] = 0;
    ReductionStep step;
    // SUM is an old name of ADD.
    step.mode = attr.getMode() == ReductionMode::SUM ? ReductionMode::ADD : attr.getMode();
    step.loops = loopsOver(view.dim, {view.stride, target}, view.stride);
    GraphStep whole{std::move(step), {view.value}, 0};
    whole.result = addResult(node);
    addStep(node, std::move(whole));
    return Status::success();
  }

  /// reshape, transpose, slice: the same memory seen otherwise; a copy only where the result has memory of its own.
  Status addShape(const Node &node) {
    View view = viewOf(node.inputs[0]);
    if (isRenaming(node)) {
      view.stride = fromSource(node, view.stride);
      view.dim = node.output->getDim();
    } else if (const auto *attr = std::get_if<SliceAttr>(&node.attr)) {
      for (size_t i = 0; i < view.dim.size(); ++i) {
        view.offset += attr->getStarts()[i] * (view.dim[i] == 1 ? 0 : view.stride[i]);
        view.stride[i] *= attr->getSteps().empty() ? 1 : attr->getSteps()[i];
      }
      view.dim = node.output->getDim();
    } else {
      std::optional<Extents> stride = reshapedStrides(view.dim, view.stride, node.output->getDim());
      if (!stride)
        return unsupported(node, *node.output,
                           "this reshape would move elements: the input's dims " + text(view.dim) + " with strides " +
                               text(view.stride) + " are no " + text(node.output->getDim()) +
                               "; packed row by row it would work");
      view.stride = *stride;
      view.dim = node.output->getDim();
    }
    if (node.output->isVirtual()) {
      views[node.output.get()] = view;
      return Status::success();
    }
    return addLoops(node, PointwiseStep{}, {view.value}, {broadcastStrides(view.dim, view.stride, view.dim)},
                    {view.offset});
  }

  const GraphDefinition &graph;
  GraphProblem result;
  std::unordered_map<const TensorAttr *, Extents> live; ///< With the strides that they have in the problem.
  std::unordered_map<const TensorAttr *, const Node *> makers;
  std::unordered_set<const TensorAttr *> settled;             ///< Virtual tensors that take no offer.
  std::unordered_set<const TensorAttr *> takenOver;           ///< Outputs that the maker of their source writes,
  std::unordered_map<const TensorAttr *, TensorPtr> memoryOf; ///< and the source's memory then.
  std::unordered_map<const TensorAttr *, View> views;
};

Expected<GraphProblem> GraphDefinition::problem() const {
  if (Status status = checkValidated("its text"); !status.ok())
    return status;
  return ProblemMaker(*this).run();
}

} // namespace orzo::graph
