// Epilogues with extras, in every lowering: random maps and types over random problems, integers compared bit for bit
// with the oracle; tensors end at guard pages, results begin as NaN.
#include "Codegen/Common/ExtraStrides.h"
#include "Measure/GuardedBuffer.h"
#include "Reference/Evaluate.h"
#include "orzo/Spec/Canonical.h"
#include "orzo/Spec/Contraction.h"

#include "../../Reference/RandomSpec.h"
#include "KernelTesting.h"

#include <array>

using namespace orzo;
using namespace orzo::cpu;

namespace {

/// One kernel: its problem and, of the result with extras, what the epilogue reads.
struct Problem {
  ConvSpec spec;
  Nest nest;
  Plan plan;
  std::vector<Extra> extras;
  KernelInfo info = {};
};

/// Memory of `count` elements up to a guard page: small integers, or poison.
class TestMemory {
public:
  TestMemory(int64_t count, ElementType type)
      : count(count), type(type), bytes(count * int64_t(byteSize(type))),
        buffer(GuardedBuffer::allocate((bytes + 1) / 2 * 2).take()) {}

  void fill(std::mt19937 &random) {
    for (int64_t i = 0; i < count; ++i)
      storeElement(data(), i, type,
                   type == ElementType::Boolean ? double(pick(random, 0, 1)) : double(pick(random, -3, 3)));
  }

  void *data() const { return static_cast<uint8_t *>(buffer.data()) + buffer.size() - bytes; }
  double at(int64_t element) const { return loadElement(data(), element, type); }
  int64_t canary() const { return buffer.checkCanary(); }

  int64_t count;
  ElementType type;

private:
  int64_t bytes;
  GuardedBuffer buffer;
};

/// A map whose digits are `extents` with strides of a random order and of random gaps; some of them 0.
ElementMap randomMap(std::mt19937 &random, const std::vector<int64_t> &extents, int stillInThree) {
  std::vector<size_t> order(extents.size());
  std::iota(order.begin(), order.end(), size_t(0));
  if (pick(random, 0, 1))
    std::shuffle(order.begin(), order.end(), random);
  ElementMap map;
  map.offset = pick(random, 0, 1) * pick(random, 1, 5);
  map.digits.resize(extents.size());
  int64_t stride = pick(random, 0, 4) ? 1 : 2;
  for (size_t place = order.size(); place-- > 0;) {
    size_t digit = order[place];
    bool isStill = pick(random, 0, 2) < stillInThree;
    map.digits[digit] = {extents[digit], isStill ? 0 : stride};
    if (!isStill)
      stride = stride * std::max<int64_t>(1, extents[digit]) + (pick(random, 0, 4) ? 0 : 3);
  }
  return map;
}

/// Any factors of `count`, which the dims of the tensor know nothing of.
std::vector<int64_t> randomFactors(std::mt19937 &random, int64_t count) {
  std::vector<int64_t> factors;
  for (int64_t factor = 2; factor <= count && factor < 60; ++factor)
    while (count % factor == 0 && pick(random, 0, 3)) {
      factors.push_back(factor);
      count /= factor;
    }
  factors.push_back(count);
  std::shuffle(factors.begin(), factors.end(), random);
  return factors;
}

Extra randomExtra(std::mt19937 &random, const ConvSpec &spec) {
  constexpr ElementType types[] = {ElementType::Float, ElementType::BFloat16, ElementType::Half, ElementType::Boolean};
  Role role = resultRole(spec.direction);
  std::vector<int64_t> shape = spec.shape(role);
  int64_t count = spec.elementCount(role);
  Extra extra{types[pick(random, 0, 3)], {}};
  std::vector<int64_t> last = {shape.empty() ? 1 : count / std::max<int64_t>(1, shape.back()),
                               shape.empty() ? 1 : shape.back()};
  switch (pick(random, 0, 6)) {
  case 0: // As the result.
    extra.map = {{{count, 1}}, 0};
    break;
  case 1: // A scalar.
    extra.map = {{{count, 0}}, pick(random, 0, 2)};
    break;
  case 2: // One for each of the innermost dim, and one for each of all others.
    extra.map = {{{last[0], 0}, {last[1], 1}}, 0};
    break;
  case 3:
    extra.map = {{{last[0], 1}, {last[1], 0}}, 0};
    break;
  case 4: // Another order of dims.
    extra.map = randomMap(random, shape, 0);
    break;
  case 5: // The same, broadcast along some.
    extra.map = randomMap(random, shape, 2);
    break;
  default:
    extra.map = randomMap(random, randomFactors(random, count), 1);
  }
  return extra;
}

class Extras : public KernelTest {
protected:
  /// max(acc + 1 * extra 0 + 2 * extra 1 + ..., -40).
  mlir::Region *epilogue(size_t extras) {
    std::string arguments = "%s0: f32", body;
    for (size_t i = 0; i < extras; ++i) {
      std::string n = std::to_string(i), next = std::to_string(i + 1);
      arguments += ", %e" + n + ": f32";
      body += "%c" + n + " = arith.constant " + next + ".0 : f32\n%p" + n + " = arith.mulf %e" + n + ", %c" + n +
              " : f32\n%s" + next + " = arith.addf %s" + n + ", %p" + n + " : f32\n";
    }
    std::string sum = "%s" + std::to_string(extras);
    return parseEpilogue(body + "%least = arith.constant -40.0 : f32\n%max = arith.maximumf " + sum +
                             ", %least : f32\nreturn %max : f32",
                         arguments);
  }

  void add(const ConvSpec &spec, Isa isa, std::mt19937 &random, DataType out, const std::vector<Extra> &extras) {
    std::vector<Nest> nests = {nestOf(spec)};
    if (std::optional<Contraction> contraction = collapse(spec); contraction && !contraction->hasZeroTail)
      nests.push_back(nestOf(*contraction, spec.type(contraction->lhs), spec.type(contraction->rhs), out));
    for (Nest &nest : nests) {
      nest.outType = out;
      Plan plan = choosePlan(nest, isa, static_cast<int>(pick(random, 1, 4)));
      if (pick(random, 0, 2) == 0) { // Several blocks of everything.
        plan.blockRows = plan.tileRows, plan.blockColumns = plan.tileColumns;
        plan.blockDepth = plan.channels ? 2 : 2 * plan.pair();
      }
      problems.push_back({spec, nest, plan, extras});
    }
  }

  void check(Isa isa, std::mt19937 &random) {
    auto module = newModule();
    for (auto [index, problem] : llvm::enumerate(problems)) {
      Expected<KernelInfo> info = emitKernel(*module, "kernel_" + std::to_string(index), problem.nest, problem.plan,
                                             {epilogue(problem.extras.size()), problem.extras}, false);
      ASSERT_TRUE(info.ok()) << info.status().message();
      problem.info = info.take();
    }
    auto object = build(*module, isa);
    ASSERT_TRUE(object.ok()) << object.status().message();
    OpenObject open(*object);
    for (const Problem &problem : problems)
      run(open, problem, random);
  }

  static void run(const OpenObject &object, const Problem &problem, std::mt19937 &random) {
    const ConvSpec &spec = problem.spec;
    Role result = resultRole(spec.direction);
    std::vector<TestMemory> tensors;
    for (Role role : {Role::X, Role::W, Role::Y}) {
      tensors.emplace_back(spec.elementCount(role),
                           toElementType(role == result ? problem.nest.outType : spec.type(role)));
      if (role != result)
        tensors.back().fill(random);
    }
    auto slot = [&](Role role) { return tensors[static_cast<int>(role)].data(); };
    std::vector<void *> slots = {slot(problem.nest.lhs), slot(problem.nest.rhs), slot(problem.nest.out)};
    std::vector<TestMemory> extras;
    for (const Extra &extra : problem.extras) {
      extras.emplace_back(extra.map.reach(), extra.type).fill(random);
      slots.push_back(extras.back().data());
    }
    object.run(problem.info, slots);

    const TestMemory &out = tensors[static_cast<int>(result)];
    std::vector<double> expected(out.count);
    reference::evaluate(spec, {slot(Role::X), slot(Role::W), slot(Role::Y)}, expected.data(), nullptr, 1);
    for (int64_t element = 0; element < out.count; ++element) {
      for (size_t i = 0; i < extras.size(); ++i)
        expected[element] += double(i + 1) * extras[i].at(problem.extras[i].map.at(element));
      expected[element] = roundTo(out.type, std::max(expected[element], -40.0));
      ASSERT_EQ(out.at(element), expected[element])
          << text(spec) << " by " << text(problem.plan) << ", element " << element << describe(problem.extras);
    }
    EXPECT_EQ(out.canary(), 0);
  }

  static std::string describe(const std::vector<Extra> &extras) {
    std::string text;
    for (const Extra &extra : extras) {
      text += "\n  extra " + std::string(name(extra.type));
      for (const ElementMap::Digit &digit : extra.map.digits)
        text += " " + std::to_string(digit.extent) + "(" + std::to_string(digit.stride) + ")";
      text += " from " + std::to_string(extra.map.offset);
    }
    return text;
  }

  std::vector<Problem> problems;
};

DataType randomType(std::mt19937 &random) { return static_cast<DataType>(pick(random, 0, 2)); }

std::vector<Extra> randomExtras(std::mt19937 &random, const ConvSpec &spec) {
  std::vector<Extra> extras(pick(random, 1, 3));
  for (Extra &extra : extras)
    extra = randomExtra(random, spec);
  return extras;
}

TEST_F(Extras, RandomProblems) {
  for (Isa isa : supportedIsas()) {
    std::mt19937 random(17);
    problems.clear();
    for (int i = 0; i < 24; ++i) {
      ConvSpec spec = randomSpec(random, static_cast<Direction>(i % 3));
      spec.types.fill(randomType(random));
      if (validate(spec).ok())
        add(spec, isa, random, randomType(random), randomExtras(random, spec));
    }
    ASSERT_GT(problems.size(), 15u);
    check(isa, random);
  }
}

// What random problems rarely are: full tiles with remainders, phases without taps, groups in lanes.
TEST_F(Extras, EveryKindOfKernel) {
  SpatialDim same{.in = 9, .filter = 3, .out = 9, .padLow = 1};
  SpatialDim halved{.in = 9, .filter = 3, .stride = 2, .out = 5, .padLow = 1};
  SpatialDim gaps{.in = 10, .filter = 1, .stride = 3, .out = 4};
  SpatialDim flipped = same;
  flipped.flip = true;
  SpatialDim patch{.in = 8, .filter = 2, .stride = 2, .out = 4};
  std::vector<std::vector<SpatialDim>> kinds = {{}, {same, same}, {halved, halved}, {gaps}, {flipped, same}, {patch}};
  constexpr std::array<std::array<int, 3>, 5> shapes = {
      {{37, 50, 1}, {64, 32, 1}, {32, 32, 32}, {48, 96, 48}, {24, 36, 3}}};
  for (Isa isa : supportedIsas()) {
    std::mt19937 random(23);
    problems.clear();
    size_t shape = static_cast<size_t>(isa);
    for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad})
      for (const std::vector<SpatialDim> &kind : kinds)
        for (int i = 0; i < 2; ++i) {
          auto [c, k, groups] = shapes[shape++ % shapes.size()];
          ConvSpec spec = channelsLast(direction, 2, c, k, groups, kind, randomType(random));
          ASSERT_TRUE(validate(spec).ok()) << validate(spec).message();
          add(spec, isa, random, randomType(random), randomExtras(random, spec));
        }
    check(isa, random);
  }
}

TEST_F(Extras, RejectsTypesThatDoNotWiden) {
  ConvSpec spec = channelsLast(Direction::FProp, 2, 3, 40, 1, {}, DataType::F32);
  Nest nest = nestOf(spec);
  auto module = newModule();
  Expected<KernelInfo> info = emitKernel(*module, "kernel", nest, choosePlan(nest, Isa::AVX2, 1),
                                         {epilogue(1), {{ElementType::Double, {{{80, 1}}, 0}}}}, false);
  ASSERT_FALSE(info.ok());
  EXPECT_EQ(info.status().code(), StatusCode::Unsupported);
  EXPECT_NE(info.status().message().find("extra 0 of an epilogue is f64"), std::string::npos);
}

// Where every extra lies as its strides say is a matter of numbers alone.
TEST(ExtraStrides, AgreeWithTheMapWhereThereAreAny) {
  std::mt19937 random(29);
  int found = 0, tried = 0;
  for (int i = 0; i < 600; ++i) {
    ConvSpec spec = randomSpec(random, static_cast<Direction>(i % 3));
    if (!validate(spec).ok())
      continue;
    Nest nest = nestOf(spec);
    ElementMap map = randomExtra(random, spec).map;
    std::optional<ExtraStrides> strides = extraStrides(map, nest);
    ++tried, found += strides.has_value();
    for (size_t phase = 0; strides && phase < nest.phases.size(); ++phase) {
      const NestPhase &at = nest.phases[phase];
      struct Index {
        const std::vector<NestDim> *dims;
        const std::vector<int64_t> *extents;
        const std::vector<ExtraStrides::Part> *parts;
      };
      std::pair<int64_t, int64_t> offsets = {at.outBase, strides->bases[phase]};
      bool isEmpty = false;
      for (const Index &group : {Index{&nest.batch, &nest.batchExtents, &strides->batch},
                                 Index{&nest.m, &at.m, &strides->m}, Index{&nest.n, &at.n, &strides->n}})
        for (size_t dim = 0; dim < group.dims->size(); ++dim) {
          int64_t extent = (*group.extents)[dim];
          isEmpty |= extent == 0;
          int64_t index = extent == 0 ? 0 : pick(random, 0, extent - 1);
          offsets.first += index * (*group.dims)[dim].out;
          for (const ExtraStrides::Part &part : *group.parts)
            if (part.dim == dim) {
              int64_t digit = index / part.divisor;
              offsets.second += (part.isOutermost ? digit : digit % part.extent) * part.stride;
            }
        }
      if (!isEmpty) {
        ASSERT_EQ(map.at(offsets.first), offsets.second) << text(spec);
      }
    }
  }
  EXPECT_GT(found, tried / 2);
  EXPECT_LT(found, tried);
}

} // namespace
