#include "Codegen/CPU/Plan.h"

#include <algorithm>
#include <sstream>

namespace orzo::cpu {

static int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t roundUp(int64_t a, int64_t multiple) { return ceilDivide(a, multiple) * multiple; }

/// Words (32-bit) of packed panels that a block may take of L1 along one column tile, of L2 for the lhs block, and of
/// the last-level cache for the resident rhs. Sized for 32 KiB / 512 KiB / a few MiB per core, what every x86 server of
/// the last ten years has at least.
static constexpr int64_t columnTileWords = 32 << 10, lhsBlockWords = 96 << 10, residentWords = 4 << 20;

/// Splits `extent` into equal blocks of at most `most`, each a multiple of `multiple`.
static int64_t evenBlock(int64_t extent, int64_t most, int64_t multiple) {
  int64_t blocks = std::max<int64_t>(1, ceilDivide(extent, std::max(most, multiple)));
  return std::max(multiple, roundUp(ceilDivide(extent, blocks), multiple));
}

/// A tile as wide as the registers allow that wastes as little as possible on a result with few rows or few columns. At
/// least eight accumulators keep both multipliers busy for their four cycles of latency.
static void chooseTile(const Nest &nest, Plan &plan) {
  bool wide = plan.isa != Isa::AVX2;
  plan.tileRows = wide ? 12 : 6;
  int64_t vectors = 2;
  if (nest.maxRows() < plan.tileRows) {
    plan.tileRows = std::max<int64_t>(1, nest.maxRows());
    int64_t registers = wide ? 32 : 16;
    vectors = std::clamp<int64_t>((registers - 2) / (plan.tileRows + 1), 2, wide ? 8 : 6);
  }
  vectors = std::min(vectors, std::max<int64_t>(1, ceilDivide(nest.maxColumns(), plan.lanes())));
  plan.tileColumns = vectors * plan.lanes();
}

static int64_t unitCount(const Nest &nest, const Plan &plan) {
  int64_t count = 0;
  for (int64_t range : unitRanges(nest, plan))
    count += range;
  return count;
}

bool allowsChannels(const Nest &nest, int64_t lanes) {
  if (nest.batch.empty() || nest.batchExtents.back() % lanes != 0)
    return false;
  const NestDim &lane = nest.batch.back();
  int64_t padded = nest.padded == Nest::Padded::Lhs ? lane.lhs : nest.padded == Nest::Padded::Rhs ? lane.rhs : 1;
  return padded == 1 && (lane.lhs == 1) + (lane.rhs == 1) + (lane.out == 1) >= 2;
}

/// Thin products side by side. The padded or larger side is the tile's long one; two of its elements and up to four
/// registers of lanes share each load of the other operand and each test of a coordinate.
static void planChannels(const Nest &nest, Plan &plan, int threads) {
  plan.channels = true;
  int64_t lanesLeft = nest.batchExtents.back() / plan.lanes();
  int64_t most = plan.isa == Isa::AVX2 ? 2 : 4;
  while (lanesLeft % (2 * plan.laneVectors) == 0 && 2 * plan.laneVectors <= most)
    plan.laneVectors *= 2;
  int64_t rows = nest.maxRows(), columns = nest.maxColumns();
  int64_t registers = (plan.isa == Isa::AVX2 ? 8 : 16) / plan.laneVectors;
  plan.tileRows = std::clamp<int64_t>(rows >= columns ? registers : 1, 1, std::max<int64_t>(1, rows));
  plan.tileColumns = std::clamp<int64_t>(rows >= columns ? 1 : registers, 1, std::max<int64_t>(1, columns));
  plan.blockDepth = evenBlock(nest.maxDepth(), 512, 1);
  plan.blockRows = evenBlock(rows, 512, plan.tileRows);
  plan.blockColumns = evenBlock(columns, 512, plan.tileColumns);
  for (int64_t *block : {&plan.blockRows, &plan.blockColumns}) {
    int64_t tile = block == &plan.blockRows ? plan.tileRows : plan.tileColumns;
    while (unitCount(nest, plan) < 4 * threads && *block > 4 * tile)
      *block = roundUp(*block / 2, tile);
  }
  plan.reason =
      "every group's product is thin and groups are contiguous: " + std::to_string(plan.laneVectors * plan.lanes()) +
      " groups are computed side by side in vector lanes";
}

Plan choosePlan(const Nest &nest, Isa isa, int threads) {
  Plan plan;
  plan.isa = isa;
  if (allowsChannels(nest, plan.lanes()) && std::min(nest.maxRows(), nest.maxColumns()) <= 2) {
    planChannels(nest, plan, threads);
    return plan;
  }
  bool bothBF16 = nest.lhsType == DataType::BF16 && nest.rhsType == DataType::BF16;
  plan.dotPairs = isa == Isa::AVX512BF16 && bothBF16 && nest.maxDepth() > 1;
  chooseTile(nest, plan);

  plan.blockDepth = evenBlock(nest.maxDepth(), columnTileWords / plan.tileColumns * plan.pair(), plan.pair());
  int64_t depthWords = plan.blockDepth / plan.pair();
  plan.blockRows = evenBlock(nest.maxRows(), std::max(plan.tileRows, lhsBlockWords / depthWords), plan.tileRows);
  plan.blockColumns = evenBlock(nest.maxColumns(), 1024, plan.tileColumns);
  int64_t allDepthWords = roundUp(nest.maxDepth(), plan.blockDepth) / plan.pair();
  while (plan.blockColumns > 4 * plan.tileColumns && allDepthWords * plan.blockColumns > residentWords)
    plan.blockColumns = roundUp(plan.blockColumns / 2, plan.tileColumns);
  plan.rhsResident = allDepthWords * plan.blockColumns <= residentWords;

  // Enough units for an even share per thread.
  auto halve = [&](int64_t &block, int64_t tile, int64_t least, int64_t unitsPerThread) {
    while (unitCount(nest, plan) < unitsPerThread * threads && block > least * tile)
      block = roundUp(block / 2, tile);
  };
  if (plan.rhsResident) {
    halve(plan.blockRows, plan.tileRows, 4, 4); // Costs no packing: rhs stays packed.
    halve(plan.blockColumns, plan.tileColumns, 2, 2);
    halve(plan.blockRows, plan.tileRows, 1, 2);
  } else {
    // Every unit packs both its operands, so the fewest that keep all threads busy: one equal part of the columns each.
    plan.blockColumns = evenBlock(nest.maxColumns(), 512, plan.tileColumns);
    if (int64_t units = unitCount(nest, plan); units < threads)
      plan.blockColumns =
          evenBlock(nest.maxColumns(), plan.blockColumns / ceilDivide(threads, units), plan.tileColumns);
    halve(plan.blockRows, plan.tileRows, 1, 1);
  }

  std::ostringstream reason;
  reason << "depth " << plan.blockDepth << " keeps a column tile of rhs near L1, " << plan.blockRows
         << " rows of it keep the lhs block in L2, " << unitCount(nest, plan) << " units for " << threads
         << (threads == 1 ? " thread" : " threads");
  plan.reason = reason.str();
  return plan;
}

std::string text(const Plan &plan) {
  std::ostringstream out;
  out << name(plan.isa);
  if (plan.channels)
    out << " channels " << plan.laneVectors;
  else
    out << (plan.dotPairs ? " dot" : " fma");
  out << " tile " << plan.tileRows << 'x' << plan.tileColumns << " rows " << plan.blockRows << " columns "
      << plan.blockColumns << " depth " << plan.blockDepth
      << (plan.channels      ? ""
          : plan.rhsResident ? " resident"
                             : " streamed");
  return out.str();
}

/// Reads one word and, where `expected` is not empty, requires it.
static Status expectWord(std::istringstream &in, std::string_view expected) {
  std::string word;
  in >> word;
  if (word != expected)
    return Status::invalidArgument("plan: expected '" + std::string(expected) + "', got '" + word + "'");
  return Status::success();
}

static Status readField(std::istringstream &in, std::string_view field, int64_t &value, int64_t multiple) {
  if (Status status = expectWord(in, field); !status.ok())
    return status;
  if (!(in >> value) || value < 1 || value % multiple != 0)
    return Status::invalidArgument("plan: " + std::string(field) + " must be a positive multiple of " +
                                   std::to_string(multiple));
  return Status::success();
}

Expected<Plan> parsePlan(std::string_view text, const Nest &nest) {
  std::istringstream in{std::string(text)};
  Plan plan;
  std::string word;
  in >> word;
  Expected<Isa> isa = parseIsa(word);
  if (!isa.ok())
    return isa.status().within("plan");
  plan.isa = *isa;

  in >> word;
  plan.dotPairs = word == "dot";
  plan.channels = word == "channels";
  if (word != "dot" && word != "fma" && word != "channels")
    return Status::invalidArgument("plan: expected 'dot', 'fma' or 'channels', got '" + word + "'");
  if (plan.channels) {
    int64_t most = plan.isa == Isa::AVX2 ? 8 : 16;
    if (!(in >> plan.laneVectors) || plan.laneVectors < 1 || plan.laneVectors > most ||
        !allowsChannels(nest, plan.lanes() * plan.laneVectors))
      return Status::invalidArgument("plan: 'channels' takes a number of registers that divides the contiguous groups "
                                     "of the problem, at most " +
                                     std::to_string(most));
  }
  bool bothBF16 = nest.lhsType == DataType::BF16 && nest.rhsType == DataType::BF16;
  if (plan.dotPairs && (plan.isa != Isa::AVX512BF16 || !bothBF16))
    return Status::invalidArgument("plan: 'dot' needs avx512_bf16 and two bf16 operands");

  std::string tile;
  if (Status status = expectWord(in, "tile"); !status.ok())
    return status;
  in >> tile;
  std::istringstream tileIn(tile);
  char times = 0;
  tileIn >> plan.tileRows >> times >> plan.tileColumns;
  int64_t registers = plan.isa == Isa::AVX2 ? 16 : 32;
  int64_t multiple = plan.channels ? 1 : plan.lanes();
  // Accumulators, then one row or column of the one operand and one element of the other.
  int64_t vectors = plan.channels ? plan.laneVectors : 1;
  int64_t tileVectors = plan.channels ? plan.tileColumns : plan.tileColumns / plan.lanes();
  int64_t operands = plan.channels ? std::min(plan.tileRows, tileVectors) : tileVectors;
  if (!tileIn || times != 'x' || plan.tileRows < 1 || plan.tileColumns < 1 || plan.tileColumns % multiple != 0 ||
      (plan.tileRows * tileVectors + operands + 1) * vectors > registers)
    return Status::invalidArgument("plan: tile '" + tile + "' must be ROWSxCOLUMNS, columns a multiple of " +
                                   std::to_string(multiple) + ", with accumulators and operands in " +
                                   std::to_string(registers) + " registers");
  for (Status status : {readField(in, "rows", plan.blockRows, plan.tileRows),
                        readField(in, "columns", plan.blockColumns, plan.tileColumns),
                        readField(in, "depth", plan.blockDepth, plan.pair())})
    if (!status.ok())
      return status;
  if (!plan.channels) {
    in >> word;
    plan.rhsResident = word == "resident";
    if (word != "resident" && word != "streamed")
      return Status::invalidArgument("plan: expected 'resident' or 'streamed', got '" + word + "'");
  }
  if (in >> word)
    return Status::invalidArgument("plan: unexpected '" + word + "' at the end");
  plan.reason = "given by the user";
  return plan;
}

std::vector<int64_t> unitRanges(const Nest &nest, const Plan &plan) {
  std::vector<int64_t> ranges;
  int64_t batches = nest.batchCount() / (plan.channels ? plan.lanes() * plan.laneVectors : 1);
  for (const NestPhase &phase : nest.phases)
    ranges.push_back(batches * ceilDivide(nest.columns(phase), plan.blockColumns) *
                     ceilDivide(nest.rows(phase), plan.blockRows));
  return ranges;
}

} // namespace orzo::cpu
