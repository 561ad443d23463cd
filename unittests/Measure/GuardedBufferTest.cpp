#include "Measure/GuardedBuffer.h"
#include "Measure/Poison.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace orzo;
using Placement = GuardedBuffer::Placement;

namespace {

GuardedBuffer allocated(size_t bytes, Placement placement) { return GuardedBuffer::allocate(bytes, placement).take(); }

volatile char sink;

TEST(GuardedBufferDeathTest, ATouchBeyondTheGuardedSideFaults) {
  GuardedBuffer ends = allocated(100, Placement::EndsAtGuard), begins = allocated(100, Placement::BeginsAfterGuard);
  auto at = [](const GuardedBuffer &buffer, int64_t offset) {
    return static_cast<volatile char *>(buffer.data()) + offset;
  };
  EXPECT_DEATH(sink = *at(ends, 100), "");
  EXPECT_DEATH(*at(ends, 100) = 1, "");
  EXPECT_DEATH(sink = *at(begins, -1), "");
  // All of the data and the canary can be touched.
  sink = *at(ends, 0);
  sink = *at(ends, 99);
  sink = *at(ends, -1);
  sink = *at(begins, 100);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(begins.data()) % 4096, 0u);
  EXPECT_EQ((reinterpret_cast<uintptr_t>(ends.data()) + 100) % 4096, 0u);
}

TEST(GuardedBuffer, CanarySeesStrayWritesOnEitherSide) {
  for (size_t bytes : {2, 100, 4096, 5000, 8190}) {
    GuardedBuffer ends = allocated(bytes, Placement::EndsAtGuard),
                  begins = allocated(bytes, Placement::BeginsAfterGuard);
    std::fill_n(static_cast<char *>(ends.data()), bytes, 0);
    std::fill_n(static_cast<char *>(begins.data()), bytes, 0);
    EXPECT_EQ(ends.checkCanary(), 0);
    EXPECT_EQ(begins.checkCanary(), 0);
    if (bytes % 4096 == 0)
      continue;
    auto *before = static_cast<uint16_t *>(ends.data()) - 1;
    *before = 0;
    EXPECT_EQ(ends.checkCanary(), -2);
    auto *after = reinterpret_cast<uint16_t *>(static_cast<char *>(begins.data()) + bytes);
    *after = 0;
    EXPECT_EQ(begins.checkCanary(), static_cast<int64_t>(bytes));
  }
}

TEST(GuardedBuffer, EmptyBuffersAndMoves) {
  GuardedBuffer empty = allocated(0, Placement::EndsAtGuard);
  EXPECT_EQ(empty.checkCanary(), 0);
  GuardedBuffer buffer = allocated(64, Placement::EndsAtGuard);
  void *data = buffer.data();
  GuardedBuffer moved = std::move(buffer);
  EXPECT_EQ(moved.data(), data);
  EXPECT_EQ(moved.size(), 64u);
}

TEST(GuardedBuffer, AnImpossibleSizeIsUnavailable) {
  Expected<GuardedBuffer> buffer = GuardedBuffer::allocate(size_t(1) << 60);
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.status().code(), StatusCode::Unavailable);
}

TEST(Poison, IsANaNInEveryType) {
  for (DataType type : {DataType::F32, DataType::BF16, DataType::F16}) {
    GuardedBuffer buffer = allocated(64, Placement::EndsAtGuard);
    for (int64_t i = 0; i < 64 / int64_t(byteSize(type)); ++i)
      EXPECT_TRUE(std::isnan(loadElement(buffer.data(), i, type)));
  }
}

TEST(Poison, FindsWhatIsLeftAndNoComputedNaN) {
  for (DataType type : {DataType::F32, DataType::BF16, DataType::F16}) {
    int64_t count = 10001;
    GuardedBuffer buffer = allocated(count * byteSize(type), Placement::EndsAtGuard);
    EXPECT_EQ(poisonLeft(buffer.data(), count, type).count, count);
    for (int64_t i = 0; i < count; ++i)
      storeElement(buffer.data(), i, type, NAN);
    EXPECT_EQ(poisonLeft(buffer.data(), count, type).count, 0);
    EXPECT_EQ(poisonLeft(buffer.data(), count, type).first, -1);
    for (int64_t i : {9999, 8191, 8192})
      fillPoison(static_cast<char *>(buffer.data()) + i * int64_t(byteSize(type)), byteSize(type));
    EXPECT_EQ(poisonLeft(buffer.data(), count, type).count, 3);
    EXPECT_EQ(poisonLeft(buffer.data(), count, type).first, 8191);
    buffer.poison();
    EXPECT_EQ(poisonLeft(buffer.data(), count, type).count, count);
  }
}

} // namespace
