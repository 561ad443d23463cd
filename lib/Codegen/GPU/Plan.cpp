#include "Codegen/GPU/Plan.h"

#include "Target/CUDA/Rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace orzo::gpu {

static int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t Plan::storesInFlight(int64_t piece) const {
  if (piece >= storeBuffers)
    return storeBuffers - 1;
  // The buffer's last piece was one of the tile before.
  int64_t last = (storePieces() - 1 - piece) / storeBuffers * storeBuffers + piece;
  return storePieces() - 1 - last + piece;
}

int64_t Plan::rowTiles(const Tables &tables, int64_t phase) const { return ceilDivide(tables.rows[phase], tileRows); }

int64_t Plan::columnTiles(const Tables &tables) const { return ceilDivide(tables.columnBlocks(), tileColumns / 64); }

int64_t Plan::tiles(const Tables &tables) const {
  int64_t count = 0;
  for (int64_t phase = 0; phase < tables.phaseCount; ++phase)
    count += rowTiles(tables, phase) * columnTiles(tables) * splits;
  return count;
}

int64_t Plan::leastDepth(const Tables &tables) const {
  return *std::min_element(tables.depthBlocks.begin(), tables.depthBlocks.end()) / splits;
}

/// Most stages that fit, at most 8.
static void fillStages(Plan &plan) {
  plan.stages = 8;
  while (plan.stages > 1 && plan.sharedBytes() > cuda::sharedBytesPerBlock)
    --plan.stages;
}

namespace {

// Cycles of one multiprocessor at the clock that it keeps under load. Rates are those of an H200: 4096 dense 16-bit
// flops a cycle of tensor cores, 128 bytes of shared memory a cycle, and what L2 and memory were seen to deliver; the
// costs of a tile and of a launch were fitted to measured times of some 800 kernels.
constexpr double flopsPerCycle = 4096, sharedBytesPerCycle = 128, l2BytesPerCycle = 64;
constexpr double memoryBytesPerCycle = 2400; // Of the device.
constexpr double launchCycles = 4500;        // A dependent launch in a graph.
constexpr double elementsPerCycle = 8;       // Of a tile, filling the ring anew and storing.

// A producer that gathers takes 64 lines at once and waits for them: the way to memory and back, and each load of a
// 16-byte chunk. Fitted to some 50 kernels of 3 to 260 channels. Lines of columns lie farther apart than those of rows.
constexpr double gatherCycles = 700, loadCycles = 250, columnsFactor = 1.7;

double cyclesToGather(const Access &access, int64_t lines) {
  int64_t channels = access.maps.front().sizes.front();
  double inside = double(channels) / double(ceilDivide(channels, 64) * 64); // The rest is zero, and not loaded.
  return double(lines) / 64 * (gatherCycles + loadCycles * inside * 8 / double(access.width()));
}

double cyclesPerDepthBlock(const Plan &plan, const Tables &tables) {
  auto area = static_cast<double>(plan.tileRows * plan.tileColumns);
  // Every 64-row block reads the columns' operand anew.
  int64_t blocks = plan.consumerBlocks() * 2;
  double reads =
      double(plan.tileRows) * 128 * (plan.isSideBySide ? 2 : 1) + double(blocks * plan.consumerColumns()) * 128;
  double cycles = std::max(
      {2 * area * 64 / flopsPerCycle, reads / sharedBytesPerCycle, double(plan.stageBytes()) / l2BytesPerCycle});
  if (area < 32768)
    cycles *= 1.02; // More loads, hidden less well.
  // Gathering takes issue slots and shared memory from the products: it is not hidden behind them.
  if (plan.gathersLhs)
    cycles += cyclesToGather(tables.lhs, plan.tileRows);
  if (plan.gathersRhs)
    cycles += columnsFactor * cyclesToGather(tables.rhs, plan.tileColumns);
  return cycles;
}

/// Estimated cycles of the whole launch: the blocks take tiles in turn, heavy phases first.
double estimate(const Plan &plan, const Tables &tables) {
  double perBlock = cyclesPerDepthBlock(plan, tables);
  double perTile = double(plan.tileRows * plan.tileColumns) / elementsPerCycle;
  double work = 0, longest = 0;
  int64_t tiles = 0;
  for (int64_t phase = 0; phase < tables.phaseCount; ++phase) {
    int64_t count = plan.rowTiles(tables, phase) * plan.columnTiles(tables) * plan.splits;
    double cost = perTile + perBlock * double(ceilDivide(tables.depthBlocks[phase], plan.splits));
    work += double(count) * cost;
    tiles += count;
    longest = std::max(longest, cost);
  }
  double waves = std::ceil(double(tiles) / cuda::multiprocessors);
  double cycles =
      tables.phaseCount == 1 ? waves * longest : std::max(work / cuda::multiprocessors + longest / 2, longest);
  if (plan.splits > 1) {
    double partial = double(plan.splits * tables.rows[0] * tables.columnBlocks() * 64) * 4;
    cycles += launchCycles + 2 * partial / memoryBytesPerCycle + 40 * double(plan.splits);
  }
  return cycles + 1500;
}

struct Shape {
  int64_t rows, columns;
  bool isSideBySide;
};

/// The best number of splits of a shape, and its cycles.
std::pair<Plan, double> bestOf(const Shape &shape, const Tables &tables) {
  Plan best;
  double bestCycles = 0;
  int64_t mostSplits = tables.phaseCount == 1 ? std::clamp<int64_t>(tables.depthBlocks[0] / 4, 1, 64) : 1;
  for (int64_t splits = 1; splits <= mostSplits; ++splits) {
    Plan plan;
    plan.tileRows = shape.rows, plan.tileColumns = shape.columns, plan.isSideBySide = shape.isSideBySide;
    plan.splits = splits;
    plan.gathersLhs = tables.lhs.isGathered, plan.gathersRhs = tables.rhs.isGathered;
    plan.storeBuffers = shape.columns == 64 || shape.rows * shape.columns > 32768 ? 1 : 2;
    fillStages(plan);
    if (!checkPlan(plan, tables).ok())
      continue;
    double cycles = estimate(plan, tables);
    if (bestCycles == 0 || cycles < bestCycles)
      best = plan, bestCycles = cycles;
  }
  return {best, bestCycles};
}

} // namespace

/// A consumer's products of three blocks take about as long as the other's store. Narrow tiles and producers that
/// gather wait for loads, not for products, and only lose by it.
static int64_t chooseLead(const Plan &plan, const Tables &tables) {
  bool waitsForLoads = plan.tileColumns < 128 || plan.tileRows * plan.tileColumns < 128 * 128 || plan.gathers();
  return waitsForLoads || plan.leastDepth(tables) < plan.stages ? 0 : std::min<int64_t>(3, plan.stages - 1);
}

/// Why operands are not loaded, or the result not stored, by map: "lhs gathered, T5: ...".
static std::string remarkOn(const Tables &tables) {
  std::string text;
  for (auto [access, what] : {std::pair(&tables.lhs, "lhs gathered, "), std::pair(&tables.rhs, "rhs gathered, "),
                              std::pair(&tables.out, "stored by predicate, ")})
    if (!access->reason.empty())
      text += (text.empty() ? "" : "; ") + std::string(what) + access->reason;
  return text;
}

Plan choosePlan(const Tables &tables) {
  constexpr std::array<Shape, 8> shapes = {{{128, 256, false},
                                            {128, 128, false},
                                            {256, 128, false},
                                            {128, 192, false},
                                            {256, 64, false},
                                            {128, 64, false},
                                            {64, 128, true},
                                            {256, 192, false}}};
  Plan best;
  double bestCycles = 0;
  for (const Shape &shape : shapes) {
    auto [plan, cycles] = bestOf(shape, tables);
    if (cycles > 0 && (bestCycles == 0 || cycles < 0.99 * bestCycles)) // Among equals the first.
      best = plan, bestCycles = cycles;
  }
  best.lead = chooseLead(best, tables);
  best.remark = remarkOn(tables);
  int64_t tiles = best.tiles(tables);
  best.reason = std::to_string(tiles) + " tiles in " + std::to_string(ceilDivide(tiles, cuda::multiprocessors)) +
                " waves, about " + std::to_string(int64_t(bestCycles)) + " cycles";
  return best;
}

Status checkPlan(const Plan &plan, const Tables &tables) {
  auto wrong = [](const std::string &field, int64_t got, const std::string &works) {
    return Status::invalidArgument(field + " " + std::to_string(got) + "; " + works);
  };
  if (plan.tileRows != 64 && plan.tileRows != 128 && plan.tileRows != 256)
    return wrong("tile rows", plan.tileRows, "64, 128 and 256 work");
  if (plan.isSideBySide ? plan.tileColumns % 128 != 0 : plan.tileColumns % 64 != 0)
    return wrong("tile columns", plan.tileColumns, "multiples of 64 work, of 128 with consumers side by side");
  if (plan.tileColumns < 64 || plan.tileColumns > 256)
    return wrong("tile columns", plan.tileColumns, "64 to 256 work");
  if (plan.consumerBlocks() < 1)
    return wrong("tile rows", plan.tileRows, "128 or more work with consumers stacked");
  if (Status status = cuda::checkAccumulators(int(plan.consumerBlocks()), int(plan.consumerColumns()), plan.gathers());
      !status.ok())
    return Status::invalidArgument("tile: " + status.message());
  if (plan.stages < 2 || plan.stages > 8)
    return wrong("stages", plan.stages, "2 to 8 work");
  if (plan.storeBuffers < 1 || plan.storeBuffers > 4)
    return wrong("buffers", plan.storeBuffers, "1 to 4 work");
  if (plan.sharedBytes() > cuda::sharedBytesPerBlock)
    return wrong("stages", plan.stages, "fewer fit into shared memory");
  if (plan.groupRows < 1 || plan.groupRows > 1024)
    return wrong("group", plan.groupRows, "1 to 1024 work");
  if (plan.splits < 1 || (plan.splits > 1 && (tables.phaseCount > 1 || plan.splits > tables.depthBlocks[0])))
    return wrong("splits", plan.splits, "1 works, and in one phase up to the number of depth blocks");
  if (plan.lead < 0 || plan.lead >= plan.stages)
    return wrong("lead", plan.lead, "0 to less than the stages work");
  // Else the first consumer could finish the next tile, too, before the second looks at the barrier of its turn.
  if (plan.lead > 0 && plan.leastDepth(tables) < plan.stages)
    return wrong("lead", plan.lead, "0 works where a tile has fewer depth blocks than there are stages");
  // Element numbers and partial sums are counted in 32 bits.
  int64_t sums = plan.splits * tables.maxRows() * tables.columnBlocks() * 64;
  if (sums >= int64_t(1) << 31)
    return wrong("splits", plan.splits, "fewer keep the partial sums under 2^31 elements");
  return Status::success();
}

std::string text(const Plan &plan) {
  std::ostringstream out;
  out << "sm_90a tile " << plan.tileRows << "x" << plan.tileColumns << (plan.isSideBySide ? " beside" : " stacked")
      << " stages " << plan.stages << " buffers " << plan.storeBuffers << " splits " << plan.splits << " group "
      << plan.groupRows;
  if (plan.lead > 0)
    out << " lead " << plan.lead;
  if (plan.gathers())
    out << " gather " << (plan.gathersLhs && plan.gathersRhs ? "both" : plan.gathersLhs ? "lhs" : "rhs");
  if (!plan.remark.empty())
    out << " (" << plan.remark << ")";
  return out.str();
}

Expected<Plan> parsePlan(std::string_view text, const Tables &tables) {
  std::istringstream in{std::string(text.substr(0, text.find('(')))};
  Plan plan;
  std::string isa, arrangement;
  auto fail = [&](const std::string &what) {
    return Status::invalidArgument("'" + std::string(text) + "': " + what + "; a plan reads like '" +
                                   orzo::gpu::text(Plan()) + "'");
  };
  auto expectWord = [&](const char *word) {
    std::string got;
    return (in >> got) && got == word;
  };
  if (!(in >> isa) || isa != "sm_90a")
    return fail("it is not for sm_90a");
  char by = 0;
  if (!expectWord("tile") || !(in >> plan.tileRows >> by >> plan.tileColumns) || by != 'x')
    return fail("no tile");
  if (!(in >> arrangement) || (arrangement != "stacked" && arrangement != "beside"))
    return fail("consumers are neither 'stacked' nor 'beside'");
  plan.isSideBySide = arrangement == "beside";
  for (auto [word, field] : {std::pair("stages", &plan.stages), std::pair("buffers", &plan.storeBuffers),
                             std::pair("splits", &plan.splits), std::pair("group", &plan.groupRows)})
    if (!expectWord(word) || !(in >> *field))
      return fail(std::string("no ") + word);
  std::string rest, operands;
  in >> rest;
  if (rest == "lead") {
    if (!(in >> plan.lead))
      return fail("no number of blocks after 'lead'");
    rest.clear();
    in >> rest;
  }
  if (rest == "gather") {
    if (!(in >> operands) || (operands != "lhs" && operands != "rhs" && operands != "both"))
      return fail("it gathers neither 'lhs' nor 'rhs' nor 'both'");
    rest.clear();
    in >> rest;
  }
  if (!rest.empty())
    return fail("'" + rest + "' after its end");
  plan.gathersLhs = tables.lhs.isGathered || operands == "lhs" || operands == "both";
  plan.gathersRhs = tables.rhs.isGathered || operands == "rhs" || operands == "both";
  if (Status status = checkPlan(plan, tables); !status.ok())
    return status;
  plan.remark = remarkOn(tables);
  plan.reason = "given";
  return plan;
}

} // namespace orzo::gpu
