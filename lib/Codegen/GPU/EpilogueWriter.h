// EpilogueWriter: epilogues as code - a body on f32 values, and results stored through it.
#pragma once

#include "Codegen/GPU/EpilogueAccess.h"
#include "Codegen/GPU/Writer.h"
#include "orzo/Support/Status.h"

namespace orzo::gpu {

/// Unsupported, naming it, where `epilogue` has an op that is not elementwise, or an extra or the result a type that
/// f32 does not hold.
Status checkEpilogue(const Epilogue &epilogue, ElementType result);
/// The same of a body alone, which may be null.
Status checkBody(mlir::Region *body);
/// How many ops a body has.
int64_t opsOf(mlir::Region *body);

/// What `body` computes of `arguments`, f32 each; the first of them where it is null.
Value inlineBody(Writer &w, mlir::Region *body, ValueRange arguments);

/// Stores results by element number, every extra reached by it too.
class ElementStore {
public:
  /// `memory`: the extras, then the result; global pointers. `type` is what is stored.
  ElementStore(Writer &w, const Epilogue &epilogue, std::vector<Value> memory, ElementType type)
      : w(w), epilogue(epilogue), memory(std::move(memory)), type(type) {}

  /// Stores sums of neighbours, as many as divide `element`, from it on.
  void store(Value element, ValueRange sums);

private:
  mlir::SmallVector<Value> load(size_t extra, Value element, int64_t width);

  Writer &w;
  const Epilogue &epilogue;
  std::vector<Value> memory;
  ElementType type;
};

} // namespace orzo::gpu
