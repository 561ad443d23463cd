// Graphs built step by step, compiled, run between guard pages, and compared with the oracle.
#pragma once

#include "Measure/GuardedBuffer.h"
#include "Runtime/Core/Artifact.h"
#include "orzo/Runtime/PreparedCall.h"
#include "orzo/Spec/GraphSpec.h"

#include <random>

namespace orzo {

/// Memory of a graph's value, up to a guard page to the byte; poison at first.
class GuardedTensor {
public:
  GuardedTensor(int64_t elements, ElementType type);

  /// Integers in [-3, 3], a Boolean's 0 or 1; or numbers in (-1, 1).
  void fill(std::mt19937 &random, bool integers);
  double at(int64_t element) const { return loadElement(data(), element, type); }
  void *data() const { return static_cast<uint8_t *>(buffer.data()) + buffer.size() - bytes; }
  int64_t canary() const { return buffer.checkCanary(); }

  int64_t elements;
  ElementType type;
  int64_t bytes;

private:
  GuardedBuffer buffer;
};

/// A GraphSpec in the making. Every function returns the number of the value it adds; types of what is no output are
/// bf16, so that a step that is not computed with the one before shows.
class GraphBuilder {
public:
  GraphSpec graph;

  int input(int64_t elements, ElementType type);
  int conv(const ConvSpec &spec, int first, int second);
  int pointwise(PointwiseMode mode, const std::vector<int> &operands, const std::vector<GraphLoop> &loops,
                const std::vector<int64_t> &offsets = {});
  int reduce(ReductionMode mode, int operand, const std::vector<GraphLoop> &loops);
  void output(int value, ElementType type);

private:
  int add(GraphStep step);
};

/// What a run left in the outputs, by value number (other entries are of no elements).
struct GraphRun {
  std::vector<GuardedTensor> values;
  std::vector<ArtifactStep> steps; ///< Of the image that ran.
};

/// Runs `artifact`, which computes `graph`, with the image of `isa`, on one thread and on three: the bits must agree.
/// Inputs are drawn from `seed`.
GraphRun runGraph(const GraphSpec &graph, const std::vector<uint8_t> &artifact, std::string_view isa, unsigned seed,
                  bool integers);

/// Every output of a run on integers equals the oracle's number, rounded once.
void expectExact(const GraphSpec &graph, const GraphRun &run);

} // namespace orzo
