// The problems of docs/FaultClasses.md, each through the whole path on the machine's best ISA level, on integers
// (exact) and on random data; those under 20 MFLOP on AVX2 as well.
#include "CompilerLibrary.h"
#include "FaultCases.h"
#include "ProblemRun.h"
#include "Runtime/CPU/Isa.h"
#include "orzo/Spec/Canonical.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

namespace orzo::conformance {

void PrintTo(const FaultCase &fault, std::ostream *out) { *out << fault.number << ": " << text(fault.spec); }

namespace {

/// What a wrong run would be; also checks the promises on counters. Empty when all is well.
void expectRight(const ConvSpec &spec, const std::string &target, const std::vector<DataKind> &kinds) {
  std::string canonical = text(canonicalise(spec).spec);
  SCOPED_TRACE(target + ": " + canonical);
  Expected<Compiled> compiled = compileText(canonical, {.target = target});
  ASSERT_TRUE(compiled) << compiled.status().message();
  Expected<Module> module = Module::load(compiled->artifact);
  ASSERT_TRUE(module) << module.status().message();
  Counters counters = countersOf(module->image());
  EXPECT_EQ(counters.dispatches, 1);
  EXPECT_EQ(counters.fills + counters.copies, 0);
  EXPECT_EQ(module->image().workspaceBytes, 0);
  // Where a tensor has hundreds of megabytes a run takes seconds, and the oracle's projection of a depthwise result as
  // long as all of it.
  bool huge = std::max(spec.byteCount(Role::X), spec.byteCount(Role::Y)) > int64_t(256) << 20;
  for (DataKind kind : kinds) {
    RunOptions how;
    how.data = kind;
    how.verify = huge ? VerifyMode::Sample : VerifyMode::Auto;
    how.once = huge;
    EXPECT_EQ(checkRun(*module, how), "");
    if (huge)
      break;
  }
}

class FaultClasses : public testing::TestWithParam<FaultCase> {};

TEST_P(FaultClasses, RunsRight) {
  const ConvSpec &spec = GetParam().spec;
  ASSERT_TRUE(validate(spec).ok()) << validate(spec).message();
  EXPECT_LE(spec.flopsUseful(), 2'000'000'000);
  bool small = spec.flopsUseful() <= 20'000'000;
  if (std::getenv("ORZO_GRID") && !small)
    GTEST_SKIP() << "not in a small grid";
  if (supportedIsas().empty())
    GTEST_SKIP() << "this machine has none of the ISA levels";
  expectRight(spec, "cpu", {DataKind::Integer, DataKind::Random});
  if (small)
    expectRight(spec, "cpu:avx2", {DataKind::Integer});
}

INSTANTIATE_TEST_SUITE_P(All, FaultClasses, testing::ValuesIn(faultCases()),
                         [](const testing::TestParamInfo<FaultCase> &info) {
                           return info.param.number + "_" + info.param.name;
                         });

/// B044: sums of ones beyond 256, which no 16-bit accumulator would reach.
TEST(FaultClassesData, B044OnesAreCounted) {
  for (const FaultCase &fault : faultCases())
    if (fault.number == "B044")
      expectRight(fault.spec, "cpu", {DataKind::Ones});
}

/// B086: infinities and NaNs go to the results that see them, and to no others.
TEST(FaultClassesData, B086InfinitiesAndNaNs) {
  ConvSpec source = channelsLast(Direction::FProp, 1, 128, 256, 1,
                                 {{6, 3, 4, 1, 1, 0, false}, {6, 3, 4, 1, 1, 0, false}}, DataType::F32);
  std::string canonical = text(canonicalise(source).spec);
  Expected<Compiled> compiled = compileText(canonical);
  ASSERT_TRUE(compiled) << compiled.status().message();
  Expected<Module> module = Module::load(compiled->artifact);
  ASSERT_TRUE(module) << module.status().message();
  ConvSpec spec = parseConvSpec(canonical).take();
  ASSERT_EQ(spec.direction, Direction::FProp); // The names below are those of the source.
  ProblemTensors tensors(spec, {.data = DataKind::Ones});
  auto *x = static_cast<float *>(tensors.data(Role::X)), *w = static_cast<float *>(tensors.data(Role::W));
  auto at = [](const void *data, int64_t i) { return loadElement(data, i, DataType::F32); };
  const void *y = tensors.data(Role::Y);
  int64_t outputs = spec.elementCount(Role::Y), k = spec.k;

  // All infinite; weights of one sign (k even) and of both (k odd).
  for (int64_t i = 0; i < spec.elementCount(Role::X); ++i)
    x[i] = INFINITY;
  int64_t perK = spec.elementStride(Role::W, Axis::K);
  for (int64_t channel = 1; channel < k; channel += 2)
    w[channel * perK] = -1;
  ASSERT_TRUE(runOnce(*module, tensors, 2).ok());
  int64_t yPerK = spec.elementStride(Role::Y, Axis::K);
  for (int64_t i = 0; i < outputs; ++i)
    if (i / yPerK % k % 2)
      ASSERT_TRUE(std::isnan(at(y, i))) << i;
    else
      ASSERT_EQ(at(y, i), INFINITY) << i;

  // One NaN among ones, at row 0, column 2: seen by output row 0, columns 0 to 2.
  for (int64_t i = 0; i < spec.elementCount(Role::X); ++i)
    x[i] = 1;
  x[2 * spec.elementStride(Role::X, spatialAxis(1))] = NAN;
  ASSERT_TRUE(runOnce(*module, tensors, 2).ok());
  int64_t perRow = spec.elementStride(Role::Y, spatialAxis(0)), perColumn = spec.elementStride(Role::Y, spatialAxis(1));
  for (int64_t i = 0; i < outputs; ++i)
    ASSERT_EQ(std::isnan(at(y, i)), i / perRow % 4 == 0 && i / perColumn % 4 <= 2) << i;
}

/// docs/FaultClasses.md: | B001 | what | test or reason |. The numbers of the rows whose last cell names the test.
struct DocumentRow {
  bool hasTest;
  std::string where;
};
std::map<std::string, DocumentRow> documentRows() {
  std::map<std::string, DocumentRow> rows;
  std::ifstream file(ORZO_FAULT_CLASSES);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| B"))
      continue;
    std::string where = line.substr(line.rfind("|", line.size() - 2) + 1);
    rows[line.substr(2, 4)] = {where.find("`FaultClasses") != std::string::npos, where};
  }
  return rows;
}

TEST(FaultClassesDocument, ListsTheNumbersOfTheTests) {
  std::set<std::string> tested = {"B044", "B086"}, documented;
  for (const FaultCase &fault : faultCases())
    tested.insert(fault.number);
  std::map<std::string, DocumentRow> rows = documentRows();
  for (const auto &[number, row] : rows) {
    EXPECT_GT(row.where.size(), 10u) << number << " says neither a test nor a reason";
    if (row.hasTest)
      documented.insert(number);
  }
  EXPECT_EQ(documented, tested);
  EXPECT_EQ(rows.size(), 82u);
}

TEST(FaultClassesDocument, NamesAreUnique) {
  std::set<std::string> names;
  for (const FaultCase &fault : faultCases())
    EXPECT_TRUE(names.insert(fault.number + fault.name).second) << fault.number << fault.name;
}

} // namespace
} // namespace orzo::conformance
