#include "Measure/GraphData.h"

namespace orzo {

static double drawn(DataKind kind, ElementType type, uint64_t bits) {
  if (kind == DataKind::Ones)
    return 1;
  bool isUnsigned = type == ElementType::Uint8;
  if (type == ElementType::Boolean)
    return static_cast<double>(bits & 1);
  if (kind == DataKind::Integer)
    return static_cast<double>(bits % (isUnsigned ? 3 : 5)) - (isUnsigned ? 0 : 2);
  if (!isFloat(type))
    return static_cast<double>(bits & 15) - (isUnsigned ? 0 : 8);
  return static_cast<double>(static_cast<int64_t>(bits % 4097) - 2048) / 2048;
}

void generate(DataKind kind, uint64_t seed, const GraphSpec &graph, int value, void *data) {
  const GraphValue &spec = graph.values[value];
  uint64_t stream = splitmix(seed, static_cast<uint64_t>(value));
  for (int64_t i = 0; i < spec.elements; ++i)
    storeElement(data, i, spec.type, drawn(kind, spec.type, splitmix(stream, static_cast<uint64_t>(i)) >> 20));
}

} // namespace orzo
