#include "VerifiedRun.h"

namespace orzo::graph::test {

VerifiedRun::VerifiedRun(const Graph &graph, DataKind kind, uint64_t seed) : problem(graph.problem().take()) {
  for (size_t value = 0; value < problem.spec.values.size(); ++value) {
    const GraphValue &spec = problem.spec.values[value];
    if (spec.kind != GraphValue::Kind::Input && spec.kind != GraphValue::Kind::Output)
      continue;
    size_t bytes = static_cast<size_t>(spec.elements) * byteSize(spec.type);
    buffers.push_back(GuardedBuffer::allocate(bytes + bytes % 2).take());
    values.push_back(static_cast<int>(value));
    if (spec.kind == GraphValue::Kind::Input)
      generate(kind, seed, problem.spec, static_cast<int>(value), buffers.back().data());
    pack[problem.tensors[value]] =
        std::make_shared<Buffer>(Buffer::import(buffers.back().data(), buffers.back().size(), spec.type));
  }
}

void *VerifiedRun::memoryOf(const std::string &name) const {
  for (const auto &[tensor, buffer] : pack)
    if (tensor->getName() == name)
      return buffer->data();
  ADD_FAILURE() << "no tensor '" << name << "'";
  return nullptr;
}

GraphVerifyResult VerifiedRun::verify() const {
  std::vector<const void *> memory(problem.spec.values.size());
  std::vector<NamedBuffer> named;
  for (size_t i = 0; i < buffers.size(); ++i) {
    memory[values[i]] = buffers[i].data();
    named.push_back({problem.tensors[values[i]]->getName(), &buffers[i]});
  }
  VerifyOptions options;
  options.mode = VerifyMode::Full;
  return orzo::verify(problem.spec, memory, options, named);
}

::testing::AssertionResult compiles(Graph &graph, const Handle &handle) {
  if (orzo::Status status = graph.validate(); !status.ok())
    return ::testing::AssertionFailure() << "validate: " << status.message();
  if (orzo::Status status = graph.compile(handle); !status.ok())
    return ::testing::AssertionFailure() << "compile: " << status.message() << "\n" << *graph.text();
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult runs(Graph &graph, const Handle &handle, const VariantPack &pack) {
  orzo::Status status = graph.execute(handle, pack);
  return status.ok() ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << "execute: " << status.message();
}

void expectRight(const Graph &graph, const Handle &handle, int64_t unbounded, uint64_t seed) {
  for (DataKind kind : {DataKind::Random, DataKind::Integer}) {
    VerifiedRun run(graph, kind, seed);
    orzo::Status status = graph.execute(handle, run.pack);
    ASSERT_TRUE(status.ok()) << status.message();
    GraphVerifyResult result = run.verify();
    EXPECT_EQ(result.status, "ok") << name(kind) << " data: " << result.message << "\n" << *graph.text();
    EXPECT_LE(result.unbounded, unbounded) << name(kind) << " data\n" << *graph.text();
  }
}

} // namespace orzo::graph::test
