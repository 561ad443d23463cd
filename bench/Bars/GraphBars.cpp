// What graphs are held to, run now and printed beside its bar: each fused graph beside its bare convolution, on a large
// problem, interleaved; and what Graph::execute() takes over the prepared call that it makes. `./dev bench graph-bars`.
//
// A missed bar is a finding, not a failure: machines are noisy and shared. Graphs that do not compile are a failure.
#include "Measure/Timing.h"
#include "orzo/Api/Graph.h"
#include "orzo/Runtime/PreparedCall.h"

#include "FusedGraphs.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace orzo::graph;

namespace {

void check(const Status &status) {
  if (status.ok())
    return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::exit(1);
}

template <typename T> T check(Expected<T> value) {
  check(value.status());
  return value.take();
}

VariantPack filled(const Handle &handle, const Graph &graph) {
  VariantPack pack;
  for (const TensorPtr &tensor : graph.tensors())
    if (!tensor->isVirtual() && !tensor->isScalar())
      pack[tensor] = check(allocateBufferOfType(handle, tensor, tensor->getDataType(), 0.25));
  return pack;
}

void compile(Graph &graph, const Handle &handle) {
  check(graph.validate());
  check(graph.compile(handle));
}

/// Large: 2 x 128 x 128 pixels and 256 channels, 39 GFLOP with a 3x3 filter; 2 x 64 x 64 pixels and 1024 channels, 17
/// GFLOP with a 1x1 filter.
constexpr int64_t size = 16;

bool printRatio(const Handle &handle, const test::FusedGraph &fused, DataType type) {
  Graph whole, bare;
  fused.make(whole, type, size);
  test::makeBare(fused, bare, type, size);
  compile(whole, handle);
  compile(bare, handle);
  VariantPack wholePack = filled(handle, whole), barePack = filled(handle, bare);
  orzo::TimingOptions options;
  options.budgetSeconds = 3;
  options.leastIterations = 5;
  orzo::RatioTiming times = check(orzo::timeInterleaved([&] { return whole.execute(handle, wholePack); },
                                                        [&] { return bare.execute(handle, barePack); }, options));
  bool good = times.median <= 1.10;
  std::printf("%-30s %-5s %zu step%s %9.3f ms, bare %9.3f ms, ratio %.3f (%.3f to %.3f) < 1.10  %s\n",
              fused.name.c_str(), std::string(orzo::name(type)).c_str(), whole.steps().size(),
              whole.steps().size() == 1 ? " " : "s", static_cast<double>(times.first.median) * 1e-6,
              static_cast<double>(times.second.median) * 1e-6, times.median, times.low, times.high,
              good ? "met" : "MISSED");
  return good;
}

/// Nanoseconds of one of `calls` calls, the fastest of many rounds.
template <typename Call> double fastest(Call call) {
  using Clock = std::chrono::steady_clock;
  constexpr int calls = 1000;
  double best = 1e30;
  for (int round = 0; round < 50; ++round) {
    Clock::time_point start = Clock::now();
    for (int i = 0; i < calls; ++i)
      check(call());
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count() / calls);
  }
  return best;
}

bool printLatency() {
  HandleOptions oneThread;
  oneThread.threads = 1;
  Handle handle = check(Handle::create(Backend::CPU, oneThread));
  Graph graph;
  test::fusedGraphs()[0].make(graph, DataType::Float, 1);
  check(graph.validate());
  std::vector<uint8_t> bytes = check(graph.compileToArtifact(handle));
  check(graph.loadFromArtifact(handle, bytes));
  VariantPack pack = filled(handle, graph);
  std::shared_ptr<Buffer> workspace = check(allocateWorkspace(handle, graph.getWorkspaceSize()));
  orzo::Module module = check(orzo::Module::load(bytes));
  orzo::ThreadPool pool = check(orzo::ThreadPool::create(1));
  orzo::Workspace own = check(orzo::Workspace::allocate(module.workspaceBytes(1)));
  std::vector<orzo::Workspace> memory;
  std::vector<orzo::BufferView> views;
  for (const orzo::TensorBinding &binding : module.bindings()) {
    memory.push_back(check(orzo::Workspace::allocate(binding.bytes)));
    views.push_back(binding.view(memory.back().buffer()));
  }
  orzo::PreparedCall call = check(orzo::PreparedCall::bind(module, views, own.buffer(), pool));
  double kernel = fastest([&] { return call.run(); });
  double whole = fastest([&] { return graph.execute(handle, pack, workspace); });
  bool good = whole - kernel < 3000;
  std::printf("%-30s %-5s execute() %.0f ns, prepared call %.0f ns, %.0f ns over it < 3000  %s\n", "latency, 1 thread",
              "f32", whole, kernel, whole - kernel, good ? "met" : "MISSED");
  return good;
}

} // namespace

int main() {
  Handle handle = check(Handle::create(Backend::CPU));
  int met = printLatency(), all = 1;
  for (const test::FusedGraph &fused : test::fusedGraphs())
    for (DataType type : {DataType::Float, DataType::BFloat16}) {
      met += printRatio(handle, fused, type);
      ++all;
    }
  std::printf("%d of %d met\n", met, all);
  return 0;
}
