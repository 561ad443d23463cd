// The meaning of gemm flags.
#pragma once

#include "Command/DriverCommand.h"
#include "Command/FlagValues.h"

#include <vector>

namespace orzo {

/// The problem that the gemm command `values` stands for, as a convolution without spatial dims. MIOpen: C = op(A)
/// op(B), every matrix packed, row by row or (isColMajor) column by column. BOO: the same, with -m and -k exchanged,
/// and -F 2 and 3 for the gradients of A and B. Errors as parseDriverCommand's.
Expected<std::vector<DriverProblem>> gemmProblems(const FlagValues &values);

} // namespace orzo
