#include "Driver/Targets.h"

#include "Api/CompilerLibrary.h"
#include "Driver/ArtifactRun.h"
#include "Driver/Memory.h"
#include "Driver/Version.h"
#include "Peak/Peak.h"
#include "Runtime/CPU/Isa.h"
#include "orzo/Runtime/Device.h"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace orzo::driver {

namespace {

/// The chip as /proc/cpuinfo names it.
std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (size_t colon = line.find(": "); line.starts_with("model name") && colon != std::string::npos)
      return line.substr(colon + 2);
  return "unknown";
}

struct Measured {
  std::vector<Peak> peaks;
  Bandwidth bandwidth;
};

Measured measure(int threads) {
  Measured measured;
  for (Instruction instruction : {Instruction::FmaYmm, Instruction::FmaZmm, Instruction::DotBF16Zmm})
    if (isSupported(instruction))
      measured.peaks.push_back(measurePeak(instruction, threads));
  measured.bandwidth = measureBandwidth(threads);
  return measured;
}

std::string joined(const std::vector<std::string> &words) {
  std::string line;
  for (const std::string &word : words)
    line += (line.empty() ? "" : ", ") + word;
  return line.empty() ? "none" : line;
}

/// The CUDA device that images would run on, or why there is none.
std::string describeCudaDevice() {
  Expected<Device> device = Device::current();
  if (!device)
    return "no device: " + device.status().message();
  return device->name() + " (" + device->architecture() + ", " + std::to_string(device->multiprocessors()) +
         " multiprocessors), driver for CUDA " + std::to_string(device->driverVersion() / 1000) + "." +
         std::to_string(device->driverVersion() % 1000 / 10);
}

nlohmann::ordered_json cudaDeviceJson() {
  Expected<Device> device = Device::current();
  if (!device)
    return {{"device", nullptr}, {"message", device.status().message()}};
  return {{"device", device->name()},
          {"architecture", device->architecture()},
          {"multiprocessors", device->multiprocessors()},
          {"driver", device->driverVersion()}};
}

void printText(const std::vector<std::string> &isas, const std::optional<Measured> &measured, int threads) {
  std::printf("  orzo        %s\n", version);
  std::printf("  machine     %s, %d cores for this process, %.1f GB of memory available\n", processorName().c_str(),
              coreCount(), static_cast<double>(availableMemory()) * 1e-9);
  std::printf("  cpu         compiles for avx2, avx512, avx512_bf16; this machine runs %s\n", joined(isas).c_str());
  std::printf("  cuda        %s\n", describeCudaDevice().c_str());
  std::printf("  compiler    %s\n", describeCompilerLibrary().c_str());
  if (!measured)
    return;
  for (const Peak &peak : measured->peaks)
    std::printf("  peak        %s: %.1f GFLOP/s on %d threads (%d cores at %.2f GHz, %.2f a clock), %s: %s\n",
                peak.instruction.c_str(), peak.gflops, peak.threads, peak.cores, peak.clockGHz, peak.perClock,
                peak.trusted ? "trusted" : "not trusted", peak.why.c_str());
  std::printf("  bandwidth   read %.1f GB/s, triad %.1f GB/s on %d threads (arrays of %.0f MB)\n",
              measured->bandwidth.readGBs, measured->bandwidth.triadGBs, threads, measured->bandwidth.arrayMegabytes);
}

void printJson(const std::vector<std::string> &isas, const std::optional<Measured> &measured, int threads) {
  Expected<std::string> library = findCompilerLibrary(), build = compilerBuildId();
  nlohmann::ordered_json object = {
      {"orzo", version},
      {"machine", processorName()},
      {"cores", coreCount()},
      {"memory_available", availableMemory()},
      {"cpu", {{"compiles", {"avx2", "avx512", "avx512_bf16"}}, {"runs", isas}}},
      {"cuda", cudaDeviceJson()},
      {"compiler", library ? nlohmann::ordered_json(*library) : nlohmann::ordered_json()},
      {"compiler_build", build ? nlohmann::ordered_json(*build) : nlohmann::ordered_json()},
  };
  if (measured) {
    object["threads"] = threads;
    object["peaks"] = nlohmann::ordered_json::array();
    for (const Peak &peak : measured->peaks)
      object["peaks"].push_back({{"instruction", peak.instruction},
                                 {"gflops", peak.gflops},
                                 {"clock_ghz", peak.clockGHz},
                                 {"per_clock", peak.perClock},
                                 {"trusted", peak.trusted},
                                 {"why", peak.why}});
    object["bandwidth"] = {{"read_gbs", measured->bandwidth.readGBs}, {"triad_gbs", measured->bandwidth.triadGBs}};
  }
  std::printf("%s\n", object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

} // namespace

int targetsCommand(const TargetsOptions &options) {
  if (options.format != ReportFormat::Text && options.format != ReportFormat::Json) {
    std::fprintf(stderr, "orzo targets: --format=%s: targets writes text or json\n",
                 std::string(name(options.format)).c_str());
    return 2;
  }
  std::vector<std::string> isas;
  for (Isa isa : supportedIsas())
    isas.emplace_back(name(isa));
  std::optional<Measured> measured;
  int threads = threadCount(options.threads);
  if (options.measure)
    measured = measure(threads);
  (options.format == ReportFormat::Json ? printJson : printText)(isas, measured, threads);
  return 0;
}

} // namespace orzo::driver
