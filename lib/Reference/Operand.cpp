#include "Reference/Operand.h"

#include "Reference/ParallelRanges.h"

#include <algorithm>
#include <cstring>

namespace orzo::reference {

static Operand allocate(std::vector<Axis> order, const std::array<int64_t, 7> &extents, Rows rows) {
  Operand operand;
  std::erase_if(order, [&](Axis axis) { return extents[static_cast<int>(axis)] == 1; });
  for (size_t position = order.size(); position-- > 0;) {
    auto axis = static_cast<int>(order[position]);
    operand.strides[axis] = operand.count;
    operand.extents[axis] = extents[axis];
    operand.count *= extents[axis];
    if (position + 1 == order.size()) {
      if (rows == Rows::Staggered && operand.count >= 256 && operand.count % 64 == 0)
        operand.count += 16;
      operand.pitch = operand.count;
    }
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

Operand widen(const ConvSpec &spec, Role role, std::vector<Axis> order, const void *data, Rows rows, int threads) {
  std::array<int64_t, 7> extents;
  for (int axis = 0; axis < 7; ++axis)
    extents[axis] = spec.extent(role, static_cast<Axis>(axis));
  Operand operand = allocate(std::move(order), extents, rows);
  if (operand.count == 0)
    return operand;
  std::vector<Axis> outer = operand.order;
  Axis inner = outer.empty() ? Axis::N : outer.back();
  if (!outer.empty())
    outer.pop_back();
  int64_t length = operand.extent(inner);
  DataType type = spec.type(role);
  parallelRanges(operand.count / operand.pitch, 65536 / length + 1, threads, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t rest = row, offset = 0;
      for (size_t position = outer.size(); position-- > 0;) {
        int64_t extent = operand.extent(outer[position]);
        offset += rest % extent * spec.elementStride(role, outer[position]);
        rest /= extent;
      }
      double *target = operand.values.get() + row * operand.pitch;
      widenRow(data, offset, spec.elementStride(role, inner), length, type, target);
      std::fill(target + length, target + operand.pitch, 0.0);
    }
  });
  return operand;
}

/// The innermost axis: one dot product per row. The result's own rows may be staggered, so it is walked with its order.
static void contractInnermost(const Operand &operand, std::span<const double> weights, bool squares, Operand &result,
                              int threads) {
  int64_t length = result.order.empty() ? 1 : result.extent(result.order.back());
  std::fill_n(result.values.get(), result.count, 0.0);
  parallelRanges(operand.count / operand.pitch, 4096, threads, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const double *source = operand.values.get() + row * operand.pitch;
      double sum = 0;
      for (size_t i = 0; i < weights.size(); ++i)
        sum += weights[i] * source[i] * (squares ? source[i] : 1);
      result.values[row / length * result.pitch + row % length] = sum;
    }
  });
}

Operand contract(const Operand &operand, Axis axis, std::span<const double> weights, bool squares, int threads) {
  std::array<int64_t, 7> extents = operand.extents;
  extents[static_cast<int>(axis)] = 1;
  Operand result = allocate(operand.order, extents, Rows::Staggered);
  if (result.count == 0)
    return result;
  int64_t length = operand.extent(axis);
  if (!operand.order.empty() && operand.order.back() == axis) {
    contractInnermost(operand, weights, squares, result, threads);
    return result;
  }
  // The innermost rows stay as they are, zeros between them included.
  int64_t inner = length == 1 ? operand.count : operand.stride(axis);
  parallelRanges(result.count / operand.pitch, 65536 / (operand.pitch * length) + 1, threads,
                 [&](int64_t begin, int64_t end) {
                   for (int64_t row = begin; row < end; ++row) {
                     int64_t element = row * operand.pitch;
                     double *target = result.values.get() + element;
                     const double *source = operand.values.get() + element / inner * inner * length + element % inner;
                     std::fill_n(target, operand.pitch, 0.0);
                     for (int64_t index = 0; index < length; ++index)
                       for (int64_t i = 0; i < operand.pitch; ++i) {
                         double value = source[index * inner + i];
                         target[i] += weights[index] * value * (squares ? value : 1);
                       }
                   }
                 });
  return result;
}

Operand squared(const Operand &operand, int threads) {
  Operand result;
  result.order = operand.order;
  result.extents = operand.extents;
  result.strides = operand.strides;
  result.count = operand.count;
  result.pitch = operand.pitch;
  result.values = std::make_unique_for_overwrite<double[]>(operand.count);
  parallelRanges(operand.count, 65536, threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      result.values[i] = operand.values[i] * operand.values[i];
  });
  return result;
}

} // namespace orzo::reference
