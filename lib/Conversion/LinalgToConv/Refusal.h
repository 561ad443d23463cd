// Refusal: why something in a source module is not raised, and where.
#pragma once

#include "mlir/IR/Location.h"

#include <optional>
#include <string>

namespace orzo {

struct Refusal {
  mlir::Location location;
  std::string reason; ///< What stands in the way, in words; no full stop.
};

/// A T, or why there is none.
template <typename T> class OrRefusal {
public:
  OrRefusal(T value) : result(std::move(value)) {}
  OrRefusal(Refusal refusal) : why(std::move(refusal)) {}
  explicit operator bool() const { return result.has_value(); }
  T &operator*() { return *result; }
  T *operator->() { return &*result; }
  /// Must hold no value.
  const Refusal &refusal() const { return *why; }

private:
  std::optional<T> result;
  std::optional<Refusal> why;
};

} // namespace orzo
