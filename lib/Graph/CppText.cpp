#include "Graph/CppText.h"

#include "orzo/Spec/Canonical.h"

namespace orzo::graph {

namespace {

/// A tensor of the convolution as the graph API wants it: N C H W, K C R S, N K P Q.
struct Tensor {
  std::string name;
  std::vector<int64_t> dim, stride;
  DataType type;
};

/// Elements between neighbours along channels of all groups together; nullopt where groups lie apart.
std::optional<int64_t> channelStride(const ConvSpec &spec, Role role, Axis axis) {
  int64_t own = spec.elementStride(role, axis), extent = spec.extent(role, axis);
  if (spec.groups == 1)
    return own;
  int64_t group = spec.elementStride(role, Axis::G);
  if (extent == 1)
    return group;
  return group == own * extent ? std::optional(own) : std::nullopt;
}

Expected<Tensor> tensorOf(const ConvSpec &spec, Role role) {
  bool isResult = role == resultRole(spec.direction), isGradient = spec.direction != Direction::FProp;
  std::string name(orzo::name(role));
  Tensor tensor{
      isGradient && (isResult || role == Role::Y) ? "d" + name : name, {}, {}, toElementType(spec.type(role))};
  // The dim that groups share with the channels that they split; w's input channels are those of one group.
  Axis split = role == Role::X ? Axis::C : Axis::K;
  std::optional<int64_t> stride = channelStride(spec, role, split);
  if (!stride)
    return Status::unsupported("the channels of " + name +
                               "'s groups do not lie side by side, as a tensor of the graph "
                               "API has them");
  if (role == Role::W) {
    tensor.dim = {spec.k, spec.extent(role, Axis::C)};
    tensor.stride = {*stride, spec.elementStride(role, Axis::C)};
  } else {
    tensor.dim = {spec.n, role == Role::X ? spec.c : spec.k};
    tensor.stride = {spec.elementStride(role, Axis::N), *stride};
  }
  for (int i = 0; i < spec.rank(); ++i) {
    tensor.dim.push_back(spec.extent(role, spatialAxis(i)));
    tensor.stride.push_back(spec.elementStride(role, spatialAxis(i)));
  }
  return tensor;
}

/// Everything that the program says.
struct Program {
  std::string method; ///< "convDGrad", whose attributes are "ConvDGradAttr".
  std::vector<Tensor> inputs;
  Tensor result;
  std::vector<int64_t> low, high, stride, dilation;
};

Expected<Program> programOf(const ConvSpec &spec) {
  if (spec.accumulate != orzo::DataType::F32)
    return Status::unsupported("the graph API accumulates in f32, not " + std::string(name(spec.accumulate)));
  Program program;
  std::vector<Role> inputs = {Role::Y, Role::W};
  if (spec.direction == Direction::FProp)
    program.method = "convFProp", inputs = {Role::X, Role::W};
  else if (spec.direction == Direction::DGrad)
    program.method = "convDGrad";
  else
    program.method = "convWGrad", inputs = {Role::Y, Role::X};
  for (Role role : inputs) {
    Expected<Tensor> tensor = tensorOf(spec, role);
    if (!tensor)
      return tensor.status();
    program.inputs.push_back(tensor.take());
  }
  Expected<Tensor> result = tensorOf(spec, resultRole(spec.direction));
  if (!result)
    return result.status();
  program.result = result.take();
  for (const SpatialDim &dim : spec.spatial) {
    if (dim.flip)
      return Status::unsupported("the graph API has no flipped filter");
    program.low.push_back(dim.padLow);
    program.high.push_back(dim.padHigh());
    program.stride.push_back(dim.stride);
    program.dilation.push_back(dim.dilation);
  }
  return program;
}

TensorAttr attrOf(const Tensor &tensor) {
  return TensorAttr().setName(tensor.name).setDim(tensor.dim).setStride(tensor.stride).setDataType(tensor.type);
}

std::string list(const std::vector<int64_t> &values) {
  std::string line;
  for (int64_t value : values)
    line += (line.empty() ? "" : ", ") + std::to_string(value);
  return "({" + line + "})";
}

std::string enumerator(DataType type) {
  return type == DataType::BFloat16 ? "DataType::BFloat16"
         : type == DataType::Half   ? "DataType::Half"
                                    : "DataType::Float";
}

std::string setters(const Tensor &tensor, const std::string &indent) {
  return ".setName(\"" + tensor.name + "\")\n" + indent + ".setDim" + list(tensor.dim) + "\n" + indent + ".setStride" +
         list(tensor.stride) + "\n" + indent + ".setDataType(" + enumerator(tensor.type) + ")";
}

} // namespace

Expected<GraphDefinition> graphOf(const ConvSpec &spec) {
  Expected<Program> program = programOf(spec);
  if (!program)
    return program.status();
  GraphDefinition graph;
  graph.setComputeDataType(DataType::Float);
  TensorPtr first = graph.tensor(attrOf(program->inputs[0])), second = graph.tensor(attrOf(program->inputs[1]));
  auto set = [&](auto attr) {
    return attr.setPrePadding(program->low)
        .setPostPadding(program->high)
        .setStride(program->stride)
        .setDilation(program->dilation)
        .setGroups(spec.groups);
  };
  TensorPtr result = spec.direction == Direction::FProp   ? graph.convFProp(first, second, set(ConvFPropAttr()))
                     : spec.direction == Direction::DGrad ? graph.convDGrad(first, second, set(ConvDGradAttr()))
                                                          : graph.convWGrad(first, second, set(ConvWGradAttr()));
  const Tensor &tensor = program->result;
  result->setName(tensor.name).setDim(tensor.dim).setStride(tensor.stride).setDataType(tensor.type).setOutput(true);
  return graph;
}

Expected<std::string> cppText(const ConvSpec &spec) {
  Expected<Program> program = programOf(spec);
  if (!program)
    return program.status();
  std::string attr = "C" + program->method.substr(1) + "Attr";
  const std::string &result = program->result.name;
  std::string out = "// " + text(canonicalise(spec).spec) + "\n#include \"orzo/Api/Graph.h\"\n\n#include <cstdio>\n\n" +
                    "using namespace orzo::graph;\n\nint main() {\n  Graph graph;\n" +
                    "  graph.setComputeDataType(DataType::Float);\n";
  for (const Tensor &tensor : program->inputs)
    out += "  auto " + tensor.name + " = graph.tensor(TensorAttr()" + setters(tensor, "    ") + ");\n";
  out += "  auto " + result + " = graph." + program->method + "(" + program->inputs[0].name + ", " +
         program->inputs[1].name + ", " + attr + "()";
  if (spec.rank() > 0)
    out += ".setPrePadding" + list(program->low) + "\n    .setPostPadding" + list(program->high) + "\n    .setStride" +
           list(program->stride) + "\n    .setDilation" + list(program->dilation);
  out += ".setGroups(" + std::to_string(spec.groups) + "));\n  " + "(*" + result + ")" +
         setters(program->result, "    ") + ".setOutput(true);\n\n";
  return out + "  auto handle = Handle::create(Backend::CPU);\n"
               "  auto status = handle ? graph.validate() : handle.status();\n"
               "  if (status.ok())\n"
               "    status = graph.compile(*handle);\n"
               "  if (!status.ok()) {\n"
               "    std::fprintf(stderr, \"%s\\n\", status.message().c_str());\n"
               "    return 1;\n"
               "  }\n"
               "  // Memory: Buffer::allocate; then graph.execute(*handle, {{tensor, buffer}, ...}).\n"
               "  std::printf(\"%s\\n\", graph.text()->c_str());\n"
               "  return 0;\n}\n";
}

} // namespace orzo::graph
