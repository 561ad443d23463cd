#include "Compiler/TargetList.h"

#include <algorithm>

namespace orzo {

Expected<std::vector<Isa>> parseTarget(std::string_view text) {
  constexpr std::string_view prefix = "cpu";
  if (text == prefix) {
    Expected<Isa> isa = detectIsa();
    if (!isa)
      return isa.status();
    return std::vector<Isa>{*isa};
  }
  if (!text.starts_with("cpu:"))
    return Status::invalidArgument(
        "unknown target '" + std::string(text) +
        "'; there are cpu, cpu:ISA,... with ISA one of avx2, avx512, avx512_bf16, and cuda:sm_90a");
  std::vector<Isa> isas;
  std::string_view rest = text.substr(prefix.size() + 1);
  while (true) {
    size_t comma = rest.find(',');
    Expected<Isa> isa = parseIsa(rest.substr(0, comma));
    if (!isa)
      return isa.status().within("target '" + std::string(text) + "'");
    if (std::find(isas.begin(), isas.end(), *isa) != isas.end())
      return Status::invalidArgument("target '" + std::string(text) + "' names " + std::string(name(*isa)) + " twice");
    isas.push_back(*isa);
    if (comma == std::string_view::npos)
      return isas;
    rest.remove_prefix(comma + 1);
  }
}

bool isCudaTarget(std::string_view text) { return text == "cuda" || text.starts_with("cuda:"); }

Status checkCudaTarget(std::string_view text) {
  if (text == "cuda:sm_90a")
    return Status::success();
  return Status::invalidArgument("unknown target '" + std::string(text) + "'; of CUDA devices there is cuda:sm_90a");
}

} // namespace orzo
