#include "Measure/DataGenerator.h"

#include "Reference/Evaluate.h"
#include "Reference/ParallelRanges.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace orzo {

std::string_view name(DataKind kind) {
  switch (kind) {
  case DataKind::Random:
    return "random";
  case DataKind::Integer:
    return "integer";
  case DataKind::Ones:
    break;
  }
  return "ones";
}

Expected<DataKind> parseDataKind(std::string_view text) {
  for (DataKind kind : {DataKind::Random, DataKind::Integer, DataKind::Ones})
    if (text == name(kind))
      return kind;
  return Status::invalidArgument("--data: unknown kind '" + std::string(text) +
                                 "'; known are random, integer and ones");
}

int64_t integerBound(const ConvSpec &spec) { return reference::reductionLength(spec) < (int64_t(1) << 22) ? 2 : 1; }

uint64_t splitmix(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// 16-bit types: four elements a hash, each 12 bits of it through a table of the type's values.
static void fillByTable(const std::vector<uint16_t> &table, uint64_t stream, int64_t count, uint16_t *data,
                        int threads) {
  reference::parallelRanges((count + 3) / 4, 16384, threads, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      uint64_t bits = splitmix(stream, static_cast<uint64_t>(block));
      int64_t last = std::min(count, 4 * block + 4);
      for (int64_t i = 4 * block; i < last; ++i, bits >>= 16)
        data[i] = table[bits & 0xfff];
    }
  });
}

void generate(DataKind kind, uint64_t seed, const ConvSpec &spec, Role role, void *data, int threads) {
  int64_t count = spec.elementCount(role);
  DataType type = spec.type(role);
  uint64_t stream = splitmix(seed, static_cast<uint64_t>(role));
  int64_t bound = kind == DataKind::Integer ? integerBound(spec) : 0;
  auto small = [&](uint64_t index) { // The value of one of 4096 equally likely draws.
    return kind == DataKind::Ones ? 1.0 : static_cast<double>(static_cast<int64_t>(index) % (2 * bound + 1) - bound);
  };
  if (type != DataType::F32) {
    std::vector<uint16_t> table(4096);
    for (int64_t index = 0; index < 4096; ++index)
      storeElement(table.data(), index, type,
                   kind == DataKind::Random ? static_cast<double>(index - 2048) / 2048
                                            : small(static_cast<uint64_t>(index)));
    fillByTable(table, stream, count, static_cast<uint16_t *>(data), threads);
    return;
  }
  auto *values = static_cast<float *>(data);
  reference::parallelRanges((count + 1) / 2, 16384, threads, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      uint64_t bits = splitmix(stream, static_cast<uint64_t>(block));
      int64_t last = std::min(count, 2 * block + 2);
      for (int64_t i = 2 * block; i < last; ++i, bits >>= 32)
        values[i] = kind == DataKind::Random
                        ? static_cast<float>(static_cast<int64_t>(bits >> 8 & 0xffffff) - 0x800000) * 0x1p-23f
                        : static_cast<float>(small(bits & 0xfff));
    }
  });
}

} // namespace orzo
