#include "Graph/Strides.h"

#include <algorithm>
#include <numeric>

namespace orzo::graph {

static constexpr int64_t largest = int64_t(1) << 62;

std::optional<int64_t> volume(const Extents &dim) {
  int64_t product = 1;
  for (int64_t extent : dim)
    // An extent of 0 counts as 1 on the way, so that no order of dims hides an overflow.
    if (__builtin_mul_overflow(product, std::max<int64_t>(extent, 1), &product) || product > largest)
      return std::nullopt;
  return std::find(dim.begin(), dim.end(), 0) == dim.end() ? product : 0;
}

std::optional<int64_t> span(const Extents &dim, const Extents &stride) {
  int64_t last = 0;
  for (size_t i = 0; i < dim.size(); ++i) {
    int64_t reach;
    if (dim[i] == 0)
      return 0;
    if (dim[i] == 1)
      continue;
    if (__builtin_mul_overflow(dim[i] - 1, stride[i], &reach) || __builtin_add_overflow(last, reach, &last) ||
        last >= largest)
      return std::nullopt;
  }
  return last + 1;
}

std::vector<int> memoryOrder(const Extents &dim, const Extents &stride) {
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(dim.size()); ++i)
    if (dim[i] != 1)
      order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return stride[a] > stride[b]; });
  return order;
}

bool isPacked(const Extents &dim, const Extents &stride) {
  int64_t expected = 1;
  std::vector<int> order = memoryOrder(dim, stride);
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    if (stride[*i] != expected)
      return false;
    expected *= std::max<int64_t>(dim[*i], 1);
  }
  return true;
}

bool isInjective(const Extents &dim, const Extents &stride) {
  if (std::find(dim.begin(), dim.end(), 0) != dim.end())
    return true;
  int64_t reach = 0;
  std::vector<int> order = memoryOrder(dim, stride);
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    if (stride[*i] <= reach)
      return false;
    reach += (dim[*i] - 1) * stride[*i];
  }
  return true;
}

Extents packedInOrder(const Extents &dim, const std::vector<int> &order) {
  Extents stride(dim.size(), 1);
  int64_t next = 1;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    stride[*i] = next;
    next *= std::max<int64_t>(dim[*i], 1);
  }
  return stride;
}

static std::vector<int> rows(size_t rank) {
  std::vector<int> order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Extents packedRows(const Extents &dim) { return packedInOrder(dim, rows(dim.size())); }

static bool agrees(const std::vector<int> &order, const std::vector<int> &memory, const Extents &dim) {
  std::vector<int> kept;
  for (int i : order)
    if (dim[i] != 1)
      kept.push_back(i);
  return kept == memory;
}

std::vector<int> fullOrder(const Extents &dim, const Extents &stride) {
  std::vector<int> memory = memoryOrder(dim, stride), order = rows(dim.size());
  if (agrees(order, memory, dim))
    return order;
  if (order.size() > 2) {
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    if (agrees(order, memory, dim))
      return order;
  }
  for (int i = static_cast<int>(dim.size()) - 1; i >= 0; --i)
    if (dim[i] == 1)
      memory.insert(std::find(memory.begin(), memory.end(), i + 1), i);
  return memory;
}

std::string text(const Extents &values) {
  std::string line;
  for (int64_t value : values)
    line += (line.empty() ? "" : "x") + std::to_string(value);
  return line.empty() ? "(none)" : line;
}

} // namespace orzo::graph
