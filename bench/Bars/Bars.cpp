// The timing lines that orzo is held to, run now and printed beside their bars: `./dev bench bars`.
//
// Each line is one `orzo run` in a process of its own, with its report as JSON. A missed bar is a finding, not a
// failure: machines are noisy and shared. Wrong numbers are a failure.
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace {

struct Bar {
  const char *what;
  std::string command;
  const char *key; ///< Of the report: "of_peak" or "compile_ms".
  double bound;    ///< At least this, or at most where `atMost`.
  bool atMost = false;
  bool cold = false; ///< Compiled in this run, not taken from the cache.
};

std::string conv3x3(const char *base, int stride, int direction) {
  return std::string(base) + " -n 4 -c 256 -H 28 -W 28 -k 256 -y 3 -x 3 -p 1 -q 1 -u " + std::to_string(stride) +
         " -v " + std::to_string(stride) + " -F " + std::to_string(direction) +
         " --in_layout NHWC --out_layout NHWC --fil_layout NHWC";
}

std::vector<Bar> bars() {
  const std::string nhwc = " --in_layout NHWC --out_layout NHWC --fil_layout NHWC";
  const std::string seed = "convbfp16 -n 16 -c 2048 -H 1 -W 512 -k 2048 -y 1 -x 2 -u 1 -v 2 -F 2" + nhwc;
  const std::string swapped = "convbfp16 -n 16 -c 2048 -H 512 -W 1 -k 2048 -y 2 -x 1 -u 2 -v 1 -F 2" + nhwc;
  const std::string product = "convbfp16 -n 4096 -c 4096 -H 1 -W 1 -k 2048 -y 1 -x 1 -F 2" + nhwc;
  std::vector<Bar> all = {{"main job", seed, "of_peak", 0.60},
                          {"main job, H and W swapped", swapped, "of_peak", 0.60},
                          {"main job as a 1x1 dgrad", product, "of_peak", 0.60},
                          {"main job as a gemm", "gemmbfp16 -m 4096 -n 4096 -k 2048 -F 1", "of_peak", 0.60},
                          {"main job, compile time in ms", seed, "compile_ms", 400, true, true}};
  for (const char *base : {"conv", "convbfp16"})
    for (auto [what, stride, direction] :
         {std::tuple("3x3 stride 1 fprop", 1, 1), {"3x3 stride 2 dgrad", 2, 2}, {"3x3 stride 1 wgrad", 1, 4}})
      all.push_back({what, conv3x3(base, stride, direction), "of_peak", 0.45});
  return all;
}

std::optional<nlohmann::json> run(const std::string &orzo, const Bar &bar) {
  std::string command = "'" + orzo + "' run --format=json" + (bar.cold ? " --no-cache" : "") + " -- " + bar.command;
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    return std::nullopt;
  std::string text;
  char buffer[4096];
  for (size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    text.append(buffer, got);
  pclose(pipe);
  nlohmann::json report = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  return report.is_object() ? std::optional(report) : std::nullopt;
}

} // namespace

int main() {
  std::string orzo = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "orzo";
  bool right = true;
  int met = 0, missed = 0, unknown = 0;
  printf("%-30s %-6s %-11s %-9s %8s %8s  %s\n", "what", "type", "isa", "verified", "bar", "got", "");
  for (const Bar &bar : bars()) {
    std::optional<nlohmann::json> report = run(orzo, bar);
    if (!report || report->value("status", "") != "ok") {
      printf("%-30s %s\n", bar.what, report ? report->value("message", "failed").c_str() : "printed no report");
      right = false;
      continue;
    }
    const nlohmann::json &value = (*report)[bar.key];
    bool known = value.is_number();
    bool good = known && (bar.atMost ? value.get<double>() <= bar.bound : value.get<double>() >= bar.bound);
    (known ? good ? met : missed : unknown) += 1;
    std::string got = "-";
    if (known) {
      char digits[32];
      snprintf(digits, sizeof digits, bar.atMost ? "%.0f" : "%.3f", value.get<double>());
      got = digits;
    }
    printf("%-30s %-6s %-11s %-9s %s%7.2f %8s  %s\n", bar.what, bar.command.find("bfp16") < 5 ? "bf16" : "f32",
           report->value("isa", "").c_str(), (*report)["verify"].value("status", "").c_str(), bar.atMost ? "<" : ">",
           bar.bound, got.c_str(),
           !known ? "peak not trusted"
           : good ? "met"
                  : "MISSED");
  }
  printf("%d met, %d missed, %d without a figure\n", met, missed, unknown);
  return right ? 0 : 1;
}
