#include "Api/PlanVariants.h"

#include <algorithm>
#include <sstream>

namespace orzo::graph {

Expected<std::vector<PlanVariant>> listPlans(const CompileInput &input, const CompileSettings &settings) {
  CompileSettings asking = settings;
  asking.stopAfter = "plans";
  asking.plan.clear();
  Expected<Compiled> compiled = compileCached(input, asking);
  if (!compiled)
    return compiled.status();
  std::vector<PlanVariant> plans;
  std::istringstream lines(std::string(compiled->bytes.begin(), compiled->bytes.end()));
  for (std::string line; std::getline(lines, line);) {
    size_t first = line.find('\t'), second = line.find('\t', first + 1);
    if (second == std::string::npos)
      return Status::internal("the compiler's list of plans has the line '" + line + "'");
    plans.push_back({line.substr(0, first), std::stoull(line.substr(first + 1, second)), line.substr(second + 1)});
  }
  return plans;
}

Expected<PlanVariant> planAt(const std::vector<PlanVariant> &plans, size_t index) {
  if (index < plans.size())
    return plans[index];
  return Status::invalidArgument("plan " + std::to_string(index) + ": there are " + std::to_string(plans.size()) +
                                 (plans.empty() ? "" : ", numbered from 0"));
}

Expected<PlanVariant> planWithin(const std::vector<PlanVariant> &plans, size_t needed, size_t limit) {
  auto fits = std::ranges::find_if(plans, [&](const PlanVariant &plan) { return plan.workspaceBytes <= limit; });
  if (fits != plans.end())
    return *fits;
  std::string message =
      "a workspace of " + std::to_string(needed) + " bytes is needed, the limit is " + std::to_string(limit);
  auto least = std::ranges::min_element(plans, {}, &PlanVariant::workspaceBytes);
  if (least == plans.end() || least->workspaceBytes >= needed)
    return Status::unsupported(message + "; no plan needs less");
  return Status::unsupported(message + "; the least is " + std::to_string(least->workspaceBytes) + ", with plan " +
                             std::to_string(least - plans.begin()) + " ('" + least->text + "')");
}

} // namespace orzo::graph
