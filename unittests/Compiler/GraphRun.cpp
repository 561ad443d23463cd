#include "GraphRun.h"

#include "../Reference/RandomSpec.h"
#include "Reference/EvaluateGraph.h"
#include "orzo/Runtime/Workspace.h"

#include <cstring>
#include <gtest/gtest.h>

namespace orzo {

GuardedTensor::GuardedTensor(int64_t elements, ElementType type)
    : elements(elements), type(type), bytes(elements * static_cast<int64_t>(byteSize(type))),
      buffer(GuardedBuffer::allocate((bytes + 1) / 2 * 2).take()) {}

void GuardedTensor::fill(std::mt19937 &random, bool integers) {
  std::uniform_real_distribution<double> real(-1, 1);
  for (int64_t i = 0; i < elements; ++i)
    storeElement(data(), i, type,
                 type == ElementType::Boolean ? double(pick(random, 0, 1))
                 : integers                   ? double(pick(random, -3, 3))
                                              : real(random));
}

int GraphBuilder::input(int64_t elements, ElementType type) {
  graph.values.push_back({GraphValue::Kind::Input, type, elements});
  return static_cast<int>(graph.values.size()) - 1;
}

int GraphBuilder::add(GraphStep step) {
  step.result = static_cast<int>(graph.values.size());
  graph.values.push_back({GraphValue::Kind::Virtual, ElementType::BFloat16, resultElements(step)});
  graph.steps.push_back(std::move(step));
  return graph.steps.back().result;
}

int GraphBuilder::conv(const ConvSpec &spec, int first, int second) {
  int result = add({spec, {first, second}});
  graph.values[result].type = toElementType(spec.type(resultRole(spec.direction)));
  return result;
}

int GraphBuilder::pointwise(PointwiseMode mode, const std::vector<int> &operands, const std::vector<GraphLoop> &loops,
                            const std::vector<int64_t> &offsets) {
  PointwiseStep step{mode, {}, loops, offsets};
  step.offsets.resize(operands.size());
  return add({step, operands});
}

int GraphBuilder::reduce(ReductionMode mode, int operand, const std::vector<GraphLoop> &loops) {
  return add({ReductionStep{mode, loops}, {operand}});
}

void GraphBuilder::output(int value, ElementType type) {
  graph.values[value].kind = GraphValue::Kind::Output;
  graph.values[value].type = type;
  graph.outputs.push_back(value);
}

static void runOn(const Module &module, int threads, std::vector<GuardedTensor> &values) {
  Expected<ThreadPool> pool = ThreadPool::create(threads);
  ASSERT_TRUE(pool.ok()) << pool.status().message();
  Expected<Workspace> workspace = Workspace::allocate(module.workspaceBytes(threads));
  ASSERT_TRUE(workspace.ok()) << workspace.status().message();
  if (workspace->buffer().bytes > 0)
    std::memset(workspace->buffer().data, 0xff, workspace->buffer().bytes);
  std::vector<BufferView> views;
  for (const TensorBinding &binding : module.bindings()) {
    const GuardedTensor &tensor = values[std::stoul(binding.name.substr(1))];
    views.push_back(binding.view({tensor.data(), tensor.bytes}));
  }
  Expected<PreparedCall> call = PreparedCall::bind(module, views, workspace->buffer(), *pool);
  ASSERT_TRUE(call.ok()) << call.status().message();
  for (int again = 0; again < 2; ++again)
    ASSERT_TRUE(call->run().ok());
}

GraphRun runGraph(const GraphSpec &graph, const std::vector<uint8_t> &artifact, std::string_view isa, unsigned seed,
                  bool integers) {
  GraphRun result;
  Expected<Module> module = Module::load(artifact, isa);
  EXPECT_TRUE(module.ok()) << module.status().message();
  if (!module)
    return result;
  result.steps = module->image().steps;
  for (int threads : {3, 1}) {
    std::mt19937 random(seed);
    std::vector<GuardedTensor> values;
    for (const GraphValue &value : graph.values) {
      bool isBound = value.kind == GraphValue::Kind::Input || value.kind == GraphValue::Kind::Output;
      values.emplace_back(isBound ? value.elements : 0, value.type);
      if (value.kind == GraphValue::Kind::Input)
        values.back().fill(random, integers);
    }
    runOn(*module, threads, values);
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(values[i].canary(), 0) << "%" << i;
      if (!result.values.empty()) {
        EXPECT_EQ(std::memcmp(values[i].data(), result.values[i].data(), values[i].bytes), 0)
            << "%" << i << ": the bits depend on the threads";
      }
    }
    result.values = std::move(values);
  }
  return result;
}

void expectExact(const GraphSpec &graph, const GraphRun &run) {
  ASSERT_EQ(run.values.size(), graph.values.size());
  std::vector<const void *> memory;
  for (const GuardedTensor &value : run.values)
    memory.push_back(value.data());
  std::vector<std::vector<double>> expected = reference::evaluate(graph, memory, 1);
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const GuardedTensor &got = run.values[graph.outputs[i]];
    for (int64_t element = 0; element < got.elements; ++element)
      ASSERT_EQ(got.at(element), roundTo(got.type, expected[i][element]))
          << "%" << graph.outputs[i] << ", element " << element << " of\n"
          << text(graph);
  }
}

} // namespace orzo
