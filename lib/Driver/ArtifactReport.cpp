#include "Driver/ArtifactReport.h"

#include "Driver/Batch.h"
#include "Driver/DeviceRun.h"
#include "Driver/InputFile.h"
#include "Runtime/Core/Artifact.h"
#include "orzo/Spec/Canonical.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace orzo::driver {

std::vector<Job> readArtifacts(const std::vector<std::string> &paths) {
  std::vector<Job> jobs;
  for (const std::string &path : paths) {
    Expected<std::string> contents = readInputFile(path);
    if (!contents)
      jobs.push_back(failedJob(path, contents.status()));
    else if (!isArtifactFile(*contents))
      jobs.push_back(failedJob(path, Status::invalidArgument(path + " is no artifact (it does not begin with ORZO); "
                                                                    "orzo compile -o makes one")));
    else
      jobs.push_back(artifactJob(path, *contents));
  }
  if (jobs.empty())
    jobs.push_back(failedJob("", Status::invalidArgument("no input; give an artifact file (.orzo)")));
  return jobs;
}

namespace {

const char *kindName(ArtifactStep::Kind kind) {
  switch (kind) {
  case ArtifactStep::Kind::Dispatch:
    return "dispatch";
  case ArtifactStep::Kind::Fill:
    return "fill";
  case ArtifactStep::Kind::Copy:
    break;
  }
  return "copy";
}

nlohmann::ordered_json imageJson(const ArtifactImage &image) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const ArtifactStep &step : image.steps)
    steps.push_back({{"kind", kindName(step.kind)},
                     {"name", step.name},
                     {"flops_executed", step.flopsExecuted},
                     {"flops_tile", step.flopsTile},
                     {"scratch_bytes", step.cuda ? step.cuda->scratchBytes : step.scratchBytes},
                     {"launch", step.cuda ? nlohmann::ordered_json(describeLaunch(*step.cuda)) : nullptr}});
  return {{"isa", image.isa},
          {"plan", image.plan},
          {"kernel_hash", image.kernelHash},
          {"code_bytes", image.code.size()},
          {"workspace_bytes", image.workspaceBytes},
          {"steps", steps}};
}

std::string manifestJson(const std::string &input, const Artifact &artifact) {
  nlohmann::ordered_json object = {{"input", input},
                                   {"problem", artifact.problem},
                                   {"lowering", artifact.lowering},
                                   {"reason", artifact.reason},
                                   {"compiler_build", artifact.compilerBuild},
                                   {"compile_ms", artifact.compileMilliseconds},
                                   {"bindings", nlohmann::ordered_json::array()},
                                   {"images", nlohmann::ordered_json::array()},
                                   {"status", "ok"},
                                   {"message", ""}};
  for (const ArtifactBinding &binding : artifact.bindings)
    object["bindings"].push_back({{"name", binding.name},
                                  {"result", binding.isResult},
                                  {"type", name(binding.type)},
                                  {"layout", binding.layout},
                                  {"shape", binding.shape}});
  for (const ArtifactImage &image : artifact.images)
    object["images"].push_back(imageJson(image));
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string manifestText(const std::string &input, const Artifact &artifact) {
  std::string out;
  auto line = [&](const char *label, const std::string &text) {
    out += "  " + std::string(label) + std::string(12 - std::string_view(label).size(), ' ') + text + "\n";
  };
  line("artifact", input);
  line("problem", artifact.problem);
  if (Expected<ConvSpec> spec = parseConvSpec(artifact.problem))
    line("in words", describe(*spec));
  line("lowering", artifact.lowering + ": " + artifact.reason);
  line("compiler", artifact.compilerBuild);
  for (const ArtifactBinding &binding : artifact.bindings) {
    std::string shape;
    for (int64_t extent : binding.shape)
      shape += (shape.empty() ? "" : "x") + std::to_string(extent);
    line(binding.isResult ? "result" : "operand",
         binding.name + " " + binding.layout + " " + shape + " " + std::string(name(binding.type)));
  }
  for (const ArtifactImage &image : artifact.images) {
    line("image", image.isa + ", " + std::to_string(image.code.size()) + " bytes of code, workspace " +
                      std::to_string(image.workspaceBytes) + " bytes");
    line("plan", image.plan);
    line("hash", image.kernelHash);
    for (const ArtifactStep &step : image.steps)
      line("step", std::string(kindName(step.kind)) + " " + step.name +
                       (step.kind == ArtifactStep::Kind::Dispatch
                            ? ": " + std::to_string(step.flopsExecuted) + " FLOP executed, " +
                                  std::to_string(step.flopsTile) + " more in tile tails, " +
                                  (step.cuda ? describeLaunch(*step.cuda)
                                             : std::to_string(step.scratchBytes) + " bytes of scratch a thread")
                            : ""));
  }
  return out;
}

Outcome reportOne(const Job &job, const SharedOptions &options) {
  Expected<Artifact> artifact = parseArtifact(job.artifact);
  if (!artifact) {
    ProblemReport report = startReport(job, options);
    setOutcome(report, artifact.status().within(job.name));
    return render(report, options);
  }
  bool isJson = options.format == ReportFormat::Json;
  return {"ok", isJson ? manifestJson(job.input, *artifact) : manifestText(job.input, *artifact), "", ""};
}

} // namespace

int reportJobs(const std::vector<Job> &jobs, const SharedOptions &options) {
  if (options.format != ReportFormat::Text && options.format != ReportFormat::Json) {
    std::fprintf(stderr, "orzo-run report: --format=%s: report writes text or json\n",
                 std::string(name(options.format)).c_str());
    return 2;
  }
  return runBatch(jobs, options, [&](const Job &job, size_t) { return reportOne(job, options); });
}

} // namespace orzo::driver
