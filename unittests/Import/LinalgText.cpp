#include "LinalgText.h"

#include <algorithm>
#include <array>

namespace orzo::test {

LinalgStyle LinalgStyle::driver() {
  LinalgStyle style;
  style.border = Border::Async;
  return style;
}

LinalgStyle LinalgStyle::graph() {
  LinalgStyle style;
  style.border = Border::Async;
  style.batchChannelSpatial = true;
  style.constantZero = false;
  style.destination = true;
  return style;
}

LinalgStyle LinalgStyle::random(std::mt19937 &random) {
  LinalgStyle style;
  style.border = static_cast<Border>(pick(random, 0, 2));
  style.flip = static_cast<Flip>(pick(random, 0, 2));
  style.zeros = static_cast<Zeros>(pick(random, 0, 2));
  style.batchChannelSpatial = pick(random, 0, 1);
  style.constantZero = pick(random, 0, 1);
  style.destination = pick(random, 0, 1);
  style.padBySlice = pick(random, 0, 1);
  style.shuffle = static_cast<uint32_t>(pick(random, 0, 1 << 30));
  return style;
}

namespace {

using Shape = std::vector<int64_t>;

std::string join(const std::vector<std::string> &parts) {
  std::string line;
  for (const std::string &part : parts)
    line += (line.empty() ? "" : ", ") + part;
  return line;
}

std::string list(const Shape &numbers) {
  std::vector<std::string> parts;
  for (int64_t number : numbers)
    parts.push_back(std::to_string(number));
  return "[" + join(parts) + "]";
}

/// A tensor value: its name, shape, and what each dim is.
struct Tensor {
  std::string value;
  Shape shape;
  std::vector<Axis> axes;
};

class Writer {
public:
  Writer(const Sample &sample, const LinalgStyle &style)
      : sample(sample), style(style), random(style.shuffle), element(name(sample.type)),
        result(orzo::resultRole(sample.direction)) {}

  std::string run();

private:
  std::string fresh() { return "%t" + std::to_string(counter++); }
  std::string line(const std::string &text) {
    std::string value = fresh();
    body += "    " + value + " = " + text + "\n";
    return value;
  }
  std::string type(const Shape &shape, const std::string &elementType) const {
    std::string text = "tensor<";
    for (int64_t extent : shape)
      text += std::to_string(extent) + "x";
    return text + elementType + ">";
  }
  std::string type(const Tensor &tensor) const { return type(tensor.shape, element); }
  std::string zeros(const Shape &shape, const std::string &elementType, bool constant);
  Tensor argument(Role role);
  Tensor transpose(const Tensor &tensor, const Shape &order);
  Tensor toWork(Role role, Tensor tensor);
  Tensor splitGroups(Role role, Tensor tensor);
  Tensor widen(const Tensor &tensor, const std::vector<std::array<int64_t, 4>> &dims);
  Tensor flip(const Tensor &w);
  std::string product(Tensor a, Tensor b, const std::vector<Axis> &outAxes, const Shape &outShape);
  std::string back(std::string value, Role role, std::vector<Axis> axes, Shape shape);

  bool isSpatialAxis(Axis axis) const { return axis >= Axis::S0; }
  static std::string loops(size_t count) {
    std::vector<std::string> names;
    for (size_t loop = 0; loop < count; ++loop)
      names.push_back("d" + std::to_string(loop));
    return join(names);
  }
  static std::string map(size_t count, const std::vector<std::string> &results) {
    return "affine_map<(" + loops(count) + ") -> (" + join(results) + ")>";
  }
  static std::vector<std::string> identity(size_t count) {
    std::vector<std::string> results;
    for (size_t loop = 0; loop < count; ++loop)
      results.push_back("d" + std::to_string(loop));
    return results;
  }
  static std::string parallel(size_t count) { return join(std::vector<std::string>(count, "\"parallel\"")); }
  std::vector<Axis> workAxes(Role role) const;

  const Sample &sample;
  const LinalgStyle &style;
  std::mt19937 random;
  std::string element;
  Role result;
  std::string body;
  int counter = 0;
};

std::string Writer::zeros(const Shape &shape, const std::string &elementType, bool constant) {
  if (constant)
    return line("arith.constant dense<0.000000e+00> : " + type(shape, elementType));
  std::string empty = line("tensor.empty() : " + type(shape, elementType));
  std::string zero = line("arith.constant 0.000000e+00 : " + elementType);
  return line("linalg.fill ins(" + zero + " : " + elementType + ") outs(" + empty + " : " + type(shape, elementType) +
              ") -> " + type(shape, elementType));
}

/// The axes of a role in the order that the product works in, groups apart.
std::vector<Axis> Writer::workAxes(Role role) const {
  std::vector<Axis> axes;
  bool w = role == Role::W;
  auto add = [&](bool grouped, Axis axis) {
    if (grouped && sample.groups > 1)
      axes.push_back(Axis::G);
    axes.push_back(axis);
  };
  bool channelSecond = style.batchChannelSpatial || !sample.channelsLast;
  add(w, w ? Axis::K : Axis::N);
  if (channelSecond)
    add(!w, role == Role::Y ? Axis::K : Axis::C);
  for (int dim = 0; dim < sample.rank(); ++dim)
    axes.push_back(spatialAxis(dim));
  if (!channelSecond)
    add(!w, role == Role::Y ? Axis::K : Axis::C);
  return axes;
}

Tensor Writer::transpose(const Tensor &tensor, const Shape &order) {
  Tensor moved;
  for (int64_t dim : order)
    moved.shape.push_back(tensor.shape[dim]);
  std::string empty = line("tensor.empty() : " + type(moved));
  moved.value = line("linalg.transpose ins(" + tensor.value + " : " + type(tensor) + ") outs(" + empty + " : " +
                     type(moved) + ") permutation = " + list(order));
  return moved;
}

/// Into the order N C H W where the style works in it; groups and channels apart.
Tensor Writer::toWork(Role role, Tensor tensor) {
  if (style.batchChannelSpatial && sample.channelsLast)
    tensor = transpose(tensor, sample.logicalToMemory(role));
  Tensor work;
  work.axes = workAxes(role);
  work.value = tensor.value;
  work.shape = tensor.shape;
  if (sample.groups == 1)
    return work;
  std::vector<std::string> groups;
  work.shape.clear();
  int64_t next = 0;
  for (int64_t dim = 0; dim < static_cast<int64_t>(tensor.shape.size()); ++dim) {
    if (work.axes[next] == Axis::G) {
      work.shape.push_back(sample.groups);
      work.shape.push_back(tensor.shape[dim] / sample.groups);
      groups.push_back(list({next, next + 1}));
      next += 2;
    } else {
      work.shape.push_back(tensor.shape[dim]);
      groups.push_back(list({next++}));
    }
  }
  work.value = line("tensor.expand_shape " + tensor.value + " [" + join(groups) + "] output_shape " + list(work.shape) +
                    " : " + type(tensor) + " into " + type(work));
  return work;
}

/// Element i along a dim goes to low + step*i of `extent`; then `start` elements are cut off. Zeros elsewhere.
/// Each entry of `dims`: {low, step, extent before the cut, start}; the extent after it is extent - start and whatever
/// follows is in `extent` already.
Tensor Writer::widen(const Tensor &tensor, const std::vector<std::array<int64_t, 4>> &dims) {
  Tensor wide = tensor;
  size_t count = tensor.shape.size();
  Shape low(count, 0), high(count, 0), step(count, 1), start(count, 0);
  bool steps = false, pads = false, cuts = false;
  for (size_t dim = 0; dim < count; ++dim) {
    if (!isSpatialAxis(tensor.axes[dim]))
      continue;
    auto [before, stride, extent, cut] = dims[spatialIndex(tensor.axes[dim])];
    low[dim] = before;
    step[dim] = stride;
    start[dim] = cut;
    int64_t inner = (tensor.shape[dim] - 1) * stride + 1;
    high[dim] = extent - before - inner;
    wide.shape[dim] = extent;
    steps |= stride != 1 && tensor.shape[dim] > 1;
    pads |= before != 0 || high[dim] != 0;
    cuts |= cut != 0;
  }
  if (steps || (pads && style.padBySlice)) {
    // An output map that is a loop by itself cannot leave a tail.
    bool tail = false;
    for (size_t dim = 0; dim < count; ++dim)
      tail |= low[dim] == 0 && step[dim] == 1 && high[dim] != 0;
    if (style.zeros == LinalgStyle::Zeros::Slice || (tail && style.zeros == LinalgStyle::Zeros::OutputMap)) {
      std::string zero = zeros(wide.shape, element, style.constantZero);
      wide.value = line("tensor.insert_slice " + tensor.value + " into " + zero + list(low) + " " + list(tensor.shape) +
                        " " + list(step) + " : " + type(tensor) + " into " + type(wide));
    } else if (style.zeros == LinalgStyle::Zeros::OutputMap) {
      std::string zero = zeros(wide.shape, element, style.constantZero);
      std::vector<std::string> to;
      for (size_t dim = 0; dim < count; ++dim)
        to.push_back("d" + std::to_string(dim) + " * " + std::to_string(step[dim]) + " + " + std::to_string(low[dim]));
      wide.value = line("linalg.generic {indexing_maps = [" + map(count, identity(count)) + ", " + map(count, to) +
                        "], iterator_types = [" + parallel(count) + "]} ins(" + tensor.value + " : " + type(tensor) +
                        ") outs(" + zero + " : " + type(wide) + ") {\n    ^bb0(%in: " + element + ", %out: " + element +
                        "):\n      linalg.yield %in : " + element + "\n    } -> " + type(wide));
    } else {
      std::string zero = line("arith.constant 0.000000e+00 : " + element);
      std::string empty = line("tensor.empty() : " + type(wide));
      std::string text = "linalg.generic {indexing_maps = [" + map(count, identity(count)) + "], iterator_types = [" +
                         parallel(count) + "]} outs(" + empty + " : " + type(wide) + ") {\n    ^bb0(%out: " + element +
                         "):\n";
      std::string inside = "      %yes = arith.constant true\n";
      std::string condition = "%yes";
      std::vector<std::string> index;
      for (size_t dim = 0; dim < count; ++dim) {
        std::string id = std::to_string(dim);
        inside += "      %i" + id + " = linalg.index " + id + " : index\n";
        if (low[dim] == 0 && step[dim] == 1 && high[dim] == 0) {
          index.push_back("%i" + id);
          continue;
        }
        inside += "      %low" + id + " = arith.constant " + std::to_string(low[dim]) + " : index\n      %step" + id +
                  " = arith.constant " + std::to_string(step[dim]) + " : index\n      %zero" + id +
                  " = arith.constant 0 : index\n      %end" + id + " = arith.constant " +
                  std::to_string((tensor.shape[dim] - 1) * step[dim] + 1) + " : index\n      %off" + id +
                  " = arith.subi %i" + id + ", %low" + id + " : index\n      %rem" + id + " = arith.remsi %off" + id +
                  ", %step" + id + " : index\n      %at" + id + " = arith.divsi %off" + id + ", %step" + id +
                  " : index\n      %div" + id + " = arith.cmpi eq, %rem" + id + ", %zero" + id + " : index\n      %ge" +
                  id + " = arith.cmpi sge, %off" + id + ", %zero" + id + " : index\n      %lt" + id +
                  " = arith.cmpi slt, %off" + id + ", %end" + id + " : index\n      %a" + id + " = arith.andi %ge" +
                  id + ", %lt" + id + " : i1\n      %b" + id + " = arith.andi %a" + id + ", %div" + id + " : i1\n";
        if (condition == "%yes") {
          condition = "%b" + id;
        } else {
          inside += "      %c" + id + " = arith.andi " + condition + ", %b" + id + " : i1\n";
          condition = "%c" + id;
        }
        index.push_back("%at" + id);
      }
      inside += "      %e = tensor.extract " + tensor.value + "[" + join(index) + "] : " + type(tensor) +
                "\n      %s = arith.select " + condition + ", %e, " + zero + " : " + element +
                "\n      linalg.yield %s : " + element + "\n    } -> " + type(wide);
      wide.value = line(text + inside);
    }
  } else if (pads) {
    std::string zero = line("arith.constant 0.000000e+00 : " + element);
    std::vector<std::string> names;
    for (size_t dim = 0; dim < count; ++dim)
      names.push_back("%p" + std::to_string(dim) + ": index");
    wide.value =
        line("tensor.pad " + tensor.value + " low" + list(low) + " high" + list(high) + " {\n    ^bb0(" + join(names) +
             "):\n      tensor.yield " + zero + " : " + element + "\n    } : " + type(tensor) + " to " + type(wide));
  }
  if (cuts) {
    Tensor cut = wide;
    for (size_t dim = 0; dim < count; ++dim)
      cut.shape[dim] -= start[dim];
    cut.value = line("tensor.extract_slice " + wide.value + list(start) + " " + list(cut.shape) + " " +
                     list(Shape(count, 1)) + " : " + type(wide) + " to " + type(cut));
    wide = cut;
  }
  return wide;
}

/// w mirrored along its spatial dims.
Tensor Writer::flip(const Tensor &w) {
  size_t count = w.shape.size();
  if (style.flip == LinalgStyle::Flip::Missing || style.flip == LinalgStyle::Flip::InProduct)
    return w;
  Tensor mirrored = w;
  std::vector<std::string> from;
  for (size_t dim = 0; dim < count; ++dim)
    from.push_back(isSpatialAxis(w.axes[dim]) ? std::to_string(w.shape[dim] - 1) + " - d" + std::to_string(dim)
                                              : "d" + std::to_string(dim));
  if (style.flip == LinalgStyle::Flip::ReversedMap) {
    std::string empty = line("tensor.empty() : " + type(w));
    mirrored.value = line("linalg.generic {indexing_maps = [" + map(count, from) + ", " + map(count, identity(count)) +
                          "], iterator_types = [" + parallel(count) + "]} ins(" + w.value + " : " + type(w) +
                          ") outs(" + empty + " : " + type(w) + ") {\n    ^bb0(%in: " + element + ", %out: " + element +
                          "):\n      linalg.yield %in : " + element + "\n    } -> " + type(w));
    return mirrored;
  }
  std::string init = zeros(w.shape, element, false);
  std::string inside;
  std::vector<std::string> index;
  for (size_t dim = 0; dim < count; ++dim) {
    std::string id = std::to_string(dim);
    inside += "      %i" + id + " = linalg.index " + id + " : index\n";
    if (!isSpatialAxis(w.axes[dim]) || w.shape[dim] == 1) {
      index.push_back("%i" + id);
      continue;
    }
    inside += "      %l" + id + " = arith.constant " + std::to_string(w.shape[dim] - 1) + " : index\n      %r" + id +
              " = arith.subi %l" + id + ", %i" + id + " : index\n";
    index.push_back("%r" + id);
  }
  mirrored.value =
      line("linalg.generic {indexing_maps = [" + map(count, identity(count)) + ", " + map(count, identity(count)) +
           "], iterator_types = [" + parallel(count) + "]} ins(" + w.value + " : " + type(w) + ") outs(" + init +
           " : " + type(w) + ") {\n    ^bb0(%in: " + element + ", %out: " + element + "):\n" + inside +
           "      %e = tensor.extract " + w.value + "[" + join(index) + "] : " + type(w) +
           "\n      linalg.yield %e : " + element + "\n    } -> " + type(w));
  return mirrored;
}

/// Loops: all axes of the output, then those that are summed over. A spatial dim has two loops: one of the output, S0 +
/// dim, and one that is summed over, written as the axis plus 8.
std::string Writer::product(Tensor a, Tensor b, const std::vector<Axis> &outAxes, const Shape &outShape) {
  constexpr int reduced = 8;
  std::vector<int> order;
  for (Axis axis : outAxes)
    order.push_back(static_cast<int>(axis));
  size_t parallelLoops = order.size();
  for (int dim = 0; dim < sample.rank(); ++dim)
    order.push_back(static_cast<int>(spatialAxis(dim)) + reduced);
  order.push_back(static_cast<int>(sample.direction == Direction::FProp   ? Axis::C
                                   : sample.direction == Direction::DGrad ? Axis::K
                                                                          : Axis::N));
  std::vector<bool> isParallel(order.size(), false);
  std::fill(isParallel.begin(), isParallel.begin() + static_cast<int64_t>(parallelLoops), true);
  if (style.shuffle) {
    std::vector<size_t> shuffled(order.size());
    for (size_t loop = 0; loop < order.size(); ++loop)
      shuffled[loop] = loop;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    std::vector<int> newOrder;
    std::vector<bool> newParallel;
    for (size_t loop : shuffled) {
      newOrder.push_back(order[loop]);
      newParallel.push_back(isParallel[loop]);
    }
    order = newOrder;
    isParallel = newParallel;
  }
  auto loop = [&](int which) {
    return "d" + std::to_string(std::find(order.begin(), order.end(), which) - order.begin());
  };
  auto indexOf = [&](const Tensor &tensor, bool isWide) {
    std::vector<std::string> results;
    for (size_t dim = 0; dim < tensor.axes.size(); ++dim) {
      Axis axis = tensor.axes[dim];
      if (!isSpatialAxis(axis)) {
        results.push_back(loop(static_cast<int>(axis)));
        continue;
      }
      const SpatialDim &spatial = sample.dims[spatialIndex(axis)];
      std::string outer = loop(static_cast<int>(axis)), inner = loop(static_cast<int>(axis) + reduced);
      if (!isWide) {
        results.push_back(inner);
      } else if (sample.direction == Direction::FProp) {
        results.push_back(outer + " * " + std::to_string(spatial.stride) + " + " + inner + " * " +
                          std::to_string(spatial.dilation));
      } else if (sample.direction == Direction::DGrad) {
        results.push_back(outer + " + " + inner + " * " + std::to_string(spatial.dilation));
      } else {
        results.push_back(inner + " * " + std::to_string(spatial.stride) + " + " + outer + " * " +
                          std::to_string(spatial.dilation));
      }
    }
    return map(order.size(), results);
  };
  std::vector<std::string> outIndex;
  for (Axis axis : outAxes)
    outIndex.push_back(loop(static_cast<int>(axis)));
  std::string aMap = indexOf(a, true), bMap = indexOf(b, false), inBody;
  if (style.flip == LinalgStyle::Flip::InProduct && sample.direction == Direction::DGrad) {
    // The body reads w itself, mirrored; an operand that is not read says how long the loops over taps are.
    Tensor taps;
    std::vector<std::string> tapLoops, index;
    for (size_t dim = 0; dim < b.axes.size(); ++dim) {
      std::string id = std::to_string(dim);
      bool isTap = isSpatialAxis(b.axes[dim]);
      std::string of = loop(static_cast<int>(b.axes[dim]) + (isTap ? reduced : 0));
      inBody += "      %i" + id + " = linalg.index " + of.substr(1) + " : index\n";
      index.push_back("%i" + id);
      if (!isTap)
        continue;
      taps.shape.push_back(b.shape[dim]);
      tapLoops.push_back(of);
      inBody += "      %last" + id + " = arith.constant " + std::to_string(b.shape[dim] - 1) + " : index\n      %r" +
                id + " = arith.subi %last" + id + ", %i" + id + " : index\n";
      index.back() = "%r" + id;
    }
    inBody += "      %w_in = tensor.extract " + b.value + "[" + join(index) + "] : " + type(b) + "\n";
    taps.value = line("tensor.empty() : " + type(taps));
    b = taps;
    bMap = map(order.size(), tapLoops);
  }
  std::string aName = "%in", bName = "%in_1";
  if (style.shuffle % 2 == 1) {
    std::swap(a, b);
    std::swap(aMap, bMap);
    std::swap(aName, bName);
  }
  std::vector<std::string> iterators;
  for (bool each : isParallel)
    iterators.push_back(each ? "\"parallel\"" : "\"reduction\"");
  std::string accumulator = zeros(outShape, "f32", style.shuffle % 3 == 1);
  std::string inside = inBody, left = aName, right = inBody.empty() ? bName : "%w_in";
  if (sample.type != DataType::F32) {
    inside += "      %l = arith.extf " + left + " : " + element + " to f32\n      %r = arith.extf " + right + " : " +
              element + " to f32\n";
    left = "%l";
    right = "%r";
  }
  if (style.shuffle % 5 == 1)
    std::swap(left, right);
  inside += "      %m = arith.mulf " + left + ", " + right + " : f32\n      %s = arith.addf " +
            (style.shuffle % 7 < 3 ? "%out, %m" : "%m, %out") + " : f32\n      linalg.yield %s : f32\n    } -> " +
            type(outShape, "f32");
  return line("linalg.generic {indexing_maps = [" + aMap + ", " + bMap + ", " + map(order.size(), outIndex) +
              "], iterator_types = [" + join(iterators) + "]} ins(" + a.value + ", " + b.value + " : " + type(a) +
              ", " + type(b) + ") outs(" + accumulator + " : " + type(outShape, "f32") +
              ") {\n    ^bb0(%in: " + element + ", %in_1: " + element + ", %out: f32):\n" + inside);
}

/// Rounded, groups and channels in one dim again, and in memory order.
std::string Writer::back(std::string value, Role role, std::vector<Axis> axes, Shape shape) {
  if (sample.type != DataType::F32) {
    std::string empty = line("tensor.empty() : " + type(shape, element));
    size_t count = shape.size();
    value = line("linalg.generic {indexing_maps = [" + map(count, identity(count)) + ", " +
                 map(count, identity(count)) + "], iterator_types = [" + parallel(count) + "]} ins(" + value + " : " +
                 type(shape, "f32") + ") outs(" + empty + " : " + type(shape, element) +
                 ") {\n    ^bb0(%in: f32, %out: " + element + "):\n      %c = arith.truncf %in : f32 to " + element +
                 "\n      linalg.yield %c : " + element + "\n    } -> " + type(shape, element));
  }
  Tensor work = {value, shape, axes};
  if (sample.groups > 1) {
    Tensor folded;
    std::vector<std::string> groups;
    for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
      if (axes[dim] == Axis::G) {
        groups.push_back(list({dim, dim + 1}));
        folded.shape.push_back(shape[dim] * shape[dim + 1]);
        ++dim;
      } else {
        groups.push_back(list({dim}));
        folded.shape.push_back(shape[dim]);
      }
    }
    folded.value =
        line("tensor.collapse_shape " + value + " [" + join(groups) + "] : " + type(work) + " into " + type(folded));
    work = folded;
  }
  if (style.batchChannelSpatial && sample.channelsLast) {
    Shape order = sample.logicalToMemory(role), inverse(order.size());
    for (size_t dim = 0; dim < order.size(); ++dim)
      inverse[order[dim]] = static_cast<int64_t>(dim);
    work = transpose(work, inverse);
  }
  return work.value;
}

Tensor Writer::argument(Role role) {
  std::string name = "%" + std::string(orzo::name(role));
  Shape shape = sample.shape(role);
  if (style.border == LinalgStyle::Border::Function)
    return {name, shape, {}};
  std::string wait = style.border == LinalgStyle::Border::Async ? "wait(%wait) => " : "";
  return {line("hal.tensor.import " + wait + name + " : !hal.buffer_view -> " + type(shape, element)), shape, {}};
}

std::string Writer::run() {
  std::array<Tensor, 3> tensors;
  std::array<Role, 2> operands = operandRoles(sample.direction);
  for (Role role : operands)
    tensors[static_cast<int>(role)] = toWork(role, argument(role));
  std::vector<std::array<int64_t, 4>> dims;
  for (const SpatialDim &dim : sample.dims) {
    if (sample.direction == Direction::DGrad) {
      int64_t low = dim.dilation * (dim.filter - 1) - dim.padLow + style.offByOne;
      int64_t needed = dim.in + dim.dilation * (dim.filter - 1), cut = std::max<int64_t>(-low, 0);
      int64_t inner = (dim.out - 1) * dim.stride + 1, before = std::max<int64_t>(low, 0);
      dims.push_back({before, dim.stride, std::max(before + inner, cut + needed), cut});
    } else {
      int64_t reach = (dim.out - 1) * dim.stride + (dim.filter - 1) * dim.dilation + 1;
      int64_t before = std::max<int64_t>(dim.padLow - style.offByOne, 0);
      int64_t cut = std::max<int64_t>(style.offByOne - dim.padLow, 0);
      dims.push_back({before, 1, std::max(dim.in + before, reach + cut), cut});
    }
  }
  Shape outShape;
  std::vector<Axis> outAxes = workAxes(result);
  for (Axis axis : outAxes) {
    ConvSpec spec = sample.spec();
    outShape.push_back(spec.extent(result, axis));
  }
  std::string value;
  Tensor &x = tensors[0], &w = tensors[1], &y = tensors[2];
  if (sample.direction == Direction::FProp)
    value = product(widen(x, dims), w, outAxes, outShape);
  else if (sample.direction == Direction::DGrad)
    value = product(widen(y, dims), flip(w), outAxes, outShape);
  else
    value = product(widen(x, dims), y, outAxes, outShape);
  value = back(value, result, outAxes, outShape);

  std::string resultType = type(sample.shape(result), element);
  std::string first = "%" + std::string(name(operands[0])), second = "%" + std::string(name(operands[1]));
  std::string firstType = type(sample.shape(operands[0]), element),
              secondType = type(sample.shape(operands[1]), element);
  if (style.border == LinalgStyle::Border::Function)
    return "func.func @conv(" + first + ": " + firstType + ", %unused: f32, " + second + ": " + secondType + ") -> " +
           resultType + " {\n" + body + "    return " + value + " : " + resultType + "\n}\n";
  if (style.border == LinalgStyle::Border::Buffers)
    return "module {\n  util.func public @conv(" + first + ": !hal.buffer_view, " + second +
           ": !hal.buffer_view) -> !hal.buffer_view {\n" + body + "    %exported = hal.tensor.export " + value +
           " \"output0\" : " + resultType +
           " -> !hal.buffer_view\n    util.return %exported : !hal.buffer_view\n  }\n}\n";
  std::string end, arguments;
  if (style.destination) {
    arguments = "%dest: !hal.buffer_view, " + first + ": !hal.buffer_view, " + second + ": !hal.buffer_view";
    end = "    %alias = hal.tensor.alias wait(%wait) => " + value + " : " + resultType +
          " to %dest : !hal.buffer_view\n    %done = hal.tensor.barrier join(%alias : " + resultType +
          ") => %signal : !hal.fence\n    util.return\n";
  } else {
    arguments = first + ": !hal.buffer_view, %dest: !hal.buffer_view, " + second + ": !hal.buffer_view";
    end = "    %done = hal.tensor.barrier join(" + value + " : " + resultType +
          ") => %signal : !hal.fence\n    %exported = hal.tensor.export %done : " + resultType +
          " -> !hal.buffer_view\n    util.return %exported : !hal.buffer_view\n";
  }
  std::string outcome = style.destination ? "" : " -> !hal.buffer_view";
  std::string call = style.destination ? "" : "%out = ", callType = style.destination ? "()" : "!hal.buffer_view";
  return "module @module {\n  util.func public @conv$async(" + arguments + ", %wait: !hal.fence, %signal: !hal.fence)" +
         outcome +
         " attributes {inlining_policy = #util.inline.never, iree.abi.model = \"coarse-fences\", iree.abi.stub} {\n" +
         body + end +
         "  }\n  util.func public @conv(%a: !hal.buffer_view, %b: !hal.buffer_view, %c: !hal.buffer_view)" + outcome +
         " attributes {iree.abi.stub} {\n    %null = util.null : !hal.fence\n    %minus = arith.constant -1 : i32\n"
         "    %zero = arith.constant 0 : index\n    %device = hal.devices.get %zero : !hal.device\n"
         "    %fence = hal.fence.create device(%device : !hal.device) flags(\"None\") : !hal.fence\n    " +
         call +
         "util.call @conv$async(%a, %b, %c, %null, %fence) : (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, "
         "!hal.fence, !hal.fence) -> " +
         callType +
         "\n    %status = hal.fence.await until([%fence]) timeout_millis(%minus) flags(\"None\") : i32\n"
         "    util.return" +
         (style.destination ? "" : " %out : !hal.buffer_view") + "\n  }\n}\n";
}

} // namespace

std::string linalgText(const Sample &sample, const LinalgStyle &style) { return Writer(sample, style).run(); }

} // namespace orzo::test
