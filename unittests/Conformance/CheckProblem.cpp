// Checks one canonical text on one ISA level, as the grid does: the tool to look into a failure with.
//   orzo-check-problem 'conv.v1 ...' [isa [lowering]]
#include "CompilerLibrary.h"
#include "ProblemRun.h"

#include <cstdio>

using namespace orzo;
using namespace orzo::conformance;

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s TEXT [ISA [LOWERING]]\n", argv[0]);
    return 2;
  }
  CompileOptions options;
  if (argc > 2)
    options.target = std::string("cpu:") + argv[2];
  if (argc > 3)
    options.forceLowering = argv[3];
  Expected<Compiled> compiled = compileText(argv[1], options);
  if (!compiled) {
    std::printf("%s\n", compiled.status().message().c_str());
    return exitCode(compiled.status().code());
  }
  Expected<Module> module = Module::load(compiled->artifact);
  if (!module) {
    std::printf("%s\n", module.status().message().c_str());
    return exitCode(module.status().code());
  }
  std::printf("%s by %s: %s\n", module->problem().c_str(), module->artifact().lowering.c_str(),
              module->image().plan.c_str());
  std::fflush(stdout);
  bool good = true;
  for (DataKind data : {DataKind::Integer, DataKind::Random})
    for (auto placement : {GuardedBuffer::Placement::EndsAtGuard, GuardedBuffer::Placement::BeginsAfterGuard}) {
      RunOptions how;
      how.data = data;
      how.placement = placement;
      how.verify = VerifyMode::Auto;
      std::string wrong = checkRun(*module, how);
      std::printf("%s\n", wrong.empty() ? "ok" : wrong.c_str());
      good = good && wrong.empty();
    }
  return good ? 0 : 1;
}
