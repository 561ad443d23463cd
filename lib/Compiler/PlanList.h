// PlanList: the plans that a problem's main kernel could have on one ISA, and the workspace that each makes it need.
#pragma once

#include "Compiler/BuildImage.h"

namespace orzo {

/// One line a plan, the cost model's first: its text, the bytes of workspace of the whole program on `request.threads`
/// threads, and the reason for it, separated by tabs. No line where nothing has a plan. `dispatched` as for
/// buildImage(), whose errors these are.
Expected<std::string> listPlans(mlir::ModuleOp dispatched, const ImageRequest &request);

} // namespace orzo
