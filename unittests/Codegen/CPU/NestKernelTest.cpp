// Kernels of pointwise and reducing nests, run beside the oracle: every element type and reduction mode, any strides,
// guard pages behind every operand, several ways of dealing the units to threads.
#include "Codegen/CPU/NestKernel.h"
#include "Measure/GuardedBuffer.h"
#include "Pipeline/KernelLowering.h"
#include "Reference/EvaluateGraph.h"
#include "Runtime/CPU/SharedObject.h"
#include "Target/CPU/SharedObject.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace orzo;
using namespace orzo::cpu;

namespace {

using KernelFunction = void (*)(void *const *, int64_t, int64_t, void *);
using Type = ElementType;

/// A nest with a body that the oracle knows by name.
struct Case {
  StridedNest nest;
  PointwiseMode body = PointwiseMode::IDENTITY;
};

std::string describe(const Case &one) {
  std::string text = std::string(name(one.body));
  if (one.nest.reduction)
    text += " reduce_" + std::string(name(*one.nest.reduction));
  for (const GraphLoop &loop : one.nest.loops) {
    text += " " + std::to_string(loop.extent);
    for (int64_t stride : loop.strides)
      text += ":" + std::to_string(stride);
  }
  for (size_t i = 0; i < one.nest.types.size(); ++i)
    text += " " + std::to_string(one.nest.offsets[i]) + "@" + std::string(name(one.nest.types[i]));
  return text;
}

bool isEmpty(const StridedNest &nest) {
  return std::ranges::any_of(nest.loops, [](const GraphLoop &loop) { return loop.extent == 0; });
}

/// Elements of the memory of operand or result `index`, from its first to the last that is touched.
int64_t extentOf(const StridedNest &nest, size_t index) {
  int64_t last = 0;
  for (const GraphLoop &loop : nest.loops)
    last += std::max<int64_t>(0, loop.extent - 1) * loop.strides[index];
  return last + 1;
}

/// Calls body(element of the result) wherever the nest writes.
template <typename Body> void forEachResult(const StridedNest &nest, Body body, size_t level = 0, int64_t at = 0) {
  if (level == nest.loops.size())
    return body(at + nest.offsets.back());
  const GraphLoop &loop = nest.loops[level];
  bool isReduced = nest.reduction && loop.strides.back() == 0;
  for (int64_t i = 0; i < (isReduced ? 1 : loop.extent); ++i)
    forEachResult(nest, body, level + 1, at + i * loop.strides.back());
}

/// Memory that ends (or begins) at a page nobody may touch, to the byte.
struct Memory {
  Memory(int64_t elements, Type type, bool atEnd)
      : bytes(elements * byteSize(type)),
        buffer(GuardedBuffer::allocate((bytes + 1) / 2 * 2, atEnd ? GuardedBuffer::Placement::EndsAtGuard
                                                                  : GuardedBuffer::Placement::BeginsAfterGuard)
                   .take()),
        data(static_cast<char *>(buffer.data()) + (atEnd ? buffer.size() - bytes : 0)) {
    std::memset(data, 0xa5, bytes);
  }
  size_t bytes;
  GuardedBuffer buffer;
  char *data;
};

enum class Data : uint8_t { Integers, Random, Edges };

/// Numbers of which a sum or product of two is a matter of one rounding.
double drawn(std::mt19937 &random, Data data, bool tame) {
  static const double edges[] = {0.0,       -0.0, 1,      -1,    2.5,    -2.5, 0x1p-140, INFINITY,
                                 -INFINITY, NAN,  3.4e38, 65519, -65520, 0.75, 1e-8,     300};
  switch (data) {
  case Data::Integers:
    return std::uniform_int_distribution(-4, 4)(random);
  case Data::Random:
    return std::uniform_real_distribution(-1.5, 1.5)(random);
  case Data::Edges:
    break;
  }
  double value = edges[std::uniform_int_distribution(0, 15)(random)];
  bool extreme = value != 0 && (std::abs(value) < 1e-6 || (std::isfinite(value) && std::abs(value) > 1e6));
  return tame && extreme ? 1.25 : value;
}

class NestKernel : public ::testing::Test {
protected:
  NestKernel() {
    registerKernelDialects(registry);
    context.appendDialectRegistry(registry);
    context.disableMultithreading();
    context.loadAllAvailableDialects();
    bodies = mlir::parseSourceString<mlir::ModuleOp>(R"(
      func.func @identity(%a: f32) -> f32 { return %a : f32 }
      func.func @relu_fwd(%a: f32) -> f32 {
        %zero = arith.constant 0.0 : f32
        %v = arith.maximumf %a, %zero : f32
        return %v : f32
      }
      func.func @add(%a: f32, %b: f32) -> f32 { %v = arith.addf %a, %b : f32 return %v : f32 }
      func.func @mul(%a: f32, %b: f32) -> f32 { %v = arith.mulf %a, %b : f32 return %v : f32 }
      func.func @binary_select(%p: f32, %a: f32, %b: f32) -> f32 {
        %zero = arith.constant 0.0 : f32
        %c = arith.cmpf une, %p, %zero : f32
        %v = arith.select %c, %a, %b : f32
        return %v : f32
      }
      func.func @call(%a: f32) -> f32 { %v = func.call @identity(%a) : (f32) -> f32 return %v : f32 }
      func.func @constant() -> f32 { %v = arith.constant 2.5 : f32 return %v : f32 })",
                                                     &context);
  }

  void SetUp() override {
    if (supportedIsas().empty())
      GTEST_SKIP() << "this machine is below avx2";
  }

  mlir::Region &bodyOf(const std::string &name) { return bodies->lookupSymbol<mlir::func::FuncOp>(name).getBody(); }

  /// All of `cases` in one object.
  void compile(const std::vector<Case> &cases, Isa isa, int threads = 3) {
    auto module = mlir::OwningOpRef<mlir::ModuleOp>(mlir::ModuleOp::create(mlir::UnknownLoc::get(&context)));
    infos.clear();
    for (const Case &one : cases) {
      Expected<KernelInfo> info = emitNest(*module, "kernel_" + std::to_string(infos.size()), one.nest,
                                           bodyOf(std::string(name(one.body))), isa, threads);
      ASSERT_TRUE(info.ok()) << info.status().message();
      infos.push_back(*info);
    }
    ASSERT_TRUE(mlir::succeeded(mlir::verify(*module)));
    mlir::PassManager passes(&context);
    addKernelLowering(passes);
    ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
    auto code = buildSharedObject(*module, isa);
    ASSERT_TRUE(code.ok()) << code.status().message();
    auto loaded = SharedObject::load(*code, "nests");
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    object.emplace(loaded.take());
  }

  /// Runs kernel `index`, every stage in pieces of `piece` units, the last first; 0: in one go.
  void run(size_t index, std::vector<void *> slots, int64_t piece) {
    const KernelInfo &info = infos[index];
    auto kernel = reinterpret_cast<KernelFunction>(*object->symbol(info.symbol));
    std::vector<double> shared(info.sharedScratchBytes / 8 + 1, NAN);
    if (info.sharedScratchBytes > 0)
      slots.push_back(shared.data());
    Memory scratch((info.scratchBytes + 1) / 2 * 2, Type::Int8, /*atEnd=*/true);
    std::vector<int32_t> stages = info.stageRanges;
    if (stages.empty())
      stages = {static_cast<int32_t>(info.unitRanges.size())};
    int64_t begin = 0;
    size_t range = 0;
    for (int32_t ranges : stages) {
      int64_t end = begin;
      for (int32_t i = 0; i < ranges; ++i)
        end += info.unitRanges[range++];
      if (piece == 0)
        kernel(slots.data(), begin, end, scratch.data);
      else
        for (int64_t first = begin + (end - begin) / piece * piece; first >= begin; first -= piece)
          kernel(slots.data(), first, std::min(end, first + piece), scratch.data);
      begin = end;
    }
    EXPECT_EQ(range, info.unitRanges.size());
  }

  void check(const Case &one, size_t index, Data data, std::mt19937 &random, bool atEnd);
  void checkAll(const std::vector<Case> &cases, unsigned seed) {
    for (Isa isa : supportedIsas()) {
      ASSERT_NO_FATAL_FAILURE(compile(cases, isa));
      std::mt19937 random(seed);
      for (size_t i = 0; i < cases.size(); ++i)
        for (Data data : {Data::Integers, Data::Random, Data::Edges}) {
          SCOPED_TRACE(std::string(name(isa)) + " " + describe(cases[i]) + " data " + std::to_string(int(data)));
          check(cases[i], i, data, random, (i + int(data)) % 2 == 0);
          if (HasFailure())
            return;
        }
    }
  }

  mlir::DialectRegistry registry;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> bodies;
  std::vector<KernelInfo> infos;
  std::optional<SharedObject> object;
};

/// The oracle's results, by element of the result without its offset. `magnitudes` become the sums of the summands'
/// magnitudes (of maps: the magnitudes).
std::vector<double> expectedOf(const Case &one, const std::vector<Memory> &memory, std::vector<double> &magnitudes) {
  const StridedNest &nest = one.nest;
  GraphSpec graph;
  std::vector<const void *> data;
  PointwiseStep map{.mode = one.body, .parameters = {}, .loops = nest.loops, .offsets = {}};
  GraphStep step;
  for (size_t i = 0; i < nest.operands(); ++i) {
    graph.values.push_back({GraphValue::Kind::Input, nest.types[i], isEmpty(nest) ? 0 : extentOf(nest, i), 0});
    step.operands.push_back(static_cast<int>(i));
    data.push_back(memory[i].data + nest.offsets[i] * static_cast<int64_t>(byteSize(nest.types[i])));
  }
  auto add = [&](GraphValue::Kind kind, Type type, int64_t elements) {
    graph.values.push_back({kind, type, elements, 0});
    data.push_back(nullptr);
    return static_cast<int>(graph.values.size()) - 1;
  };
  if (!nest.reduction) {
    step.work = map;
    step.result = add(GraphValue::Kind::Output, nest.types.back(), extentOf(nest, nest.operands()));
    graph.outputs = {step.result};
    graph.steps = {step};
    std::vector<double> results = reference::evaluate(graph, data, 1)[0];
    for (double value : results)
      magnitudes.push_back(std::abs(value));
    return results;
  }
  // What the body computes, packed; then two reductions over it.
  std::vector<GraphLoop> packed, reducing;
  int64_t elements = 1;
  for (size_t i = nest.loops.size(); i-- > 0;) {
    GraphLoop loop = nest.loops[i];
    reducing.insert(reducing.begin(), {loop.extent, {elements, loop.strides.back()}});
    loop.strides.back() = elements;
    packed.insert(packed.begin(), loop);
    elements *= loop.extent;
  }
  map.loops = packed;
  step.work = map;
  step.result = add(GraphValue::Kind::Virtual, Type::Float, std::max<int64_t>(elements, 1));
  graph.steps = {step};
  for (ReductionMode mode : {*nest.reduction, ReductionMode::NORM1}) {
    Type type = graph.outputs.empty() ? nest.types.back() : Type::Double;
    int output = add(GraphValue::Kind::Output, type, extentOf(nest, nest.operands()));
    graph.steps.push_back({ReductionStep{mode, reducing}, {step.result}, output});
    graph.outputs.push_back(output);
  }
  auto outputs = reference::evaluate(graph, data, 1);
  magnitudes = outputs[1];
  return outputs[0];
}

/// Unit roundoff and half the smallest subnormal of a float type.
std::pair<double, double> precision(Type type) {
  return {unitRoundoff(*toDataType(type)), type == Type::Half ? 0x1p-25 : type == Type::BFloat16 ? 0x1p-134 : 0x1p-150};
}

void NestKernel::check(const Case &one, size_t index, Data data, std::mt19937 &random, bool atEnd) {
  const StridedNest &nest = one.nest;
  bool isProduct = nest.reduction == ReductionMode::MUL || nest.reduction == ReductionMode::MUL_NO_ZEROS;
  // f32 loses what is far smaller or larger, as the oracle does not; truth values and integers show it.
  bool tame = isProduct || (one.body == PointwiseMode::MUL && nest.reduction) ||
              (inputCount(one.body) == 2 && !isFloat(nest.types.back())) ||
              // Eight bf16 are summed in f32 at a time.
              (nest.reduction && std::ranges::count(nest.types, Type::BFloat16) > 0);
  std::vector<Memory> memory;
  std::vector<void *> slots;
  for (size_t i = 0; i < nest.types.size(); ++i) {
    bool touched = !isEmpty(nest) || i == nest.operands();
    memory.emplace_back(touched ? nest.offsets[i] + extentOf(nest, i) : 0, nest.types[i], atEnd);
    slots.push_back(memory.back().data);
    int64_t elements = static_cast<int64_t>(memory.back().bytes / byteSize(nest.types[i]));
    for (int64_t e = 0; i < nest.operands() && e < elements; ++e)
      storeElement(memory.back().data, e, nest.types[i], drawn(random, data, tame));
  }
  Memory &result = memory.back();
  std::vector<double> magnitudes;
  std::vector<double> expected = expectedOf(one, memory, magnitudes);
  run(index, slots, 0);
  std::vector<char> first(result.data, result.data + result.bytes);
  for (int64_t piece : {1, 3}) {
    std::memset(result.data, 0xa5, result.bytes);
    run(index, slots, piece);
    ASSERT_EQ(std::memcmp(first.data(), result.data, result.bytes), 0) << "in pieces of " << piece << " units";
  }
  for (const Memory &each : memory)
    ASSERT_EQ(each.buffer.checkCanary(), 0);

  Type type = nest.types.back();
  auto size = static_cast<int64_t>(byteSize(type));
  std::vector<bool> written(result.bytes / size, false);
  forEachResult(nest, [&](int64_t element) { written[element] = true; });
  for (int64_t e = 0; e < static_cast<int64_t>(written.size()); ++e) {
    const char *bytes = result.data + e * size;
    if (!written[e]) {
      ASSERT_TRUE(std::all_of(bytes, bytes + size, [](char byte) { return byte == char(0xa5); }))
          << "element " << e << " is not the nest's to write";
      continue;
    }
    double want = expected[e - nest.offsets.back()], got = loadElement(result.data, e, type);
    double magnitude = magnitudes[e - nest.offsets.back()];
    if (!isFloat(type)) {
      // Truth values and integers of random numbers hang on a single rounding; so does an average.
      bool exact = data != Data::Random || type == Type::Boolean;
      ASSERT_NEAR(got, roundTo(type, want), exact ? 0 : 1) << "element " << e << ", unrounded " << want;
      if (type == Type::Boolean)
        ASSERT_LE(static_cast<uint8_t>(*bytes), 1);
      continue;
    }
    if (std::isnan(want) || std::isinf(roundTo(type, want))) {
      ASSERT_EQ(std::isnan(got), std::isnan(want)) << "element " << e;
      if (!std::isnan(want))
        ASSERT_EQ(got, roundTo(type, want)) << "element " << e;
      continue;
    }
    bool exact = data == Data::Integers && !isProduct && nest.reduction != ReductionMode::NORM2;
    auto [roundoff, absolute] = precision(type);
    double bound = roundoff * std::abs(want) * 1.001 + 0x1p-24 * std::abs(want) + absolute + 0x1p-149;
    if (nest.reduction)
      bound += (one.body == PointwiseMode::IDENTITY && nest.types[0] == Type::Float ? 0x1p-45 : 0x1p-22) * magnitude;
    // One operation on f32 and its result in f32: the same rounding, whether by way of f64 or not.
    bound = exact || (!nest.reduction && type == Type::Float) ? 0 : bound;
    ASSERT_LE(std::abs(got - roundTo(type, want)), bound) << "element " << e << ": " << got << ", oracle " << want;
    if (got == 0 && !nest.reduction && data != Data::Random)
      ASSERT_EQ(std::signbit(got), std::signbit(roundTo(type, want))) << "element " << e;
  }
}

template <typename T> T oneOf(std::mt19937 &random, const std::vector<T> &list) {
  return list[std::uniform_int_distribution<size_t>(0, list.size() - 1)(random)];
}
bool chance(std::mt19937 &random, double probability) { return std::bernoulli_distribution(probability)(random); }

/// Strides of a tensor over `extents`, its dims in any order, with gaps; those not in `moves` are 0.
std::vector<int64_t> strides(std::mt19937 &random, const std::vector<int64_t> &extents,
                             const std::vector<bool> &moves) {
  std::vector<size_t> order(extents.size());
  std::iota(order.begin(), order.end(), 0);
  if (chance(random, 0.6))
    std::shuffle(order.begin(), order.end(), random);
  std::vector<int64_t> result(extents.size(), 0);
  int64_t next = chance(random, 0.15) ? 2 : 1;
  for (size_t i = order.size(); i-- > 0;)
    if (moves[order[i]]) {
      result[order[i]] = next;
      next = next * std::max<int64_t>(extents[order[i]], 1) + (chance(random, 0.2) ? 3 : 0);
    }
  return result;
}

Case randomCase(std::mt19937 &random, std::optional<ReductionMode> reduction) {
  Case one;
  one.body = reduction && chance(random, 0.7)
                 ? PointwiseMode::IDENTITY
                 : oneOf<PointwiseMode>(random, {PointwiseMode::IDENTITY, PointwiseMode::RELU_FWD, PointwiseMode::ADD,
                                                 PointwiseMode::MUL, PointwiseMode::BINARY_SELECT});
  std::vector<int64_t> extents;
  int64_t elements = 1;
  for (int loops = std::uniform_int_distribution(1, 5)(random); loops > 0; --loops) {
    int64_t extent = oneOf<int64_t>(random, {1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 33, 64, 70, 131});
    if (chance(random, 0.02))
      extent = 0;
    if (elements * extent > 12000)
      extent = 2;
    elements *= std::max<int64_t>(extent, 1);
    extents.push_back(extent);
  }
  one.nest.reduction = reduction;
  one.nest.loops.resize(extents.size());
  for (size_t i = 0; i < extents.size(); ++i)
    one.nest.loops[i].extent = extents[i];
  int operands = inputCount(one.body);
  Type common = oneOf<Type>(random, {Type::Float, Type::BFloat16, Type::Half});
  for (int i = 0; i <= operands; ++i) {
    std::vector<bool> moves(extents.size(), true);
    for (size_t loop = 0; loop < extents.size(); ++loop)
      moves[loop] = i < operands ? chance(random, operands == 1 ? 0.95 : 0.8) : !reduction || chance(random, 0.5);
    std::vector<int64_t> each = strides(random, extents, moves);
    for (size_t loop = 0; loop < extents.size(); ++loop)
      one.nest.loops[loop].strides.push_back(each[loop]);
    one.nest.offsets.push_back(chance(random, 0.3) ? std::uniform_int_distribution(1, 40)(random) : 0);
    std::vector<Type> types = {Type::Float, Type::BFloat16, Type::Half, Type::Boolean,
                               Type::Uint8, Type::Int8,     Type::Int16};
    if (i == operands)
      types.push_back(Type::Int32);
    one.nest.types.push_back(chance(random, 0.5) ? common : oneOf(random, types));
  }
  return one;
}

TEST_F(NestKernel, RandomMapsAgreeWithTheOracle) {
  std::mt19937 random(11);
  for (int batch = 0; batch < 4; ++batch) {
    std::vector<Case> cases;
    for (int i = 0; i < 30; ++i)
      cases.push_back(randomCase(random, std::nullopt));
    checkAll(cases, batch);
    if (HasFailure())
      return;
  }
}

TEST_F(NestKernel, RandomReductionsAgreeWithTheOracle) {
  std::mt19937 random(12);
  for (ReductionMode mode : allReductionModes()) {
    std::vector<Case> cases;
    for (int i = 0; i < 12; ++i)
      cases.push_back(randomCase(random, mode));
    checkAll(cases, 5);
    if (HasFailure())
      return;
  }
}

/// A nest of one operand.
StridedNest unary(std::vector<GraphLoop> loops, Type from, Type to, std::optional<ReductionMode> mode = std::nullopt) {
  return {std::move(loops), {0, 0}, {from, to}, mode};
}

TEST_F(NestKernel, EveryTypeBecomesEveryOther) {
  std::vector<Case> cases;
  std::vector<Type> types = {Type::Float, Type::BFloat16, Type::Half, Type::Boolean,
                             Type::Uint8, Type::Int8,     Type::Int16};
  for (Type from : types)
    for (Type to : types)
      cases.push_back({unary({{77, {1, 1}}}, from, to)});
  for (Type from : types)
    cases.push_back({unary({{77, {1, 1}}}, from, Type::Int32)});
  checkAll(cases, 1);
}

TEST_F(NestKernel, IntegersSaturateTowardZero) {
  std::vector<float> values = {0.99f,     -0.99f, 254.9f,  255,       256,      -0.5f,          -1,
                               127.5f,    128,    -128.9f, -129,      32767.5f, 32768,          -32768.5f,
                               -32769,    3e9f,   -3e9f,   0x1p31f,   -0x1p31f, 0x1.fffffep30f, INFINITY,
                               -INFINITY, NAN,    -NAN,    0x1p-140f, -0.0f};
  auto count = static_cast<int64_t>(values.size());
  for (Isa isa : supportedIsas())
    for (Type type : {Type::Uint8, Type::Int8, Type::Int16, Type::Int32, Type::Boolean}) {
      ASSERT_NO_FATAL_FAILURE(compile({{unary({{count, {1, 1}}}, Type::Float, type)}}, isa));
      std::vector<char> got(count * 8, 0x5a), want(count * 8, 0x5a);
      run(0, {values.data(), got.data()}, 0);
      for (int64_t i = 0; i < count; ++i)
        storeElement(want.data(), i, type, values[i]);
      for (int64_t i = 0; i < count; ++i)
        EXPECT_EQ(loadElement(got.data(), i, type), loadElement(want.data(), i, type))
            << name(isa) << ' ' << name(type) << ' ' << values[i];
      EXPECT_EQ(got, want);
    }
}

TEST_F(NestKernel, ChangesOfLayoutAreTransposed) {
  std::vector<Case> cases;
  for (Type type : {Type::Float, Type::BFloat16, Type::Int8})
    for (int64_t channels : {3, 16, 67})
      for (int64_t pixels : {49, 160}) {
        // NCHW to NHWC, and with a bias per channel.
        cases.push_back(
            {unary({{2, {channels * pixels, channels * pixels}}, {pixels, {1, channels}}, {channels, {pixels, 1}}},
                   type, type)});
        cases.push_back(
            {{{{2, {channels * pixels, 0, channels * pixels}}, {channels, {1, 1, pixels}}, {pixels, {channels, 0, 1}}},
              {0, 0, 0},
              {type, Type::Float, type},
              std::nullopt},
             PointwiseMode::ADD});
      }
  // Both operands across, and one of them at odd strides.
  cases.push_back({{{{40, {1, 1, 50}}, {50, {40, 41, 1}}}, {0, 3, 5}, {Type::Float, Type::Half, Type::Half}, {}},
                   PointwiseMode::MUL});
  cases.push_back({{{{40, {1, 3, 50}}, {50, {40, 121, 1}}}, {0, 3, 5}, {Type::Float, Type::Half, Type::Half}, {}},
                   PointwiseMode::ADD});
  checkAll(cases, 2);
}

TEST_F(NestKernel, LargeReductionsInEveryShape) {
  std::vector<Case> cases;
  for (ReductionMode mode : {ReductionMode::ADD, ReductionMode::MAX, ReductionMode::NORM2}) {
    cases.push_back({unary({{700001, {1, 0}}}, Type::BFloat16, Type::Float, mode)});             // To one element.
    cases.push_back({unary({{40, {9001, 1}}, {9001, {1, 0}}}, Type::Float, Type::Float, mode)}); // Rows.
    cases.push_back({unary({{9001, {67, 0}}, {67, {1, 1}}}, Type::Half, Type::Half, mode)});     // Columns.
    cases.push_back({unary({{3, {640000, 0}}, {16, {40000, 2}}, {40000 / 4, {4, 0}}}, Type::Float, Type::Float, mode)});
    cases.push_back(
        {unary({{3, {300, 0}}, {100, {3, 1}}, {3, {1, 0}}, {700, {900, 0}}}, Type::Uint8, Type::Int32, mode)});
  }
  checkAll(cases, 3);
}

TEST_F(NestKernel, SumsOfMillionsAreExactOnIntegers) {
  constexpr int64_t count = 3000017;
  std::vector<int8_t> values(count);
  std::mt19937 random(4);
  int64_t sum = 0;
  for (int8_t &value : values) {
    value = static_cast<int8_t>(std::uniform_int_distribution(0, 127)(random));
    sum += value;
  }
  for (Isa isa : supportedIsas()) {
    ASSERT_NO_FATAL_FAILURE(compile({{unary({{count, {1, 0}}}, Type::Int8, Type::Int32, ReductionMode::SUM)}}, isa));
    ASSERT_EQ(infos[0].stageRanges, (std::vector<int32_t>{1, 1}));
    EXPECT_GE(infos[0].unitRanges[0], 64) << "too few units for many threads";
    int32_t result = -1;
    run(0, {values.data(), &result}, 0);
    EXPECT_EQ(result, sum) << name(isa);
  }
}

TEST_F(NestKernel, NothingIsSummedToWhatTheModeSays) {
  for (Isa isa : supportedIsas())
    for (ReductionMode mode : allReductionModes())
      for (int64_t kept : {1, 5, 70}) {
        ASSERT_NO_FATAL_FAILURE(
            compile({{unary({{kept, {1, 2}}, {0, {70, 0}}, {3, {1, 0}}}, Type::Float, Type::Float, mode)},
                     {unary({{0, {1, 2}}, {7, {70, 0}}}, Type::Float, Type::Float, mode)}},
                    isa));
        std::vector<float> result(2 * kept, 7);
        run(0, {nullptr, result.data()}, 0);
        double want = mode == ReductionMode::AVG                                          ? NAN
                      : mode == ReductionMode::MUL || mode == ReductionMode::MUL_NO_ZEROS ? 1
                      : mode == ReductionMode::MIN                                        ? INFINITY
                      : mode == ReductionMode::MAX                                        ? -INFINITY
                                                                                          : 0;
        for (int64_t i = 0; i < kept; ++i) {
          EXPECT_TRUE(std::isnan(want) ? std::isnan(result[2 * i]) : result[2 * i] == want) << name(mode);
          EXPECT_EQ(result[2 * i + 1], 7);
        }
        run(1, {nullptr, nullptr}, 0); // No result, no unit.
        EXPECT_EQ(infos[1].unitRanges, std::vector<int64_t>{0});
      }
}

TEST_F(NestKernel, MapsWorkInPlace) {
  for (Isa isa : supportedIsas()) {
    constexpr int64_t rows = 37, columns = 45;
    ASSERT_NO_FATAL_FAILURE(compile({{{{{rows, {64, 1, 64}}, {columns, {1, rows, 1}}},
                                       {0, 0, 0},
                                       {Type::Float, Type::Float, Type::Float},
                                       std::nullopt},
                                      PointwiseMode::ADD}},
                                    isa));
    std::vector<float> x(rows * 64), across(rows * columns), want(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      want[i] = x[i] = static_cast<float>(i % 97);
    for (size_t i = 0; i < across.size(); ++i)
      across[i] = static_cast<float>(i % 89);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        want[i * 64 + j] += across[j * rows + i];
    run(0, {x.data(), across.data(), x.data()}, 1);
    EXPECT_EQ(x, want) << name(isa);
  }
}

TEST_F(NestKernel, ABodyMayReadNothing) {
  for (Isa isa : supportedIsas()) {
    auto module = mlir::OwningOpRef<mlir::ModuleOp>(mlir::ModuleOp::create(mlir::UnknownLoc::get(&context)));
    StridedNest nest{{{29, {1}}}, {1}, {Type::BFloat16}, std::nullopt};
    Expected<KernelInfo> info = emitNest(*module, "kernel_0", nest, bodyOf("constant"), isa, 1);
    ASSERT_TRUE(info.ok()) << info.status().message();
    infos = {*info};
    mlir::PassManager passes(&context);
    addKernelLowering(passes);
    ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
    object.emplace(SharedObject::load(*buildSharedObject(*module, isa), "constant").take());
    std::vector<uint16_t> result(31, 0x7777);
    run(0, {result.data()}, 0);
    EXPECT_EQ(result.front(), 0x7777);
    EXPECT_EQ(result.back(), 0x7777);
    for (int i = 1; i < 30; ++i)
      EXPECT_EQ(result[i], 0x4020);
  }
}

TEST_F(NestKernel, TheOrderOfSummationIsTheNests) {
  std::mt19937 random(6);
  std::vector<float> values(1 << 20);
  for (float &value : values)
    value = std::uniform_real_distribution<float>(-1, 1)(random);
  for (Isa isa : supportedIsas()) {
    std::vector<float> results;
    for (int threads : {1, 2, 64}) {
      ASSERT_NO_FATAL_FAILURE(
          compile({{unary({{1 << 20, {1, 0}}}, Type::Float, Type::Float, ReductionMode::SUM)}}, isa, threads));
      float result = NAN;
      run(0, {values.data(), &result}, 0);
      results.push_back(result);
    }
    EXPECT_EQ(results, std::vector<float>(3, results[0])) << name(isa);
  }
}

TEST_F(NestKernel, SaysWhatItDoesNotDo) {
  mlir::OwningOpRef<mlir::ModuleOp> module(mlir::ModuleOp::create(mlir::UnknownLoc::get(&context)));
  auto error = [&](const StridedNest &nest, const char *body) {
    Expected<KernelInfo> info = emitNest(*module, "kernel", nest, bodyOf(body), Isa::AVX2, 1);
    EXPECT_FALSE(info.ok());
    return info.ok() ? std::string() : std::string(info.status().message());
  };
  auto contains = [](const std::string &text, const char *part) { return text.find(part) != std::string::npos; };
  std::string text = error(unary({{4, {1, 1}}}, Type::Int64, Type::Float), "identity");
  EXPECT_TRUE(contains(text, "operand 0 is i64") && contains(text, "f32, bf16, f16, bool, i8, u8 and i16 work"))
      << text;
  text = error(unary({{4, {1, 1}}}, Type::Float, Type::Double), "identity");
  EXPECT_TRUE(contains(text, "the result is f64")) << text;
  text = error(unary({{4, {1, 1}}}, Type::Int32, Type::Float), "identity");
  EXPECT_TRUE(contains(text, "operand 0 is i32")) << text;
  text = error(unary({{4, {1, 0}}}, Type::Float, Type::Float), "identity");
  EXPECT_TRUE(contains(text, "a map stores 4 values to one element")) << text;
  text = error(unary({{4, {1, 1}}}, Type::Float, Type::Float), "call");
  EXPECT_TRUE(contains(text, "'func.call' is not elementwise")) << text;
  text = error(unary({{4, {1, 1}}}, Type::Float, Type::Float), "add");
  EXPECT_TRUE(contains(text, "a body of one argument less")) << text;
  EXPECT_TRUE(module->getBody()->empty());
}

} // namespace
