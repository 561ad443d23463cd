// GraphSpec: what a graph computes, free of how it was written.
//
// Values are flat memory, steps are loops over it: names, unit dims, dim order, the insertion order of nodes and the
// operand order of commutative modes are gone. A convolution is a ConvSpec; everything else runs a nest of loops in
// which each operand and the result have a stride per loop (0 where they do not move):
//
//     worked example   relu(dgrad(dy, w) + bias) of the seed, channels last
//     graph.v1
//     %0 = input 8388608:bf16
//     %1 = input 8388608:bf16
//     %2 = conv.v1 dgrad n16 c2048 k2048 g1 in512 f2 out256 s2 d1 p0 x:nhc:bf16 w:krc:bf16 y:npk:bf16 acc:f32 (%0, %1)
//     %3 = input 2048:bf16
//     %4 = add(%2, %3) 8192:2048:0:2048 2048:1:1:1 :bf16
//     %5 = relu_fwd(%4) 16777216:1:1 :bf16
//     output %5
//
// loops outermost first, each extent:operand strides:result stride. The operands of a convolution are in role order.
// Arithmetic is f32 or better; a virtual value's type is the least precision it may have, unless strictRounding makes
// it a rounding point.
#pragma once

#include "orzo/Spec/ConvSpec.h"
#include "orzo/Spec/ElementType.h"
#include "orzo/Spec/Pointwise.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace orzo {

struct GraphValue {
  enum class Kind : uint8_t { Input, Constant, Virtual, Output } kind = Kind::Input;
  ElementType type = ElementType::Float;
  int64_t elements = 0; ///< Of its memory: one past the last element that is touched.
  double constant = 0;  ///< Of a Constant, which has one element.
  bool operator==(const GraphValue &) const = default;
};

/// One loop: its extent, and the elements between neighbours along it in each operand, then in the result.
struct GraphLoop {
  int64_t extent = 1;
  std::vector<int64_t> strides;
  bool operator==(const GraphLoop &) const = default;
};

struct PointwiseStep {
  PointwiseMode mode = PointwiseMode::IDENTITY;
  PointwiseParameters parameters;
  std::vector<GraphLoop> loops;
  std::vector<int64_t> offsets; ///< Element of each operand at loop index 0 (a slice begins further in).
  bool operator==(const PointwiseStep &) const = default;
};

/// Loops that the result does not move along (stride 0) are reduced.
struct ReductionStep {
  ReductionMode mode = ReductionMode::ADD;
  std::vector<GraphLoop> loops;
  bool operator==(const ReductionStep &) const = default;
};

struct GraphStep {
  std::variant<ConvSpec, PointwiseStep, ReductionStep> work;
  std::vector<int> operands; ///< Values; a convolution's in role order of the ConvSpec.
  int result = 0;
  bool operator==(const GraphStep &) const = default;
};

struct GraphSpec {
  bool strictRounding = false;
  std::vector<GraphValue> values;
  std::vector<GraphStep> steps; ///< A step comes after those whose results it reads.
  std::vector<int> outputs;     ///< Values of Kind::Output, in the order of the text.
  bool operator==(const GraphSpec &) const = default;
};

/// `loops` without those of extent 1 and with neighbours merged where every operand and the result allow it.
std::vector<GraphLoop> merged(std::vector<GraphLoop> loops);

/// The convolution that the graph is, when it is that and nothing else, with operands 0 and 1.
const ConvSpec *onlyConvolution(const GraphSpec &graph);

/// Elements of the memory of the step's result, one past the last that it writes; negative where that is no position.
int64_t resultElements(const GraphStep &step);

/// Checks that steps read only what is there: operands before results, as many as the mode takes, loops inside of their
/// memory, convolutions' operands of the right type and size. InvalidArgument names the step.
Status validate(const GraphSpec &graph);

/// The text above; of a graph that is one convolution, that convolution's text alone.
std::string text(const GraphSpec &graph);

/// Whether `text` is that of a graph of several steps (graph.v1 ...), not of one convolution.
bool isGraphText(std::string_view text);

/// The reverse of text(), validated. InvalidArgument names the line, and what was expected.
Expected<GraphSpec> parseGraphSpec(std::string_view text);

} // namespace orzo
