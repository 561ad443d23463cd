#include "Reference/Operand.h"

#include "Reference/ParallelRanges.h"

#include <algorithm>
#include <cstring>

namespace orzo::reference {

static Operand allocate(std::vector<Axis> order, const std::array<int64_t, 7> &extents) {
  Operand operand;
  std::erase_if(order, [&](Axis axis) { return extents[static_cast<int>(axis)] == 1; });
  for (size_t position = order.size(); position-- > 0;) {
    auto axis = static_cast<int>(order[position]);
    operand.strides[axis] = operand.count;
    operand.extents[axis] = extents[axis];
    operand.count *= extents[axis];
  }
  operand.order = std::move(order);
  operand.values = std::make_unique_for_overwrite<double[]>(operand.count);
  return operand;
}

/// f16 by table: the conversion function is exact but slow.
static const float *f16Values() {
  static const std::vector<float> table = [] {
    std::vector<float> values(0x10000);
    for (uint32_t bits = 0; bits < values.size(); ++bits)
      values[bits] = fromF16(static_cast<uint16_t>(bits));
    return values;
  }();
  return table.data();
}

/// Elements source[0], source[stride], ... of `type`, widened.
static void widenRow(const void *source, int64_t offset, int64_t stride, int64_t count, DataType type, double *target) {
  if (type == DataType::F32) {
    const float *values = static_cast<const float *>(source) + offset;
    for (int64_t i = 0; i < count; ++i)
      target[i] = values[i * stride];
    return;
  }
  const uint16_t *bits = static_cast<const uint16_t *>(source) + offset;
  if (type == DataType::BF16) {
    for (int64_t i = 0; i < count; ++i)
      target[i] = std::bit_cast<float>(static_cast<uint32_t>(bits[i * stride]) << 16);
    return;
  }
  const float *table = f16Values();
  for (int64_t i = 0; i < count; ++i)
    target[i] = table[bits[i * stride]];
}

Operand widen(const ConvSpec &spec, Role role, std::vector<Axis> order, const void *data, int threads) {
  std::array<int64_t, 7> extents;
  for (int axis = 0; axis < 7; ++axis)
    extents[axis] = spec.extent(role, static_cast<Axis>(axis));
  Operand operand = allocate(std::move(order), extents);
  if (operand.count == 0)
    return operand;
  std::vector<Axis> outer = operand.order;
  Axis inner = outer.empty() ? Axis::N : outer.back();
  if (!outer.empty())
    outer.pop_back();
  int64_t length = operand.extent(inner);
  DataType type = spec.type(role);
  parallelRanges(operand.count / length, 65536 / length + 1, threads, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t rest = row, offset = 0;
      for (size_t position = outer.size(); position-- > 0;) {
        int64_t extent = operand.extent(outer[position]);
        offset += rest % extent * spec.elementStride(role, outer[position]);
        rest /= extent;
      }
      widenRow(data, offset, spec.elementStride(role, inner), length, type, operand.values.get() + row * length);
    }
  });
  return operand;
}

Operand contract(const Operand &operand, Axis axis, std::span<const double> weights) {
  std::array<int64_t, 7> extents = operand.extents;
  extents[static_cast<int>(axis)] = 1;
  Operand result = allocate(operand.order, extents);
  int64_t length = operand.extent(axis);
  int64_t inner = length == 1 ? 1 : operand.stride(axis);
  for (int64_t outer = 0; outer < result.count / inner; ++outer) {
    double *target = result.values.get() + outer * inner;
    const double *source = operand.values.get() + outer * length * inner;
    std::fill_n(target, inner, 0.0);
    for (int64_t index = 0; index < length; ++index)
      for (int64_t i = 0; i < inner; ++i)
        target[i] += weights[index] * source[index * inner + i];
  }
  return result;
}

Operand squared(const Operand &operand) {
  Operand result = allocate(operand.order, operand.extents);
  for (int64_t i = 0; i < operand.count; ++i)
    result.values[i] = operand.values[i] * operand.values[i];
  return result;
}

} // namespace orzo::reference
