// Epilogue: the pointwise end of a gemm op, as an emitter takes it: a region, and the further tensors that it reads.
#pragma once

#include "Spec/ElementMap.h"
#include "orzo/Spec/ElementType.h"

#include <vector>

namespace mlir {
class Region;
}

namespace orzo {

/// A further operand of an epilogue.
struct Extra {
  ElementType type = ElementType::Float;
  ElementMap map; ///< From the element number of the result, in its flat memory, to the extra's.
};

struct Epilogue {
  /// The region of the gemm op (one block, arguments the f32 accumulator and one f32 of each extra, terminator yielding
  /// one f32); null for the identity, which has no extras.
  mlir::Region *body = nullptr;
  std::vector<Extra> extras;
};

} // namespace orzo
