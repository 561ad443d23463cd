// Plans: text and its reverse, what the cost model chooses, what checkPlan() refuses.
#include "Codegen/GPU/Plan.h"
#include "Target/CUDA/Rules.h"
#include "orzo/Spec/Contraction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

namespace orzo::gpu {
namespace {

using testing::HasSubstr;

Tables tablesOf3x3(Direction direction, int64_t n, int64_t channels, int64_t size) {
  SpatialDim dim = {size, 3, size, 1, 1, 1, false};
  return tablesOf(channelsLast(direction, n, channels, channels, 1, {dim, dim}, DataType::BF16)).take();
}

Tables seedTables() {
  ConvSpec spec = channelsLast(Direction::DGrad, 16, 2048, 2048, 1, {{512, 2, 256, 2, 1, 0, false}}, DataType::BF16);
  return tablesOf(nestOf(*collapse(spec), DataType::BF16, DataType::BF16, DataType::BF16)).take();
}

TEST(Plan, TextAndBack) {
  Tables tables = tablesOf3x3(Direction::WGrad, 8, 256, 14);
  Plan plan = choosePlan(tables);
  Expected<Plan> back = parsePlan(text(plan), tables);
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(text(*back), text(plan));
  EXPECT_EQ(text(Plan()), "sm_90a tile 128x256 stacked stages 4 buffers 2 splits 1 group 8");
  std::string led = "sm_90a tile 256x128 stacked stages 4 buffers 2 splits 3 group 4 lead 2";
  back = parsePlan(led, seedTables());
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(back->lead, 2);
  EXPECT_EQ(text(*back), led);
}

TEST(Plan, SaysWhatIsGatheredAndWhy) {
  SpatialDim dim = {40, 3, 5, 9, 1, 1, false};
  Tables tables = tablesOf(channelsLast(Direction::FProp, 2, 64, 64, 1, {dim, dim}, DataType::BF16)).take();
  Plan plan = choosePlan(tables);
  EXPECT_TRUE(plan.gathersLhs);
  EXPECT_FALSE(plan.gathersRhs);
  EXPECT_THAT(text(plan), HasSubstr(" gather lhs (lhs gathered, T5: an element stride of a tensor map is 9;"));
  Expected<Plan> back = parsePlan(text(plan), tables);
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(text(*back), text(plan));
  // What must be gathered is, whatever the text says; what need not may be.
  EXPECT_TRUE(parsePlan("sm_90a tile 128x64 stacked stages 4 buffers 1 splits 1 group 8", tables)->gathersLhs);
  Tables plain = tablesOf3x3(Direction::FProp, 2, 64, 14);
  back = parsePlan("sm_90a tile 128x64 stacked stages 4 buffers 1 splits 1 group 8 gather both", plain);
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(text(*back), "sm_90a tile 128x64 stacked stages 4 buffers 1 splits 1 group 8 gather both");
  ASSERT_TRUE(setTile(plain, *back).ok());
  EXPECT_TRUE(plain.lhs.isGathered && plain.rhs.isGathered);
  auto refusal = [&](const std::string &tail) {
    return parsePlan("sm_90a tile 256x192 stacked stages 3 buffers 1 splits 1 group 8" + tail, plain)
        .status()
        .message();
  };
  EXPECT_THAT(refusal(" gather lhs"), HasSubstr("W2"));
  EXPECT_THAT(refusal(" gather x"), HasSubstr("neither 'lhs'"));
}

TEST(Plan, RefusesWhatCannotBeEmitted) {
  Tables tables = seedTables();
  auto refusal = [&](const char *text) {
    Expected<Plan> plan = parsePlan(text, tables);
    EXPECT_FALSE(plan.ok()) << text;
    EXPECT_EQ(plan.status().code(), StatusCode::InvalidArgument);
    return plan.status().message();
  };
  EXPECT_THAT(refusal("avx2 tile 6x16"), HasSubstr("not for sm_90a"));
  EXPECT_THAT(refusal("sm_90a tile 96x256 stacked stages 4 buffers 2 splits 1 group 8"), HasSubstr("tile rows 96"));
  EXPECT_THAT(refusal("sm_90a tile 64x256 stacked stages 4 buffers 2 splits 1 group 8"), HasSubstr("stacked"));
  EXPECT_THAT(refusal("sm_90a tile 128x96 stacked stages 4 buffers 2 splits 1 group 8"), HasSubstr("columns 96"));
  EXPECT_THAT(refusal("sm_90a tile 256x256 stacked stages 3 buffers 1 splits 1 group 8"), HasSubstr("W2"));
  EXPECT_THAT(refusal("sm_90a tile 128x256 stacked stages 5 buffers 2 splits 1 group 8"), HasSubstr("stages 5"));
  EXPECT_THAT(refusal("sm_90a tile 128x256 stacked stages 4 buffers 9 splits 1 group 8"), HasSubstr("buffers 9"));
  EXPECT_THAT(refusal("sm_90a tile 128x256 stacked stages 4 buffers 2 splits 33 group 8"), HasSubstr("splits 33"));
  EXPECT_THAT(refusal("sm_90a tile 128x256 stacked stages 4 buffers 2 splits 1 group 0"), HasSubstr("group 0"));
  EXPECT_THAT(refusal("sm_90a tile 128x256 stacked stages 4 buffers 2 splits 1 group 8 x"), HasSubstr("after its end"));
  EXPECT_THAT(refusal("sm_90a tile 128x256 stacked stages 4 buffers 2 splits 1 group 8 lead"), HasSubstr("no number"));
  EXPECT_THAT(refusal("sm_90a tile 128x256 stacked stages 4 buffers 2 splits 1 group 8 lead 4"), HasSubstr("lead 4"));
  EXPECT_THAT(refusal("sm_90a tile 128x256 stacked stages 4 buffers 2 splits 9 group 8 lead 1"),
              HasSubstr("fewer depth blocks"));
}

TEST(Plan, StoreBuffersAreFreeWhenTaken) {
  for (int64_t columns : {64, 128, 192, 256})
    for (int64_t rows : {128, 256})
      for (int64_t buffers : {1, 2, 3, 4}) {
        Plan plan;
        plan.tileRows = rows, plan.tileColumns = columns, plan.storeBuffers = buffers;
        std::vector<int64_t> lastOf(buffers, -1); // The store that a buffer was last taken for.
        int64_t store = 0;
        for (int tile = 0; tile < 4; ++tile)
          for (int64_t piece = 0; piece < plan.storePieces(); ++piece, ++store) {
            int64_t &last = lastOf[piece % buffers];
            // Of the stores begun, the newest storesInFlight() may be under way: the buffer's last is not among them,
            // and from the second round on the one after it is.
            if (last >= 0) {
              EXPECT_EQ(store - 1 - plan.storesInFlight(piece), last)
                  << rows << "x" << columns << " buffers " << buffers << " piece " << piece << " of tile " << tile;
            }
            last = store;
          }
      }
}

/// The barriers of a block under one plan, every order in which its three warpgroups may come to them: the producer
/// has loaded so many blocks, and each consumer has issued the products of so many.
class Turns {
public:
  Turns(int64_t stages, int64_t lead, int64_t depth) : stages(stages), lead(lead), depth(depth), end(3 * depth) {}

  /// Whether three tiles always come to their end, and the second consumer never misses a phase of its barrier.
  bool work() {
    std::set<State> seen = {{0, 0, 0}};
    std::vector<State> open(seen.begin(), seen.end());
    while (!open.empty()) {
      State state = open.back();
      open.pop_back();
      auto [loaded, first, second] = state;
      // Phases complete with the first consumer's tiles; one waits for a phase by its parity.
      if (first / depth > second / depth + 1 && second % depth <= depth - lead)
        return false;
      bool moves = false;
      auto go = [&](bool can, State next) {
        moves |= can;
        if (can && seen.insert(next).second)
          open.push_back(next);
      };
      go(loaded < end && loaded - stages < std::min(released(first, false), released(second, true)),
         {loaded + 1, first, second});
      go(first < loaded, {loaded, first + 1, second});
      bool waits = second % depth == depth - lead && first / depth <= second / depth;
      go(second < loaded && !waits, {loaded, first, second + 1});
      if (!moves && state != State{end, end, end})
        return false;
    }
    return true;
  }

private:
  using State = std::array<int64_t, 3>;

  /// A stage is let go one block later, the last of a tile at its end, and before a turn.
  int64_t released(int64_t issued, bool isSecond) const {
    bool all = issued % depth == 0 || (isSecond && issued % depth == depth - lead);
    return all ? issued : issued - 1;
  }

  int64_t stages, lead, depth, end;
};

TEST(Plan, ConsumersNeverWaitForEachOther) {
  Tables tables = seedTables();
  bool anyFails = false;
  for (int64_t stages = 2; stages <= 8; ++stages)
    for (int64_t lead = 1; lead <= stages; ++lead)
      for (int64_t depth = lead + 1; depth <= stages + 2; ++depth) {
        Plan plan;
        plan.tileColumns = 64, plan.storeBuffers = 1, plan.stages = stages, plan.lead = lead;
        tables.depthBlocks = {depth};
        bool works = Turns(stages, lead, depth).work();
        anyFails |= !works;
        if (checkPlan(plan, tables).ok())
          EXPECT_TRUE(works) << text(plan) << " depth " << depth;
      }
  EXPECT_TRUE(anyFails);
}

TEST(Plan, FillsTheDevice) {
  Tables seed = seedTables();
  EXPECT_EQ(choosePlan(seed).splits, 1);
  EXPECT_EQ(choosePlan(seed).tileRows * choosePlan(seed).tileColumns, 128 * 256);
  EXPECT_EQ(choosePlan(seed).lead, 3);
  // Few tiles, deep: the depth is shared out.
  Tables wgrad = tablesOf3x3(Direction::WGrad, 128, 64, 56);
  EXPECT_GE(choosePlan(wgrad).tiles(wgrad), 100);
  EXPECT_GT(choosePlan(wgrad).splits, 8);
  // 64 columns: no tile is wider.
  Tables narrow = tablesOf3x3(Direction::FProp, 128, 64, 56);
  EXPECT_EQ(choosePlan(narrow).tileColumns, 64);
}

TEST(Plan, EveryChoiceIsLegal) {
  for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad})
    for (int64_t n : {1, 3, 128})
      for (int64_t channels : {8, 24, 64, 320, 1280})
        for (int64_t size : {1, 7, 56}) {
          Tables tables = tablesOf3x3(direction, n, channels, size);
          Plan plan = choosePlan(tables);
          EXPECT_TRUE(checkPlan(plan, tables).ok()) << text(plan) << ": " << checkPlan(plan, tables).message();
          EXPECT_TRUE(setTile(tables, plan).ok()) << setTile(tables, plan).message();
          EXPECT_FALSE(plan.reason.empty());
        }
}

} // namespace
} // namespace orzo::gpu
