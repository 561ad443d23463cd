// What verification must let pass, and what it must catch.
#include "Measure/Verification.h"
#include "Measure/DataGenerator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <gmock/gmock.h>
#include <vector>

using namespace orzo;
using testing::HasSubstr;

namespace {

/// A problem with generated operands and a result in guarded memory.
class Problem {
public:
  Problem(ConvSpec problem, DataKind kind) : spec(std::move(problem)), kind(kind), result(resultRole(spec.direction)) {
    for (Role role : {Role::X, Role::W, Role::Y}) {
      buffers.push_back(GuardedBuffer::allocate(static_cast<size_t>(spec.byteCount(role))).take());
      if (role != result)
        generate(kind, 5, spec, role, buffers.back().data());
      tensors[static_cast<int>(role)] = buffers.back().data();
    }
  }

  void *output() { return buffers[static_cast<int>(result)].data(); }

  /// The right result, rounded once.
  void fill() {
    std::vector<double> value(spec.elementCount(result));
    reference::evaluate(spec, tensors, value.data());
    for (size_t i = 0; i < value.size(); ++i)
      storeElement(output(), static_cast<int64_t>(i), spec.type(result), value[i]);
  }

  double at(int64_t element) { return loadElement(output(), element, spec.type(result)); }
  void set(int64_t element, double value) { storeElement(output(), element, spec.type(result), value); }

  VerifyResult verified(VerifyMode mode, double fullSeconds = 3) {
    std::vector<NamedBuffer> named;
    for (Role role : {Role::X, Role::W, Role::Y})
      named.push_back({name(role), &buffers[static_cast<int>(role)]});
    return verify(spec, tensors, {.mode = mode, .exact = isExact(kind), .seed = 11, .fullSeconds = fullSeconds}, named);
  }

  ConvSpec spec;
  DataKind kind;
  Role result;
  std::vector<GuardedBuffer> buffers;
  reference::Tensors tensors;
};

ConvSpec strided(Direction direction, DataType type, int64_t groups = 1) {
  SpatialDim h = {.in = 14, .filter = 3, .out = 7, .stride = 2, .padLow = 1};
  SpatialDim w = {.in = 15, .filter = 2, .out = 8, .stride = 2, .padLow = 0};
  return channelsLast(direction, 2, 24 * groups, 40 * groups, groups, {h, w}, type);
}

const VerifyMode checking[] = {VerifyMode::Auto, VerifyMode::Full, VerifyMode::Project, VerifyMode::Sample};
const DataType allTypes[] = {DataType::F32, DataType::BF16, DataType::F16};
const Direction allDirections[] = {Direction::FProp, Direction::DGrad, Direction::WGrad};

TEST(Verification, PassesTheRightResultInEveryMode) {
  for (Direction direction : allDirections)
    for (DataType type : allTypes)
      for (DataKind kind : {DataKind::Random, DataKind::Integer, DataKind::Ones})
        for (int64_t groups : {1, 3}) {
          Problem problem(strided(direction, type, groups), kind);
          problem.fill();
          for (VerifyMode mode : checking)
            for (double fullSeconds : {3.0, 0.0}) {
              VerifyResult result = problem.verified(mode, fullSeconds);
              EXPECT_EQ(result.status, "ok") << result.message;
              EXPECT_EQ(result.message, "");
              EXPECT_EQ(result.poison, "ok");
              EXPECT_LE(result.error, result.bound);
              EXPECT_GT(result.compared, 0);
            }
        }
}

TEST(Verification, SaysWhatItDid) {
  Problem problem(strided(Direction::FProp, DataType::F32), DataKind::Random);
  problem.fill();
  EXPECT_EQ(problem.verified(VerifyMode::Auto).mode, "full");
  EXPECT_EQ(problem.verified(VerifyMode::Auto, 0).mode, "project+sample");
  EXPECT_EQ(problem.verified(VerifyMode::Project).mode, "project");
  EXPECT_EQ(problem.verified(VerifyMode::Sample).mode, "sample");
  EXPECT_EQ(problem.verified(VerifyMode::Off).mode, "off");
  EXPECT_EQ(problem.verified(VerifyMode::Off).status, "off");
}

TEST(Verification, CatchesOneWrongElement) {
  for (Direction direction : allDirections)
    for (DataType type : allTypes) {
      Problem problem(strided(direction, type), DataKind::Random);
      problem.fill();
      int64_t wrong = problem.spec.elementCount(problem.result) / 2 + 3;
      // As wrong as a result of the wrong products would be.
      problem.set(wrong, problem.at(wrong) + 20);
      EXPECT_EQ(problem.verified(VerifyMode::Full).bad, 1);
      EXPECT_TRUE(problem.verified(VerifyMode::Full).failed());
      EXPECT_EQ(problem.verified(VerifyMode::Project).bad, 1);
      EXPECT_TRUE(problem.verified(VerifyMode::Auto, 0).failed());
    }
}

TEST(Verification, CatchesAnyInexactInteger) {
  for (Direction direction : allDirections)
    for (DataType type : allTypes) {
      Problem problem(strided(direction, type), DataKind::Integer);
      problem.fill();
      problem.set(17, problem.at(17) + 1);
      VerifyResult result = problem.verified(VerifyMode::Full);
      EXPECT_EQ(result.bad, 1);
      EXPECT_EQ(result.bound, 0);
      EXPECT_EQ(result.error, 1);
      EXPECT_EQ(problem.verified(VerifyMode::Project).bad, 1);
    }
}

TEST(Verification, NamesTheFirstBadElement) {
  Problem problem(strided(Direction::DGrad, DataType::F32), DataKind::Integer);
  problem.fill();
  int64_t element = ((1 * 14 + 13) * 15 + 2) * 24 + 9;
  double right = problem.at(element);
  problem.set(element, right + 3);
  problem.set(element + 100, NAN);
  std::string expected = "x[n1 h13 w2 c9]: expected " + std::to_string(static_cast<int>(right)) + ", got " +
                         std::to_string(static_cast<int>(right) + 3) + " (2 bad of 10080 compared)";
  EXPECT_EQ(problem.verified(VerifyMode::Full).message, expected);
  EXPECT_TRUE(std::isinf(problem.verified(VerifyMode::Full).error));
}

TEST(Verification, CatchesAMissingPhase) {
  for (DataType type : allTypes)
    for (DataKind kind : {DataKind::Random, DataKind::Integer}) {
      Problem problem(strided(Direction::DGrad, type), kind);
      problem.fill();
      // The outputs h odd, w odd are left at zero, as by a loop that runs one phase too few.
      for (int64_t element = 0; element < problem.spec.elementCount(Role::X); ++element)
        if (element / (15 * 24) % 14 % 2 == 1 && element / 24 % 15 % 2 == 1)
          problem.set(element, 0);
      for (VerifyMode mode : checking)
        EXPECT_TRUE(problem.verified(mode).failed());
      EXPECT_TRUE(problem.verified(VerifyMode::Auto, 0).failed());
    }
}

TEST(Verification, CatchesSwappedTaps) {
  // The missing flip: constant data would hide it.
  for (VerifyMode mode : checking) {
    ConvSpec spec = strided(Direction::DGrad, DataType::BF16);
    Problem problem(spec, DataKind::Random);
    problem.spec.spatial[0].flip = true;
    problem.fill();
    problem.spec.spatial[0].flip = false;
    EXPECT_TRUE(problem.verified(mode).failed());
  }
}

TEST(Verification, CatchesRotatedChannels) {
  // A plain sum over the channels would not see it; random signs do.
  for (DataKind kind : {DataKind::Random, DataKind::Integer}) {
    Problem problem(strided(Direction::FProp, DataType::BF16), kind);
    problem.fill();
    auto *bits = static_cast<uint16_t *>(problem.output());
    for (int64_t pixel = 0; pixel < problem.spec.elementCount(Role::Y) / 40; ++pixel)
      std::rotate(bits + 40 * pixel, bits + 40 * pixel + 1, bits + 40 * pixel + 40);
    for (VerifyMode mode : checking)
      EXPECT_TRUE(problem.verified(mode).failed());
  }
}

TEST(Verification, CatchesLeftPoisonInEveryMode) {
  for (DataType type : allTypes)
    for (VerifyMode mode :
         {VerifyMode::Auto, VerifyMode::Full, VerifyMode::Project, VerifyMode::Sample, VerifyMode::Off}) {
      Problem problem(strided(Direction::FProp, type), DataKind::Random);
      std::vector<char> poison(byteSize(type));
      std::memcpy(poison.data(), problem.output(), poison.size());
      problem.fill();
      std::memcpy(static_cast<char *>(problem.output()) + 41 * poison.size(), poison.data(), poison.size());
      VerifyResult result = problem.verified(mode);
      EXPECT_TRUE(result.failed());
      EXPECT_EQ(result.poison, "1 of 4480 elements of y never written, first n0 p0 q1 k1");
      EXPECT_THAT(result.message, HasSubstr("never written"));
    }
}

TEST(Verification, CatchesATouchedCanary) {
  Problem problem(strided(Direction::FProp, DataType::BF16), DataKind::Random);
  problem.fill();
  ASSERT_NE(problem.spec.byteCount(Role::W) % 4096, 0);
  static_cast<uint16_t *>(problem.buffers[1].data())[-3] = 0;
  VerifyResult result = problem.verified(VerifyMode::Off);
  EXPECT_TRUE(result.failed());
  EXPECT_EQ(result.poison, "memory 6 bytes before w was overwritten");
}

/// y[n,k] = sum over c of x[n,c] * w[k,c], the sum in f32 through `rounded` after every addition.
void multiply(Problem &problem, const std::function<float(float)> &rounded) {
  const ConvSpec &spec = problem.spec;
  for (int64_t n = 0; n < spec.n; ++n)
    for (int64_t k = 0; k < spec.k; ++k) {
      float sum = 0;
      for (int64_t c = 0; c < spec.c; ++c)
        sum =
            rounded(sum + static_cast<float>(loadElement(problem.tensors[0], n * spec.c + c, spec.type(Role::X))) *
                              static_cast<float>(loadElement(problem.tensors[1], k * spec.c + c, spec.type(Role::W))));
      problem.set(n * spec.k + k, sum);
    }
}

TEST(Bound, PassesF32AccumulationAndFailsNarrowerOnes) {
  for (DataType type : allTypes)
    for (int64_t length : {64, 1024, 4096}) {
      Problem problem(channelsLast(Direction::FProp, 40, length, 40, 1, {}, type), DataKind::Random);
      multiply(problem, [](float sum) { return sum; });
      for (VerifyMode mode : checking)
        EXPECT_FALSE(problem.verified(mode).failed()) << name(type) << " " << length;
      multiply(problem, [](float sum) { return fromBF16(toBF16(sum)); });
      EXPECT_TRUE(problem.verified(VerifyMode::Full).failed()) << name(type) << " " << length;
      EXPECT_TRUE(problem.verified(VerifyMode::Sample).failed()) << name(type) << " " << length;
      if (type == DataType::BF16)
        continue;
      multiply(problem, [](float sum) { return fromF16(toF16(sum)); });
      EXPECT_TRUE(problem.verified(VerifyMode::Full).failed()) << name(type) << " " << length;
    }
}

TEST(Bound, FailsOnesThatSaturateInBF16) {
  // 4096 ones summed in bf16 stop at 256.
  Problem problem(channelsLast(Direction::FProp, 4, 4096, 4, 1, {}, DataType::BF16), DataKind::Ones);
  multiply(problem, [](float sum) { return fromBF16(toBF16(sum)); });
  EXPECT_EQ(problem.at(0), 256);
  VerifyResult result = problem.verified(VerifyMode::Full);
  EXPECT_THAT(result.message, HasSubstr("expected 4096, got 256"));
}

TEST(Bound, FailsTwoUnitsInTheLastPlace) {
  for (DataType type : {DataType::BF16, DataType::F16}) {
    Problem problem(strided(Direction::DGrad, type), DataKind::Random);
    problem.fill();
    int64_t largest = 0;
    for (int64_t element = 0; element < problem.spec.elementCount(Role::X); ++element)
      if (std::abs(problem.at(element)) > std::abs(problem.at(largest)))
        largest = element;
    auto *bits = static_cast<uint16_t *>(problem.output());
    bits[largest] += 2;
    EXPECT_EQ(problem.verified(VerifyMode::Full).bad, 1);
    bits[largest] -= 4;
    EXPECT_EQ(problem.verified(VerifyMode::Full).bad, 1);
    bits[largest] += 2;
    EXPECT_EQ(problem.verified(VerifyMode::Full).bad, 0);
  }
}

TEST(Verification, EmptyBatches) {
  for (Direction direction : allDirections)
    for (VerifyMode mode : checking)
      for (double fullSeconds : {3.0, 0.0}) {
        ConvSpec spec = strided(direction, DataType::F32);
        spec.n = 0;
        Problem problem(spec, DataKind::Random);
        problem.fill();
        EXPECT_FALSE(problem.verified(mode, fullSeconds).failed());
        if (direction == Direction::WGrad) {
          problem.set(5, 1);
          EXPECT_TRUE(problem.verified(mode, fullSeconds).failed());
        }
      }
}

TEST(VerifyMode, NamesRoundTrip) {
  for (VerifyMode mode : {VerifyMode::Auto, VerifyMode::Full, VerifyMode::Project, VerifyMode::Sample, VerifyMode::Off})
    EXPECT_EQ(*parseVerifyMode(name(mode)), mode);
  EXPECT_THAT(parseVerifyMode("most").status().message(), HasSubstr("'most'"));
}

} // namespace
