#include "NaiveGraph.h"

#include "Reference/Pointwise.h"
#include "Reference/Reduction.h"

#include <cmath>
#include <functional>

namespace orzo::graph::test {

namespace {

using Index = std::vector<int64_t>;

void each(const Index &dim, const std::function<void(const Index &)> &body) {
  for (int64_t extent : dim)
    if (extent == 0)
      return;
  Index index(dim.size(), 0);
  while (true) {
    body(index);
    size_t level = dim.size();
    while (level-- > 0 && ++index[level] == dim[level])
      index[level] = 0;
    if (level == static_cast<size_t>(-1))
      return;
  }
}

/// Row-by-row position of `index`, aligned at the last dim, repeated along dims of extent 1.
int64_t flat(const Index &dim, const Index &index) {
  int64_t position = 0;
  for (size_t i = 0; i < dim.size(); ++i) {
    int64_t at = index[index.size() - dim.size() + i];
    position = position * dim[i] + (dim[i] == 1 ? 0 : at);
  }
  return position;
}

struct Tensor {
  const Index &dim;
  Logical &values;
  double &operator()(const Index &index) { return values[flat(dim, index)]; }
};

template <typename Attr> void convolve(const Attr &attr, Direction direction, Tensor x, Tensor w, Tensor y) {
  const ConvGeometry &g = attr.getGeometry();
  Tensor &result = direction == Direction::FProp ? y : direction == Direction::DGrad ? x : w;
  result.values.assign(result.values.size(), 0);
  int64_t groups = x.dim[1] / w.dim[1], perGroup = w.dim[0] / groups;
  each(y.dim, [&](const Index &out) {
    each(w.dim, [&](const Index &tap) {
      if (tap[0] != out[1])
        return;
      Index in = {out[0], tap[0] / perGroup * w.dim[1] + tap[1]};
      for (size_t i = 2; i < out.size(); ++i) {
        in.push_back(out[i] * (g.stride.empty() ? 1 : g.stride[i - 2]) +
                     tap[i] * (g.dilation.empty() ? 1 : g.dilation[i - 2]) -
                     (g.prePadding.empty() ? 0 : g.prePadding[i - 2]));
        if (in[i] < 0 || in[i] >= x.dim[i])
          return;
      }
      if (direction == Direction::FProp)
        y(out) += x(in) * w(tap);
      else if (direction == Direction::DGrad)
        x(in) += y(out) * w(tap);
      else
        w(tap) += x(in) * y(out);
    });
  });
}

class Evaluator {
public:
  Evaluator(const Node &node, std::map<const TensorAttr *, Logical> &values) : node(node), values(values) {}

  void operator()(const ConvFPropAttr &attr) { convolve(attr, Direction::FProp, in(0), in(1), out()); }
  void operator()(const ConvDGradAttr &attr) { convolve(attr, Direction::DGrad, out(), in(1), in(0)); }
  void operator()(const ConvWGradAttr &attr) { convolve(attr, Direction::WGrad, in(1), out(), in(0)); }

  void operator()(const MatmulAttr &) {
    each(out().dim, [&](const Index &index) {
      double sum = 0;
      for (int64_t k = 0; k < in(0).dim.back(); ++k) {
        Index a = index, b = index;
        a.back() = k;
        b[b.size() - 2] = k;
        sum += in(0)(a)*in(1)(b);
      }
      out()(index) = sum;
    });
  }

  void operator()(const PointwiseAttr &attr) {
    each(out().dim, [&](const Index &index) {
      std::vector<double> operands;
      for (size_t i = 0; i < node.inputs.size(); ++i)
        operands.push_back(in(i)(index));
      out()(index) = reference::pointwise(attr.getMode(), attr.getParameters(), operands);
    });
  }

  void operator()(const ReductionAttr &attr) {
    Logical &sums = out().values;
    sums.assign(sums.size(), reference::initial(attr.getMode()));
    each(in(0).dim, [&](const Index &index) {
      double &sum = out()(index);
      sum = reference::accumulate(attr.getMode(), sum, in(0)(index));
    });
    for (double &sum : sums)
      sum = reference::finish(attr.getMode(), sum, node.inputs[0]->getVolume() / node.output->getVolume());
  }

  void operator()(const CastAttr &) { out().values = in(0).values; }
  void operator()(const ReshapeAttr &) { out().values = in(0).values; }

  void operator()(const TransposeAttr &attr) {
    each(out().dim, [&](const Index &index) {
      Index source(index.size());
      for (size_t i = 0; i < index.size(); ++i)
        source[attr.getPermutation()[i]] = index[i];
      out()(index) = in(0)(source);
    });
  }

  void operator()(const SliceAttr &attr) {
    each(out().dim, [&](const Index &index) {
      Index source(index.size());
      for (size_t i = 0; i < index.size(); ++i)
        source[i] = attr.getStarts()[i] + index[i] * (attr.getSteps().empty() ? 1 : attr.getSteps()[i]);
      out()(index) = in(0)(source);
    });
  }

private:
  Tensor in(size_t i) { return {node.inputs[i]->getDim(), values[node.inputs[i].get()]}; }
  Tensor out() { return {node.output->getDim(), values[node.output.get()]}; }

  const Node &node;
  std::map<const TensorAttr *, Logical> &values;
};

} // namespace

std::vector<int64_t> positions(const TensorAttr &tensor) {
  std::vector<int64_t> result;
  each(tensor.getDim(), [&](const Index &index) {
    int64_t position = 0;
    for (size_t i = 0; i < index.size(); ++i)
      position += index[i] * tensor.getStride()[i];
    result.push_back(position);
  });
  return result;
}

std::map<const TensorAttr *, Logical> naive(const GraphDefinition &graph,
                                            std::map<const TensorAttr *, Logical> values) {
  for (const TensorPtr &tensor : graph.tensors())
    if (tensor->isScalar())
      values[tensor.get()] = {*tensor->getScalarValue()};
  std::vector<const Node *> waiting;
  for (const Node &node : graph.nodes())
    waiting.push_back(&node);
  while (!waiting.empty())
    for (size_t i = 0; i < waiting.size(); ++i) {
      const Node &node = *waiting[i];
      bool ready = true;
      for (const TensorPtr &input : node.inputs)
        ready = ready && values.contains(input.get());
      if (!ready)
        continue;
      values[node.output.get()].assign(node.output->getVolume(), NAN);
      std::visit(Evaluator(node, values), node.attr);
      if (!isFloat(node.output->getDataType()))
        for (double &value : values[node.output.get()])
          value = std::isnan(value) ? value : roundTo(node.output->getDataType(), value);
      waiting.erase(waiting.begin() + static_cast<int64_t>(i));
      break;
    }
  return values;
}

} // namespace orzo::graph::test
