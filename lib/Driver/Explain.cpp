#include "Driver/Explain.h"

#include "Driver/ArtifactRun.h"
#include "Driver/Batch.h"
#include "Driver/Compilation.h"
#include "Driver/DeviceRun.h"
#include "Driver/Run.h"
#include "Peak/Peak.h"
#include "orzo/Spec/Canonical.h"
#include "orzo/Spec/Phases.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace orzo::driver {

std::vector<std::string> describeViews(const ConvSpec &user) {
  Canonical canonical = canonicalise(user);
  std::vector<std::string> lines;
  for (Role role : {Role::X, Role::W, Role::Y}) {
    const View &view = canonical.views[static_cast<int>(role)];
    const Layout &layout = canonical.spec.layout(role);
    std::string from, to;
    for (size_t i = 0; i < layout.size(); ++i) {
      from += letter(view.source, view.sourceAxes[i], user.rank());
      to += letter(role, layout[i], canonical.spec.rank());
    }
    std::string line = std::string(name(role)) + " is the user's " + std::string(name(view.source));
    if (to.empty())
      line += ", one element";
    else if (from == to)
      line.append(", ").append(to);
    else
      line.append(", its ").append(from).append(" read as ").append(to);
    lines.push_back(line + " (" + text(user.layout(view.source), view.source, user.rank()) + " in the input)");
  }
  return lines;
}

namespace {

/// The least time a perfect implementation would take on this machine.
struct Floor {
  std::optional<PeakReport> peak;
  double bandwidthGBs = 0;
  double arithmeticNs = 0, memoryNs = 0;
  double nanoseconds() const { return std::max(arithmeticNs, memoryNs); }
};

Floor measureFloor(const ProblemReport &report) {
  Floor floor;
  if (report.target == "cuda") {
    floor.peak = PeakReport{h200Gflops, "wgmma on an H200, not measured here", ""};
    floor.bandwidthGBs = h200GBs;
    floor.arithmeticNs = static_cast<double>(report.flopsUseful) / h200Gflops;
    floor.memoryNs = static_cast<double>(report.bytesMin) / h200GBs;
    return floor;
  }
  floor.peak = PeakMemory().peakOf(report.isa, report.plan, report.threads);
  floor.bandwidthGBs = measureBandwidth(report.threads, 0.2).readGBs;
  if (floor.peak->gflops > 0)
    floor.arithmeticNs = static_cast<double>(report.flopsUseful) / floor.peak->gflops;
  if (floor.bandwidthGBs > 0)
    floor.memoryNs = static_cast<double>(report.bytesMin) / floor.bandwidthGBs;
  return floor;
}

template <typename... Values> std::string formatted(const char *format, Values... values) {
  char buffer[512];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

std::string floorText(const Floor &floor, const ProblemReport &report) {
  std::string out = formatted("  floor       %.3f ms: arithmetic %.3f ms at %.1f GFLOP/s (%s), memory %.3f ms at "
                              "%.1f GB/s; %s-bound",
                              floor.nanoseconds() * 1e-6, floor.arithmeticNs * 1e-6, floor.peak->gflops,
                              floor.peak->instruction.c_str(), floor.memoryNs * 1e-6, floor.bandwidthGBs,
                              floor.arithmeticNs >= floor.memoryNs ? "arithmetic" : "memory");
  if (report.bytesMin > 0)
    out +=
        formatted(", %.1f FLOP a byte", static_cast<double>(report.flopsUseful) / static_cast<double>(report.bytesMin));
  if (!floor.peak->distrust.empty())
    out += "\n  note        the peak is not trusted: " + floor.peak->distrust;
  return out + "\n";
}

/// The program, one line a step.
std::string stepsText(const ArtifactImage &image) {
  std::string out;
  for (size_t i = 0; i < image.steps.size(); ++i) {
    const ArtifactStep &step = image.steps[i];
    bool isDispatch = step.kind == ArtifactStep::Kind::Dispatch;
    int64_t units = 0;
    for (int64_t range : step.unitRanges)
      units += range;
    out += formatted("  step %-6zu %s %s", i + 1,
                     isDispatch                              ? "dispatch"
                     : step.kind == ArtifactStep::Kind::Fill ? "fill"
                                                             : "copy",
                     step.name.c_str());
    if (isDispatch && step.cuda)
      out += formatted(": %lld FLOP executed, %lld more in tile tails, ", static_cast<long long>(step.flopsExecuted),
                       static_cast<long long>(step.flopsTile)) +
             describeLaunch(*step.cuda);
    else if (isDispatch)
      out += formatted(": %lld FLOP executed, %lld more in tile tails, %lld work units in %zu ranges%s, %lld bytes of "
                       "scratch a thread",
                       static_cast<long long>(step.flopsExecuted), static_cast<long long>(step.flopsTile),
                       static_cast<long long>(units), step.unitRanges.size(),
                       step.stageRanges.size() > 1 ? formatted(" and %zu stages", step.stageRanges.size()).c_str() : "",
                       static_cast<long long>(step.scratchBytes));
    else if (!step.slots.empty())
      out += formatted(": %lld bytes", static_cast<long long>(image.slots[step.slots.back()].bytes));
    out += "\n";
  }
  return out;
}

std::string phasesText(const ConvSpec &spec) {
  if (spec.direction == Direction::WGrad)
    return "";
  PhaseTable table = phases(spec);
  if (table.phaseCount() <= 1)
    return "";
  int64_t empty = 0;
  for (int64_t i = 0; i < table.phaseCount(); ++i) {
    int64_t taps = 1;
    for (const DimPhase &phase : table.phase(i))
      taps *= phase.tapCount;
    empty += taps == 0;
  }
  return formatted("  phases      %lld output phases, one for each residue of the strides; %lld of them without taps\n",
                   static_cast<long long>(table.phaseCount()), static_cast<long long>(empty));
}

/// What the compiler says about fusion, one line each.
std::string fusionText(const Artifact &artifact, const ArtifactProblem &problem) {
  if (problem.convolution() || artifact.lowering == "linalg")
    return "  not fused   nothing: a convolution alone has no pointwise work beside it\n";
  std::string out;
  for (const std::string &note : artifact.notes)
    out += "  fusion      " + note + "\n";
  return out;
}

std::string explainText(const Job &job, const ProblemReport &report, const Artifact &artifact,
                        const ArtifactProblem &problem, const std::optional<Floor> &floor, bool color) {
  std::string out = writeText(report, color);
  out.erase(out.rfind("  status")); // Nothing ran: there is no outcome to speak of.
  if (job.spec)
    for (const std::string &line : describeViews(*job.spec))
      out += "  binding     " + line + "\n";
  if (problem.convolution() && artifact.lowering == "implicit")
    out += phasesText(*problem.convolution());
  out += stepsText(artifact.images.front());
  out += fusionText(artifact, problem);
  if (floor)
    out += floorText(*floor, report);
  return out;
}

std::string explainJson(const Job &job, const ProblemReport &report, const Artifact &artifact,
                        const ArtifactProblem &problem, const std::optional<Floor> &floor) {
  auto object = nlohmann::ordered_json::parse(writeJson(report));
  object["reason"] = report.reason;
  object["words"] = job.spec                ? describe(*job.spec)
                    : problem.convolution() ? describe(*problem.convolution())
                                            : "a graph";
  object["binding"] = job.spec ? describeViews(*job.spec) : std::vector<std::string>();
  object["not_fused"] = artifact.notes;
  if (floor)
    object["floor"] = {{"ns", floor->nanoseconds()},
                       {"arithmetic_ns", floor->arithmeticNs},
                       {"memory_ns", floor->memoryNs},
                       {"peak_gflops", floor->peak->gflops},
                       {"peak_trusted", floor->peak->distrust.empty()},
                       {"bandwidth_gbs", floor->bandwidthGBs}};
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Outcome explainOne(Job job, size_t index, const ExplainOptions &options) {
  const SharedOptions &shared = options.shared;
  ProblemReport report = startReport(job, shared);
  auto failed = [&](const Status &status) {
    setOutcome(report, status);
    return render(report, shared);
  };
  Expected<Compiled> compiled = compileJob(job, compileSettings(job, index, shared));
  describeModule(job, report);
  if (!compiled)
    return failed(compiled.status());
  if (!shared.stopAfter.empty())
    return {"ok", std::string(compiled->bytes.begin(), compiled->bytes.end()), "", ""};
  Expected<Artifact> artifact = parseArtifact(compiled->bytes);
  if (!artifact)
    return failed(artifact.status().within(job.name));
  Expected<ArtifactProblem> problem = ArtifactProblem::parse(artifact->problem);
  if (!problem)
    return failed(problem.status().within(job.name));
  report.compileMs = compiled->compileMs;
  report.loadMs = compiled->loadMs;
  report.cached = compiled->cached;
  report.notes.insert(report.notes.end(), compiled->notes.begin(), compiled->notes.end());
  describeImage(*artifact, artifact->images.front(), *problem, threadCount(shared.threads), report);
  std::optional<Floor> floor;
  if (options.measure)
    floor = measureFloor(report);
  if (shared.format == ReportFormat::Json)
    return {"ok", explainJson(job, report, *artifact, *problem, floor), "", ""};
  return {"ok", explainText(job, report, *artifact, *problem, floor, shared.color), "", ""};
}

} // namespace

int explainCommand(const ExplainOptions &options) {
  ReportFormat format = options.shared.format;
  if (format != ReportFormat::Text && format != ReportFormat::Json) {
    std::fprintf(stderr, "orzo explain: --format=%s: explain writes text or json\n", std::string(name(format)).c_str());
    return 2;
  }
  return runBatch(readInputs(options.shared.words), options.shared,
                  [&](const Job &job, size_t index) { return explainOne(job, index, options); });
}

} // namespace orzo::driver
