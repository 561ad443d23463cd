#include "Driver/DeviceRun.h"

#include "Measure/DeviceTensor.h"
#include "orzo/Runtime/PreparedCall.h"

#include <algorithm>
#include <cstring>

namespace orzo::driver {

void describeOnDevice(const ArtifactImage &image, ProblemReport &report) {
  report.target = "cuda";
  report.threads = 0;
  int64_t scratch = 0;
  for (const ArtifactStep &step : image.steps)
    if (step.cuda)
      scratch = std::max(scratch, step.cuda->scratchBytes);
  report.workspaceBytes = image.workspaceBytes + scratch;
}

std::string describeLaunch(const CudaLaunch &launch) {
  return std::to_string(launch.tiles) + " tiles on a " + (launch.persistent ? "persistent grid" : "grid") +
         " of blocks of " + std::to_string(launch.threads) + " threads, " + std::to_string(launch.sharedBytes) +
         " bytes of shared memory, " + std::to_string(launch.tensorMaps.size()) + " tensor maps, " +
         std::to_string(launch.scratchBytes) + " bytes of scratch";
}

namespace {

/// A tensor here and there.
struct Pair {
  const TensorBinding *binding;
  GuardedBuffer host;
  DeviceTensor device;
};

class DeviceRun {
public:
  static Expected<DeviceRun> create(const Module &module, const ArtifactProblem &problem, const RunSettings &settings) {
    const Device &device = *module.device();
    std::vector<Pair> pairs;
    for (const TensorBinding &binding : module.bindings()) {
      int64_t bytes = binding.bytes + binding.bytes % 2; // Poison comes in pairs.
      Expected<GuardedBuffer> host = GuardedBuffer::allocate(bytes);
      if (!host)
        return host.status().within(binding.name);
      Expected<DeviceTensor> there = DeviceTensor::allocate(device, bytes);
      if (!there)
        return there.status().within(binding.name);
      if (!binding.isResult) {
        problem.fill(settings.data, settings.seed, binding, host->data(), 0);
        if (Status status = there->upload(host->data()); !status.ok())
          return status.within(binding.name);
      }
      pairs.push_back({&binding, host.take(), there.take()});
    }
    // Rounded up, because poison comes in pairs of bytes.
    Expected<DeviceTensor> workspace = DeviceTensor::allocate(device, (module.workspaceBytes(0) + 1) / 2 * 2);
    if (!workspace)
      return workspace.status().within("workspace");
    std::vector<BufferView> views;
    for (const Pair &pair : pairs)
      views.push_back(pair.binding->view(pair.device.buffer()));
    Expected<PreparedCall> call = PreparedCall::bind(module, views, workspace->buffer());
    if (!call)
      return call.status();
    Expected<OwnedStream> stream = OwnedStream::create(device);
    if (!stream)
      return stream.status();
    return DeviceRun(device, std::move(pairs), workspace.take(), call.take(), stream.take());
  }

  /// Runs once into poison; the result is then in its host buffer.
  Status runOnce() {
    for (Pair &pair : pairs)
      if (pair.binding->isResult)
        if (Status status = pair.device.poison(); !status.ok())
          return status;
    if (Status status = workspace.poison(); !status.ok())
      return status;
    if (Status status = call.run(stream.stream()); !status.ok())
      return status;
    if (Status status = stream.synchronize(); !status.ok())
      return status;
    for (Pair &pair : pairs)
      if (pair.binding->isResult)
        if (Status status = pair.device.download(pair.host.data()); !status.ok())
          return status;
    return {};
  }

  /// What the run touched outside of its tensors, in words; empty when nothing.
  Expected<std::string> touchedZones() const {
    auto describe = [](const DeviceTensor &tensor, std::string_view name) -> Expected<std::string> {
      Expected<int64_t> at = tensor.checkZones();
      if (!at)
        return at.status();
      if (*at == 0)
        return std::string();
      return "the guard zone of " + std::string(name) + " was overwritten at byte " + std::to_string(*at);
    };
    for (const Pair &pair : pairs)
      if (Expected<std::string> touched = describe(pair.device, pair.binding->name); !touched || !touched->empty())
        return touched;
    return describe(workspace, "the workspace");
  }

  VerifyResult verifyResult(const ArtifactProblem &problem, const RunSettings &settings,
                            std::vector<std::string> &notes) const {
    std::vector<const GuardedBuffer *> memory;
    std::vector<TensorBinding> bindings;
    for (const Pair &pair : pairs) {
      memory.push_back(&pair.host);
      bindings.push_back(*pair.binding);
    }
    return problem.verify(bindings, memory, verifyOptions(settings, 0), notes);
  }

  /// The results in the host buffers, one after another.
  std::vector<char> results() const {
    std::vector<char> bytes;
    for (const Pair &pair : pairs)
      if (pair.binding->isResult) {
        const auto *begin = static_cast<const char *>(pair.host.data());
        bytes.insert(bytes.end(), begin, begin + pair.host.size());
      }
    return bytes;
  }

  Expected<std::vector<int64_t>> time(const TimingOptions &options) const {
    Expected<StreamTimer> timer = StreamTimer::create(device);
    if (!timer)
      return timer.status();
    return collectTimes(
        [&]() -> Expected<int64_t> {
          if (Status status = timer->start(stream.stream()); !status.ok())
            return status;
          if (Status status = call.run(stream.stream()); !status.ok())
            return status;
          if (Status status = timer->stop(stream.stream()); !status.ok())
            return status;
          return timer->nanoseconds();
        },
        options);
  }

private:
  DeviceRun(Device device, std::vector<Pair> pairs, DeviceTensor workspace, PreparedCall call, OwnedStream stream)
      : device(std::move(device)), pairs(std::move(pairs)), workspace(std::move(workspace)), call(std::move(call)),
        stream(std::move(stream)) {}

  Device device;
  std::vector<Pair> pairs;
  DeviceTensor workspace;
  PreparedCall call;
  OwnedStream stream;
};

void fail(VerifyResult &result, const std::string &message) {
  result.status = "failed";
  result.message = message + (result.message.empty() ? "" : "; ") + result.message;
}

} // namespace

Status runOnDevice(const Module &module, const ArtifactProblem &problem, const RunSettings &settings,
                   ProblemReport &report) {
  const Device &device = *module.device();
  report.notes.push_back("on " + device.name() + " (" + device.architecture() + ", " +
                         std::to_string(device.multiprocessors()) + " multiprocessors), driver for CUDA " +
                         std::to_string(device.driverVersion() / 1000) + "." +
                         std::to_string(device.driverVersion() % 1000 / 10));
  Expected<DeviceRun> run = DeviceRun::create(module, problem, settings);
  if (!run)
    return run.status();
  if (Status status = run->runOnce(); !status.ok())
    return status;
  std::vector<char> first = run->results();
  if (Status status = run->runOnce(); !status.ok())
    return status;
  report.verification = run->verifyResult(problem, settings, report.notes);
  if (std::vector<char> second = run->results(); first != second) {
    auto differing = std::ranges::mismatch(first, second).in1 - first.begin();
    fail(report.verification, "two runs on the same data differ, first at byte " + std::to_string(differing));
  }
  Expected<std::string> touched = run->touchedZones();
  if (!touched)
    return touched.status();
  if (!touched->empty()) {
    report.verification.poison = *touched;
    fail(report.verification, *touched);
  }
  setOutcome(report);
  if (!settings.time || report.verification.failed())
    return {};
  Expected<std::vector<int64_t>> times = run->time(settings.timing);
  if (!times)
    return times.status();
  report.time = summarise(*times);
  report.notes.emplace_back("device time by events around single launches on one buffer set; what fits stays in L2");
  return {};
}

} // namespace orzo::driver
