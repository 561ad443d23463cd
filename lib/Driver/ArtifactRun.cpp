#include "Driver/ArtifactRun.h"

#include "Driver/DeviceRun.h"
#include "Driver/Memory.h"
#include "Runtime/CPU/Isa.h"
#include "Runtime/Core/Artifact.h"
#include "Runtime/Core/CudaLaunchCheck.h"
#include "orzo/Runtime/PreparedCall.h"
#include "orzo/Runtime/Workspace.h"
#include "orzo/Spec/Canonical.h"

#include <chrono>
#include <sys/resource.h>

namespace orzo::driver {

int threadCount(int threads) { return threads > 0 ? threads : std::max(1, coreCount()); }

void describeImage(const Artifact &artifact, const ArtifactImage &image, const ConvSpec &spec, int threads,
                   ProblemReport &report) {
  report.problem = artifact.problem;
  if (report.direction.empty())
    report.direction = name(spec.direction);
  report.lowering = artifact.lowering;
  report.reason = artifact.reason;
  report.isa = image.isa;
  report.threads = threads;
  report.plan = image.plan;
  report.kernelHash = image.kernelHash;
  report.flopsUseful = spec.flopsUseful();
  // A contraction walks no taps, so it meets no padding even where the phases of the same problem would.
  report.flopsPadding = artifact.lowering == "contract" ? 0 : spec.flopsPadding();
  report.bytesMin = 0;
  for (Role role : {Role::X, Role::W, Role::Y})
    report.bytesMin += spec.byteCount(role);
  int64_t scratch = 0;
  for (const ArtifactStep &step : image.steps) {
    report.flopsExecuted += step.flopsExecuted;
    report.flopsTile += step.flopsTile;
    if (step.kind == ArtifactStep::Kind::Dispatch)
      report.dispatchNames.push_back(step.name);
    report.fills += step.kind == ArtifactStep::Kind::Fill;
    report.copies += step.kind == ArtifactStep::Kind::Copy;
    report.transposes += step.kind == ArtifactStep::Kind::Copy && step.isTranspose;
    scratch = std::max(scratch, step.scratchBytes);
  }
  report.workspaceBytes = image.workspaceBytes + scratch * threads;
  if (isCudaIsa(image.isa))
    describeOnDevice(image, report);
}

namespace {

/// A module with its memory, bound and ready.
struct Bound {
  std::vector<GuardedBuffer> buffers;
  Workspace workspace;
  std::optional<PreparedCall> call;
};

Status checkMemory(const Module &module, int threads) {
  int64_t needed = module.workspaceBytes(threads);
  for (const TensorBinding &binding : module.bindings())
    if (__builtin_add_overflow(needed, binding.bytes, &needed))
      needed = INT64_MAX;
  int64_t available = availableMemory();
  if (needed <= available)
    return Status::success();
  return Status::unavailable("the tensors and the workspace need " + std::to_string(needed) +
                             " bytes, this machine has " + std::to_string(available) +
                             " bytes available; --max-bytes=" + std::to_string(available) + " skips such problems");
}

Expected<Bound> bind(const Module &module, const ConvSpec &spec, const RunSettings &settings, const ThreadPool &pool) {
  Bound bound;
  std::vector<BufferView> views;
  for (const TensorBinding &binding : module.bindings()) {
    Expected<GuardedBuffer> buffer = GuardedBuffer::allocate(static_cast<size_t>(binding.bytes));
    if (!buffer)
      return buffer.status().within(binding.name);
    if (!binding.isResult)
      generate(settings.data, settings.seed, spec, binding.role, buffer->data(), pool.threads());
    views.push_back(binding.view({buffer->data(), binding.bytes}));
    bound.buffers.push_back(buffer.take());
  }
  Expected<Workspace> workspace = Workspace::allocate(module.workspaceBytes(pool.threads()));
  if (!workspace)
    return workspace.status();
  bound.workspace = workspace.take();
  Expected<PreparedCall> call = PreparedCall::bind(module, views, bound.workspace.buffer(), pool);
  if (!call)
    return call.status();
  bound.call = call.take();
  return bound;
}

VerifyResult verifyBound(const Module &module, const Bound &bound, const ConvSpec &spec, const RunSettings &settings,
                         int threads) {
  reference::Tensors tensors = {};
  std::vector<NamedBuffer> named;
  for (size_t i = 0; i < bound.buffers.size(); ++i) {
    const TensorBinding &binding = module.bindings()[i];
    tensors[static_cast<int>(binding.role)] = bound.buffers[i].data();
    named.push_back({binding.name, &bound.buffers[i]});
  }
  VerifyOptions options;
  options.mode = settings.verify;
  options.exact = isExact(settings.data);
  options.seed = settings.seed;
  options.threads = threads;
  return verify(spec, tensors, options, named);
}

/// Notices when other processes want the cores while something is timed.
class BusyWatch {
public:
  void note(std::vector<std::string> &notes) const {
    double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    int64_t count = switches() - before;
    // A quiet machine switches a busy thread away a few times a second; a rival on its core, hundreds of times.
    if (seconds > 0.02 && static_cast<double>(count) > 5 + 40 * seconds)
      notes.push_back("other processes had the cores for part of the timing (" + std::to_string(count) +
                      " involuntary switches): times are too long");
  }

private:
  using Clock = std::chrono::steady_clock;
  static int64_t switches() {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
  }
  Clock::time_point start = Clock::now();
  int64_t before = switches();
};

/// The artifact's problem, checked, with bindings that fit it: data and oracle follow the problem.
Expected<ConvSpec> problemOf(const Module &module) {
  Expected<ConvSpec> spec = parseConvSpec(module.problem());
  if (!spec)
    return spec.status().within("the artifact's problem");
  if (Status status = validate(*spec); !status.ok())
    return status.within("the artifact's problem");
  for (const TensorBinding &binding : module.bindings()) {
    bool isResult = binding.role == resultRole(spec->direction);
    if (binding.type != spec->type(binding.role) || binding.shape != spec->shape(binding.role) ||
        binding.isResult != isResult)
      return Status::invalidArgument("the artifact's binding " + binding.name + " does not fit its problem " +
                                     module.problem());
  }
  if (module.bindings().size() != 3)
    return Status::invalidArgument("the artifact has " + std::to_string(module.bindings().size()) +
                                   " bindings, its problem has 3");
  return spec;
}

} // namespace

Status runArtifact(std::span<const uint8_t> artifact, const RunSettings &settings, ProblemReport &report) {
  Expected<Module> module = Module::load(artifact, settings.isa);
  if (!module)
    return module.status();
  Expected<ConvSpec> spec = problemOf(*module);
  if (!spec)
    return spec.status();
  int threads = threadCount(settings.threads);
  describeImage(module->artifact(), module->image(), *spec, threads, report);
  report.workspaceBytes = module->workspaceBytes(threads);
  if (module->deviceKind() == DeviceKind::CUDA)
    return runOnDevice(*module, *spec, settings, report);
  if (Status status = checkMemory(*module, threads); !status.ok())
    return status;
  Expected<ThreadPool> pool = ThreadPool::create(threads);
  if (!pool)
    return pool.status();
  Expected<Bound> bound = bind(*module, *spec, settings, *pool);
  if (!bound)
    return bound.status();
  if (Status status = bound->call->run(); !status.ok())
    return status;
  report.verification = verifyBound(*module, *bound, *spec, settings, threads);
  setOutcome(report);
  if (!settings.time || report.verification.failed())
    return Status::success();
  BusyWatch watch;
  Expected<std::vector<int64_t>> times = timeRuns([&] { return bound->call->run(); }, settings.timing);
  if (!times)
    return times.status();
  report.time = summarise(*times);
  watch.note(report.notes);
  if (settings.peaks) {
    report.peak = settings.peaks->peakOf(report.isa, report.plan, threads);
    if (!report.peak->distrust.empty())
      report.notes.push_back("no percent of peak: the measured peak is not trusted: " + report.peak->distrust);
  }
  return Status::success();
}

} // namespace orzo::driver
