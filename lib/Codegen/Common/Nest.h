// Nest: the loop nest of one dispatch - a matrix product over strided, possibly padded operands - as plain data.
//
// Every gemm op means: for every phase, group and batch,
//     out[m, n] = sum over k of  lhs[m, k] * rhs[k, n]
// where m, n and k are lists of dims. The address in each tensor is a sum of index * stride over the dims (plus a base of
// the phase); the padded operand reads 0 where a coordinate, itself such a sum, leaves its range.
#pragma once

#include "orzo/Spec/Contraction.h"
#include "orzo/Spec/ConvSpec.h"
#include "orzo/Spec/Phases.h"

namespace orzo {

struct Nest; // Defined by the kernel emitter's author; its two makers are all that others call.

/// The nest of a gemm.implicit (fprop, dgrad) or gemm.wgrad. Slots {lhs, rhs, out} are roles given by nestRoles().
Nest nestOf(const ConvSpec &spec);
/// The nest of a gemm.contract over tensors of these element types.
Nest nestOf(const Contraction &contraction, DataType lhs, DataType rhs, DataType out);

} // namespace orzo
