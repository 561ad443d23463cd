// The emitter's own promises. That its kernels compute the right numbers for every kind of problem is the conformance
// grid's subject; here they are run where no whole compilation reaches: given plans, epilogues, and what is rejected.
#include "KernelTesting.h"

#include <array>
#include <regex>
#include <sstream>

using namespace orzo;
using namespace orzo::cpu;

namespace {

class KernelEmitter : public KernelTest {
protected:
  Expected<std::vector<uint8_t>> compile(const Nest &nest, const Plan &plan, mlir::Region *epilogue,
                                         TargetListing *listing = nullptr) {
    auto module = newModule();
    Expected<KernelInfo> emitted = emitKernel(*module, "kernel", nest, plan, {epilogue, {}}, false);
    if (!emitted)
      return emitted.status();
    info = *emitted;
    return build(*module, plan.isa, listing);
  }

  void run(const std::vector<uint8_t> &object, const std::vector<void *> &slots) {
    OpenObject(object).run(info, slots);
  }

  KernelInfo info;
};

/// out[2x40] = lhs[2x3] * rhs[3x40], small integers: a full and a partial column tile on every ISA.
struct SmallProduct {
  std::vector<float> lhs = {1, 2, 3, -4, 5, -6}, rhs, out = std::vector<float>(80, NAN);
  SmallProduct() {
    for (int i = 0; i < 120; ++i)
      rhs.push_back(static_cast<float>(i % 7 - 3));
  }
  static Nest nest() { return nestOf(channelsLast(Direction::FProp, 2, 3, 40, 1, {}, DataType::F32)); }
  /// w is k c: rhs[c][k] lies at k*3 + c.
  float expected(int row, int column) const {
    float sum = 0;
    for (int c = 0; c < 3; ++c)
      sum += lhs[row * 3 + c] * rhs[column * 3 + c];
    return sum;
  }
};

TEST_F(KernelEmitter, RunsTheEpilogueOnFullAndPartialTiles) {
  std::vector<Isa> isas = supportedIsas();
  if (isas.empty())
    GTEST_SKIP() << "this machine is below avx2";
  for (Isa isa : isas) {
    mlir::Region *relu = parseEpilogue("%zero = arith.constant 0.5 : f32\n"
                                       "%max = arith.maximumf %acc, %zero : f32\n return %max : f32");
    ASSERT_NE(relu, nullptr);
    SmallProduct product;
    Nest nest = SmallProduct::nest();
    auto object = compile(nest, choosePlan(nest, isa, 1), relu);
    ASSERT_TRUE(object.ok()) << object.status().message();
    run(*object, {product.lhs.data(), product.rhs.data(), product.out.data()});
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 40; ++column)
        ASSERT_EQ(product.out[row * 40 + column], std::max(0.5f, product.expected(row, column)))
            << name(isa) << ' ' << row << ' ' << column;
  }
}

TEST_F(KernelEmitter, RejectsAnEpilogueThatIsNotElementwise) {
  mlir::Region *region = parseEpilogue("%sum = func.call @e(%acc) : (f32) -> f32\n return %sum : f32");
  ASSERT_NE(region, nullptr);
  Nest nest = SmallProduct::nest();
  auto object = compile(nest, choosePlan(nest, Isa::AVX2, 1), region);
  ASSERT_FALSE(object.ok());
  EXPECT_EQ(object.status().code(), StatusCode::Unsupported);
  EXPECT_NE(object.status().message().find("'func.call' is not elementwise"), std::string::npos);
}

TEST_F(KernelEmitter, TheLastColumnWritesItsOwnElementOnly) {
  for (Isa isa : supportedIsas())
    for (DataType type : {DataType::BF16, DataType::F16, DataType::F32})
      for (int columns : {1, 17, 33}) {
        Nest nest = nestOf(channelsLast(Direction::FProp, 1, 9, columns, 1, {}, type));
        auto object = compile(nest, choosePlan(nest, isa, 1), nullptr);
        ASSERT_TRUE(object.ok()) << object.status().message();
        size_t bytes = byteSize(type);
        std::vector<uint8_t> x(9 * bytes), w(9 * columns * bytes), y((columns + 8) * bytes, 0x5a);
        for (int i = 0; i < 9; ++i)
          storeElement(x.data(), i, type, i - 4);
        for (int i = 0; i < 9 * columns; ++i)
          storeElement(w.data(), i, type, i % 3 - 1);
        std::array<uint8_t *, 3> byRole = {x.data(), w.data(), y.data()};
        auto slot = [&](Role role) -> void * { return byRole[static_cast<int>(role)]; };
        run(*object, {slot(nest.lhs), slot(nest.rhs), slot(nest.out)});
        for (int k = 0; k < columns; ++k) {
          double sum = 0;
          for (int c = 0; c < 9; ++c)
            sum += (c - 4) * ((k * 9 + c) % 3 - 1);
          EXPECT_EQ(loadElement(y.data(), k, type), sum) << name(isa) << ' ' << name(type) << ' ' << columns;
        }
        for (size_t i = columns * bytes; i < y.size(); ++i)
          ASSERT_EQ(y[i], 0x5a) << name(isa) << ' ' << name(type) << ' ' << columns << ", byte " << i;
      }
}

TEST_F(KernelEmitter, EveryGivenPlanComputesTheSame) {
  std::vector<Isa> isas = supportedIsas();
  if (isas.empty())
    GTEST_SKIP() << "this machine is below avx2";
  Nest nest = SmallProduct::nest();
  for (const char *text :
       {"avx2 fma tile 1x8 rows 1 columns 8 depth 1 resident", "avx2 fma tile 4x16 rows 4 columns 16 depth 2 streamed",
        "avx512 fma tile 14x32 rows 14 columns 32 depth 1 streamed",
        "avx512 fma tile 8x48 rows 8 columns 48 depth 3 resident"}) {
    Expected<Plan> plan = parsePlan(text, nest);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    SmallProduct product;
    auto object = compile(nest, *plan, nullptr);
    ASSERT_TRUE(object.ok()) << object.status().message();
    if (plan->isa > isas.back())
      continue; // Compiled; this machine cannot run it.
    run(*object, {product.lhs.data(), product.rhs.data(), product.out.data()});
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 40; ++column)
        ASSERT_EQ(product.out[row * 40 + column], product.expected(row, column)) << text;
  }
}

TEST_F(KernelEmitter, ChannelKernelsComputeGroupsSideBySide) {
  std::vector<Isa> isas = supportedIsas();
  if (isas.empty())
    GTEST_SKIP() << "this machine is below avx2";
  // y[p][g] = sum over r of x[p + r - 1][g] * w[g][r], for 32 groups and 5 positions.
  SpatialDim dim{.in = 5, .filter = 3, .out = 5, .padLow = 1};
  Nest nest = nestOf(channelsLast(Direction::FProp, 1, 32, 32, 32, {dim}, DataType::F32));
  std::vector<float> x, w;
  for (int i = 0; i < 5 * 32; ++i)
    x.push_back(static_cast<float>(i % 11 - 5));
  for (int i = 0; i < 32 * 3; ++i)
    w.push_back(static_cast<float>(i % 5 - 2));
  for (const char *text :
       {"avx2 channels 2 tile 1x4 rows 1 columns 4 depth 2", "avx2 channels 4 tile 1x2 rows 1 columns 2 depth 3",
        "avx512 channels 1 tile 1x3 rows 1 columns 3 depth 1"}) {
    Expected<Plan> plan = parsePlan(text, nest);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    auto object = compile(nest, *plan, nullptr);
    ASSERT_TRUE(object.ok()) << object.status().message();
    if (plan->isa > isas.back())
      continue; // Compiled; this machine cannot run it.
    std::vector<float> y(5 * 32, NAN);
    std::array<float *, 3> byRole = {x.data(), w.data(), y.data()};
    auto slot = [&](Role role) -> void * { return byRole[static_cast<int>(role)]; };
    run(*object, {slot(nest.lhs), slot(nest.rhs), slot(nest.out)});
    for (int p = 0; p < 5; ++p)
      for (int g = 0; g < 32; ++g) {
        float sum = 0;
        for (int r = 0; r < 3; ++r)
          if (int h = p + r - 1; h >= 0 && h < 5)
            sum += x[h * 32 + g] * w[g * 3 + r];
        ASSERT_EQ(y[p * 32 + g], sum) << text << ' ' << p << ' ' << g;
      }
  }
}

/// The loop with the most multiply-adds of an assembly listing: the lines between a label and the jump back to it.
std::string hottestLoop(const std::string &assembly) {
  std::istringstream in(assembly);
  std::string line, loop, best;
  size_t most = 0, count = 0;
  const std::regex multiplyAdd("\\t(vfmadd|vdpbf16ps)"), label("^\\.L[A-Za-z0-9_]+:"), jump("^\\tj[a-z]+\\t");
  while (std::getline(in, line)) {
    if (std::regex_search(line, label))
      loop.clear(), count = 0;
    loop += line + "\n";
    count += std::regex_search(line, multiplyAdd);
    if (std::regex_search(line, jump)) {
      if (count > most)
        most = count, best = loop;
      loop.clear(), count = 0;
    }
  }
  return best;
}

TEST_F(KernelEmitter, TheRegisterTileDoesNotSpill) {
  for (Isa isa : {Isa::AVX2, Isa::AVX512, Isa::AVX512BF16})
    for (DataType type : {DataType::F32, DataType::BF16})
      for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad}) {
        SpatialDim dim{.in = 28, .filter = 3, .out = 28, .padLow = 1};
        Nest nest = nestOf(channelsLast(direction, 4, 256, 256, 1, {dim, dim}, type));
        TargetListing listing;
        auto object = compile(nest, choosePlan(nest, isa, 2), nullptr, &listing);
        ASSERT_TRUE(object.ok()) << object.status().message();
        std::string loop = hottestLoop(listing.assembly);
        ASSERT_NE(loop, "") << name(isa);
        EXPECT_EQ(loop.find("%rsp"), std::string::npos) << name(isa) << ' ' << name(type) << '\n' << loop;
        EXPECT_EQ(loop.find("%rbp)"), std::string::npos) << name(isa) << ' ' << name(type) << '\n' << loop;
      }
}

TEST_F(KernelEmitter, TheSharedObjectDependsOnTheNestAlone) {
  Nest nest = SmallProduct::nest();
  Plan plan = choosePlan(nest, Isa::AVX2, 1);
  auto first = compile(nest, plan, nullptr), second = compile(nest, plan, nullptr);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(kernelHash(*first), kernelHash(*second));
  EXPECT_EQ(kernelHash(*first).size(), 64u);
}

} // namespace
