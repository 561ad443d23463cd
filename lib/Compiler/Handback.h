// Handback: a problem as the text that another compiler reads.
#pragma once

#include "Import/Binding/Binding.h"
#include "orzo/Spec/ConvSpec.h"
#include "orzo/Support/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <string_view>
#include <vector>

namespace orzo {

/// What `stop_after` may name besides phases.
///   torch          torch IR (Export/Torch)
///   linalg         a func.func of linalg ops in the lowered form (Export/Linalg)
///   linalg-source  the same in the source form, which says the problem and is read back as the same
///   iree           the lowered form at the border of the input; where the input has none (a problem), as linalg
///   spelling       of MLIR: the problem in its own names, and facts about how it is written (Spelling.h)
bool isHandback(std::string_view stopAfter);

struct HandedBack {
  std::string text;
  std::vector<std::string> notes; ///< For people: which form was taken and why.
};

/// `spec` as `stopAfter` asks (not spelling). Torch text is of the first of the problem's spellings, its own foremost,
/// that torch can say; Unsupported, with the reason for its own spelling, where there is none.
Expected<HandedBack> handBack(mlir::MLIRContext &context, const ConvSpec &spec, std::string_view stopAfter);

/// The one convolution of `source`, a module that `binding` was read from, as `stopAfter` asks. `source` may be
/// changed. Unsupported: several convolutions.
Expected<HandedBack> handBack(mlir::ModuleOp source, const Binding &binding, std::string_view stopAfter);

} // namespace orzo
