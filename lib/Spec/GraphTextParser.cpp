#include "orzo/Spec/Canonical.h"
#include "orzo/Spec/GraphSpec.h"

#include <algorithm>
#include <charconv>

namespace orzo {

namespace {

Status wrong(int line, const std::string &message) {
  return Status::invalidArgument("line " + std::to_string(line) + " of the graph text: " + message);
}

/// Reads one line from left to right. A read that does not fit returns false and leaves the rest as it is.
struct LineReader {
  std::string_view rest;

  bool skip(std::string_view word) {
    if (!rest.starts_with(word))
      return false;
    rest.remove_prefix(word.size());
    return true;
  }
  template <typename T> bool number(T &value) {
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc())
      return false;
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    return true;
  }
  /// Letters, digits and underscores.
  std::string_view word() {
    auto isWord = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    size_t length = std::find_if_not(rest.begin(), rest.end(), isWord) - rest.begin();
    std::string_view result = rest.substr(0, length);
    rest.remove_prefix(length);
    return result;
  }
};

class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Expected<GraphSpec> run() {
    if (text.starts_with("conv."))
      return convolutionAlone();
    std::string_view header = nextLine();
    graph.strictRounding = header == "graph.v1 strict-rounding";
    if (header != "graph.v1" && !graph.strictRounding)
      return wrong(line, "got '" + std::string(header) + "'; expected graph.v1, or a convolution's text");
    while (!text.starts_with("output")) {
      if (text.empty())
        return wrong(line + 1, "the text ends without a line of outputs");
      LineReader reader{nextLine()};
      int number = 0;
      if (!reader.skip("%") || !reader.number(number) || number != static_cast<int>(graph.values.size()) ||
          !reader.skip(" = "))
        return wrong(line, "expected %" + std::to_string(graph.values.size()) + " = ...");
      if (Status status = value(reader); !status.ok())
        return status;
    }
    if (Status status = outputs(LineReader{nextLine()}); !status.ok())
      return status;
    if (!text.empty())
      return wrong(line + 1, "nothing may follow the outputs");
    if (Status status = validate(graph); !status.ok())
      return status;
    return graph;
  }

private:
  std::string_view nextLine() {
    ++line;
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view result = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return result;
  }

  Expected<GraphSpec> convolutionAlone() {
    Expected<ConvSpec> spec = parseConvSpec(text);
    if (!spec)
      return spec.status();
    if (Status status = validate(*spec); !status.ok())
      return status;
    for (Role role : operandRoles(spec->direction))
      graph.values.push_back({GraphValue::Kind::Input, toElementType(spec->type(role)), spec->elementCount(role), 0});
    addResult({*spec, {0, 1}, 2}, toElementType(spec->type(resultRole(spec->direction))));
    graph.values[2].kind = GraphValue::Kind::Output;
    graph.outputs = {2};
    return graph;
  }

  Status value(LineReader reader) {
    if (reader.skip("input ")) {
      GraphValue input;
      if (!reader.number(input.elements) || input.elements < 0 || !type(reader, input.type) || !reader.rest.empty())
        return wrong(line, "expected input ELEMENTS:TYPE");
      graph.values.push_back(input);
      return Status::success();
    }
    if (reader.skip("constant ")) {
      GraphValue constant{GraphValue::Kind::Constant, ElementType::Float, 1, 0};
      if (!reader.number(constant.constant) || !type(reader, constant.type) || !reader.rest.empty())
        return wrong(line, "expected constant NUMBER:TYPE");
      graph.values.push_back(constant);
      return Status::success();
    }
    if (reader.rest.starts_with("conv."))
      return convolution(reader.rest);
    return loops(reader);
  }

  static bool type(LineReader &reader, ElementType &type) {
    if (!reader.skip(":"))
      return false;
    std::string_view word = reader.word();
    for (int i = 1; i <= static_cast<int>(ElementType::Boolean); ++i)
      if (word == name(static_cast<ElementType>(i)))
        return type = static_cast<ElementType>(i), true;
    return false;
  }

  static bool operands(LineReader &reader, std::vector<int> &operands) {
    if (!reader.skip("("))
      return false;
    do {
      int number = 0;
      if (!reader.skip("%") || !reader.number(number))
        return false;
      operands.push_back(number);
    } while (reader.skip(", "));
    return reader.skip(")");
  }

  Status convolution(std::string_view rest) {
    size_t open = rest.rfind(" (");
    if (open == std::string_view::npos)
      return wrong(line, "a convolution is followed by its operands, as in (%0, %1)");
    GraphStep step;
    LineReader reader{rest.substr(open + 1)};
    if (!operands(reader, step.operands) || !reader.rest.empty())
      return wrong(line, "expected the operands of the convolution, as in (%0, %1)");
    Expected<ConvSpec> spec = parseConvSpec(rest.substr(0, open));
    Status status = spec ? validate(*spec) : spec.status();
    if (!status.ok())
      return status.within("line " + std::to_string(line) + " of the graph text");
    ElementType resultType = toElementType(spec->type(resultRole(spec->direction)));
    step.work = *spec;
    addResult(std::move(step), resultType);
    return Status::success();
  }

  Status loops(LineReader reader) {
    GraphStep step;
    bool isReduction = reader.skip("reduce_");
    std::string_view mode = reader.word();
    if (!operands(reader, step.operands))
      return wrong(line, "expected input, constant, conv.v1 or a mode and its operands, as in add(%0, %1)");
    PointwiseStep pointwise;
    ReductionStep reduction;
    reduction.mode = ReductionMode::NOT_SET;
    pointwise.mode = PointwiseMode::NOT_SET;
    for (PointwiseMode each : allPointwiseModes())
      if (!isReduction && mode == name(each))
        pointwise.mode = each;
    for (ReductionMode each : allReductionModes())
      if (isReduction && mode == name(each))
        reduction.mode = each;
    if (pointwise.mode == PointwiseMode::NOT_SET && reduction.mode == ReductionMode::NOT_SET)
      return wrong(line, "unknown mode '" + std::string(mode) + "'");
    pointwise.offsets.assign(step.operands.size(), 0);
    if (!isReduction && (!parameters(reader, pointwise) || !offsets(reader, step.operands, pointwise.offsets)))
      return wrong(line, "expected parameters of the mode, then offsets as in 'from %0+16'");
    std::vector<GraphLoop> loops;
    ElementType resultType = ElementType::NotSet;
    while (!reader.rest.starts_with(" :")) {
      GraphLoop loop;
      if (!reader.skip(" ") || !reader.number(loop.extent))
        return wrong(line, "expected loops as in 4:1:1, and at the end the type, as in ' :f32'");
      while (reader.skip(":"))
        if (!reader.number(loop.strides.emplace_back()))
          return wrong(line, "expected a stride for each operand and the result behind the extent of a loop");
      loops.push_back(std::move(loop));
    }
    reader.skip(" ");
    if (!type(reader, resultType) || !reader.rest.empty())
      return wrong(line, "expected the result's type at the end, as in ' :f32'");
    if (isReduction)
      step.work = ReductionStep{reduction.mode, std::move(loops)};
    else
      step.work = PointwiseStep{pointwise.mode, pointwise.parameters, std::move(loops), pointwise.offsets};
    addResult(std::move(step), resultType);
    return Status::success();
  }

  static bool parameters(LineReader &reader, PointwiseStep &step) {
    bool isSwish = step.mode == PointwiseMode::SWISH_FWD || step.mode == PointwiseMode::SWISH_BWD;
    PointwiseParameters &p = step.parameters;
    for (auto [label, value] : {std::pair(" lower=", &p.reluLowerClip), std::pair(" upper=", &p.reluUpperClip),
                                std::pair(" slope=", &p.reluLowerClipSlope), std::pair(" alpha=", &p.eluAlpha),
                                std::pair(" beta=", isSwish ? &p.swishBeta : &p.softplusBeta),
                                std::pair(" threshold=", &p.softplusThreshold)})
      if (reader.skip(label) && !reader.number(*value))
        return false;
    return p == relevant(step.mode, p);
  }

  static bool offsets(LineReader &reader, const std::vector<int> &operands, std::vector<int64_t> &offsets) {
    size_t position = 0;
    while (reader.skip(" from %")) {
      int number = 0;
      if (!reader.number(number) || !reader.skip("+"))
        return false;
      while (position < operands.size() && operands[position] != number)
        ++position;
      if (position == operands.size() || !reader.number(offsets[position]))
        return false;
      ++position;
    }
    return true;
  }

  void addResult(GraphStep step, ElementType type) {
    step.result = static_cast<int>(graph.values.size());
    GraphValue value{GraphValue::Kind::Virtual, type, resultElements(step), 0};
    graph.values.push_back(value);
    graph.steps.push_back(std::move(step));
  }

  Status outputs(LineReader reader) {
    reader.skip("output");
    while (reader.skip(" %")) {
      int number = 0;
      if (!reader.number(number) || number < 0 || number >= static_cast<int>(graph.values.size()) ||
          graph.values[number].kind != GraphValue::Kind::Virtual)
        return wrong(line, "outputs are results of steps, each once");
      graph.values[number].kind = GraphValue::Kind::Output;
      graph.outputs.push_back(number);
    }
    return reader.rest.empty() && !graph.outputs.empty() ? Status::success()
                                                         : wrong(line, "expected output %NUMBER ...");
  }

  std::string_view text;
  int line = 0;
  GraphSpec graph;
};

constexpr int64_t largestCount = int64_t(1) << 62;

/// One past the last element that stride `position` of `loops` reaches from `offset`; -1 where that is no position.
int64_t reach(const std::vector<GraphLoop> &loops, size_t position, int64_t offset) {
  __int128 last = offset;
  for (const GraphLoop &loop : loops) {
    if (position >= loop.strides.size() || loop.strides[position] < 0 || loop.extent < 0 || last > largestCount)
      return -1;
    last += __int128(loop.extent - 1) * loop.strides[position];
  }
  for (const GraphLoop &loop : loops)
    // Nothing is touched; but a reduction still writes what it keeps.
    if (loop.extent == 0 && (position + 1 < loop.strides.size() || loop.strides[position] != 0))
      return 0;
  return offset < 0 || last < 0 || last >= largestCount ? -1 : static_cast<int64_t>(last) + 1;
}

} // namespace

int64_t resultElements(const GraphStep &step) {
  if (const auto *conv = std::get_if<ConvSpec>(&step.work))
    return conv->elementCount(resultRole(conv->direction));
  const auto *pointwise = std::get_if<PointwiseStep>(&step.work);
  return reach(pointwise ? pointwise->loops : std::get<ReductionStep>(step.work).loops, step.operands.size(), 0);
}

static Status checkOperands(const GraphSpec &graph, const GraphStep &step, const std::string &where) {
  for (int operand : step.operands)
    if (operand < 0 || operand >= step.result)
      return Status::invalidArgument(where + "its operands must be made before it");
  if (const auto *conv = std::get_if<ConvSpec>(&step.work)) {
    if (step.operands.size() != 2)
      return Status::invalidArgument(where + "a convolution has two operands");
    for (int i = 0; i < 2; ++i) {
      Role role = operandRoles(conv->direction)[i];
      const GraphValue &value = graph.values[step.operands[i]];
      if (value.kind == GraphValue::Kind::Constant)
        return Status::invalidArgument(where + "operand " + std::to_string(i) +
                                       " is a constant; a convolution reads inputs and results");
      if (value.elements != conv->elementCount(role) || value.type != toElementType(conv->type(role)))
        return Status::invalidArgument(where + "operand " + std::to_string(i) + " is not the convolution's " +
                                       std::string(name(role)));
    }
    return Status::success();
  }
  const auto *pointwise = std::get_if<PointwiseStep>(&step.work);
  const auto &loops = pointwise ? pointwise->loops : std::get<ReductionStep>(step.work).loops;
  int wanted = pointwise ? inputCount(pointwise->mode) : 1;
  if (static_cast<int>(step.operands.size()) != wanted ||
      (pointwise && pointwise->offsets.size() != step.operands.size()))
    return Status::invalidArgument(where + "the mode takes " + std::to_string(wanted) + " operands");
  for (const GraphLoop &loop : loops)
    if (loop.strides.size() != step.operands.size() + 1)
      return Status::invalidArgument(where + "a loop needs a stride for each operand and the result");
  for (size_t i = 0; i < step.operands.size(); ++i) {
    int64_t elements = reach(loops, i, pointwise ? pointwise->offsets[i] : 0);
    if (elements < 0 || elements > graph.values[step.operands[i]].elements)
      return Status::invalidArgument(where + "its loops leave the memory of operand " + std::to_string(i));
  }
  return Status::success();
}

Status validate(const GraphSpec &graph) {
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    const GraphStep &step = graph.steps[i];
    std::string where = "step " + std::to_string(i) + " of the graph: ";
    if (step.result < 0 || step.result >= static_cast<int>(graph.values.size()))
      return Status::invalidArgument(where + "its result is no value");
    if (Status status = checkOperands(graph, step, where); !status.ok())
      return status;
    int64_t elements = resultElements(step);
    if (elements < 0 || elements != graph.values[step.result].elements)
      return Status::invalidArgument(where + "its result has another size");
  }
  return Status::success();
}

Expected<GraphSpec> parseGraphSpec(std::string_view text) { return Parser(text).run(); }

} // namespace orzo
