#include "Compiler/TargetList.h"

#include <algorithm>

namespace orzo {

static Status addIsa(Isa isa, std::string_view text, TargetList &list) {
  if (std::find(list.isas.begin(), list.isas.end(), isa) != list.isas.end())
    return Status::invalidArgument("target '" + std::string(text) + "' names " + std::string(name(isa)) + " twice");
  list.isas.push_back(isa);
  return Status::success();
}

/// `one` target of `text`.
static Status addTarget(std::string_view one, std::string_view text, TargetList &list) {
  if (one == "cpu") {
    Expected<Isa> isa = detectIsa();
    return isa ? addIsa(*isa, text, list) : isa.status();
  }
  if (one == "cuda:sm_90a") {
    if (list.cuda)
      return Status::invalidArgument("target '" + std::string(text) + "' names cuda:sm_90a twice");
    list.cuda = true;
    return Status::success();
  }
  if (one == "cuda" || one.starts_with("cuda:"))
    return Status::invalidArgument("unknown target '" + std::string(one) + "'; of CUDA devices there is cuda:sm_90a");
  if (!one.starts_with("cpu:"))
    return Status::invalidArgument("unknown target '" + std::string(one) +
                                   "'; there are cpu, cpu:ISA,... with ISA one of avx2, avx512, avx512_bf16, and "
                                   "cuda:sm_90a, joined by + where they are several");
  std::string_view rest = one.substr(std::string_view("cpu:").size());
  while (true) {
    size_t comma = rest.find(',');
    Expected<Isa> isa = parseIsa(rest.substr(0, comma));
    if (!isa)
      return isa.status().within("target '" + std::string(text) + "'");
    if (Status status = addIsa(*isa, text, list); !status.ok() || comma == std::string_view::npos)
      return status;
    rest.remove_prefix(comma + 1);
  }
}

Expected<TargetList> parseTargets(std::string_view text) {
  TargetList list;
  for (std::string_view rest = text;;) {
    size_t plus = rest.find('+');
    if (Status status = addTarget(rest.substr(0, plus), text, list); !status.ok())
      return status;
    if (plus == std::string_view::npos)
      return list;
    rest.remove_prefix(plus + 1);
  }
}

} // namespace orzo
