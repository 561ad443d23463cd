#include "Measure/ErrorBound.h"

namespace orzo {

static double halfSmallest(DataType type) {
  switch (type) {
  case DataType::F32:
    return 0x1p-150;
  case DataType::BF16:
    return 0x1p-134;
  case DataType::F16:
    break;
  }
  return 0x1p-25;
}

ErrorBound errorBound(const ConvSpec &spec) {
  DataType type = spec.type(resultRole(spec.direction));
  return {unitRoundoff(type), 8 * unitRoundoff(DataType::F32),
          static_cast<double>(reference::reductionLength(spec)) * 0x1p-125 + halfSmallest(type)};
}

} // namespace orzo
