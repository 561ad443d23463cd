#include "Api/Compilation.h"

#include "Api/CompilerLibrary.h"
#include "Cache/ArtifactCache.h"
#include "Runtime/CPU/Isa.h"
#include "orzo/Support/Environment.h"

#include <chrono>
#include <sstream>

namespace orzo {

using Clock = std::chrono::steady_clock;

static double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

static Expected<std::string> resolveOne(const std::string &target) {
  if (target == "cpu") {
    Expected<Isa> isa = detectIsa();
    if (!isa)
      return isa.status();
    return "cpu:" + std::string(name(*isa));
  }
  // Which ISAs and devices there are is the compiler's to say.
  if (target.starts_with("cpu:") || target.starts_with("cuda:"))
    return target;
  return Status::invalidArgument("--target=" + target +
                                 ": unknown target; known are cpu, cpu:ISA,... with ISA one of avx2, avx512, "
                                 "avx512_bf16, and cuda:sm_90a; several are joined by +");
}

Expected<std::string> resolveTarget(const std::string &target) {
  std::string all;
  std::istringstream parts(target + "+");
  for (std::string part; std::getline(parts, part, '+');) {
    Expected<std::string> one = resolveOne(part);
    if (!one)
      return one;
    all += (all.empty() ? "" : "+") + *one;
  }
  return all;
}

static void addLines(const char *text, std::vector<std::string> &lines) {
  std::istringstream stream(text ? text : "");
  for (std::string line; std::getline(stream, line);)
    if (!line.empty())
      lines.push_back(line);
}

/// Runs the compiler on `input`; `compiled.compileMs` then is the call without what loading took.
static Status callCompiler(const CompileInput &input, const std::string &target, const CompileSettings &settings,
                           Compiled &compiled) {
  Expected<LoadedCompiler> compiler = loadCompiler();
  if (!compiler)
    return compiler.status();
  auto orNull = [](const std::string &text) { return text.empty() ? nullptr : text.c_str(); };
  orzo_compile_request request = {};
  request.input_kind = input.isMlir ? ORZO_INPUT_MLIR : ORZO_INPUT_PROBLEM;
  request.input = input.text.c_str();
  request.input_name = input.name.c_str();
  request.target = target.c_str();
  request.threads = settings.threads;
  request.force_lowering = orNull(settings.forceLowering);
  request.plan = orNull(settings.plan);
  request.stop_after = orNull(settings.stopAfter);
  request.dump_ir_dir = orNull(settings.dumpIrDirectory);
  orzo_compile_result result = {};
  Clock::time_point start = Clock::now();
  compiler->table->compile(&request, &result);
  double spent = millisecondsSince(start);
  Status status;
  if (result.status != 0) {
    status = Status(static_cast<StatusCode>(result.status), result.message ? result.message : "no message");
  } else {
    compiled.bytes.assign(result.data, result.data + result.size);
    addLines(result.message, compiled.notes);
    compiled.compileMs += spent - result.load_ms;
    compiled.loadMs = compiler->loadMilliseconds + result.load_ms;
  }
  compiler->table->release(&result);
  return status;
}

Expected<Compiled> compileCached(const CompileInput &input, const CompileSettings &settings) {
  Compiled compiled;
  Expected<std::string> target = resolveTarget(settings.target);
  if (!target)
    return target.status();
  bool keeps = !input.isMlir && settings.useCache && settings.stopAfter.empty();
  std::optional<std::string> folder = settings.cacheDirectory ? settings.cacheDirectory : defaultCacheDirectory();
  if (keeps && !folder)
    compiled.notes.emplace_back("no cache: none of --cache-dir, ORZO_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
  keeps = keeps && folder;

  CacheKey key;
  if (keeps) {
    key.problem = input.text;
    key.target = *target;
    int hint = settings.threads > 0 ? settings.threads : coreCount();
    key.plan = settings.plan.empty() ? "threads " + std::to_string(hint) : settings.plan;
    key.forceLowering = settings.forceLowering;
    Expected<std::string> build = compilerBuildId();
    if (!build)
      return build.status();
    key.compilerBuild = *build;
  }
  if (keeps && settings.dumpIrDirectory.empty()) {
    if (auto bytes = ArtifactCache(*folder).lookup(key, compiled.notes)) {
      compiled.bytes = std::move(*bytes);
      compiled.cached = true;
      return compiled;
    }
  }
  if (Status status = callCompiler(input, *target, settings, compiled); !status.ok())
    return status;
  if (keeps)
    ArtifactCache(*folder).store(key, compiled.bytes, compiled.notes);
  return compiled;
}

} // namespace orzo
