// PlanVariants: the plans that a problem could be compiled by, and which of them a limit of workspace allows.
#pragma once

#include "Api/Compilation.h"
#include "orzo/Api/Graph.h"

namespace orzo::graph {

/// The compiler's list for `input` with `settings`, whose plan does not matter. Errors are the compiler's: Unsupported
/// where the target is not one instruction set.
Expected<std::vector<PlanVariant>> listPlans(const CompileInput &input, const CompileSettings &settings);

/// The plan number `index`. InvalidArgument says how many there are.
Expected<PlanVariant> planAt(const std::vector<PlanVariant> &plans, size_t index);

/// The first of `plans` that needs at most `limit` bytes. Unsupported says what is needed, and by which plan the least.
Expected<PlanVariant> planWithin(const std::vector<PlanVariant> &plans, size_t needed, size_t limit);

} // namespace orzo::graph
