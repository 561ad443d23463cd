#include "BodyKernels.h"

#include "Codegen/CPU/Writer.h"
#include "Dialect/Nest/PointwiseBody.h"
#include "Pipeline/KernelLowering.h"
#include "Target/CPU/SharedObject.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;

namespace orzo::nest {

using BodyFunction = void (*)(const float *const *, float *, int64_t);

std::string BodyCase::label() const { return std::string(name(mode)) + text(mode, parameters); }

std::vector<BodyCase> bodyCases() {
  using enum PointwiseMode;
  // Somewhat above the maxima that docs/Numerics.md has.
  auto bound = [](PointwiseMode mode) -> double {
    switch (mode) {
    case ADD_SQUARE: // One rounding; the reference's f64 sum is rounded before.
    case POW:
      return 0.501;
    case COS:
    case ELU_BWD:
    case ELU_FWD:
    case EXP:
    case LOG:
    case RSQRT:
    case SIN:
    case SOFTPLUS_FWD:
    case TANH_FWD:
      return 2;
    case ERF:
    case SIGMOID_BWD:
    case SIGMOID_FWD:
    case SOFTPLUS_BWD:
    case SWISH_FWD:
    case TANH_BWD:
      return 3;
    case GELU_APPROX_TANH_FWD:
    case GELU_BWD:
    case TAN:
      return 4;
    case GELU_APPROX_TANH_BWD:
    case GELU_FWD:
    case SWISH_BWD:
      return 5;
    default:
      return 0;
    }
  };
  std::vector<BodyCase> cases;
  for (PointwiseMode mode : allPointwiseModes())
    cases.push_back({mode, bound(mode)});
  for (PointwiseMode mode : {RELU_FWD, RELU_BWD}) {
    cases.push_back({mode, 0, {.reluUpperClip = 6}});
    cases.push_back({mode, 1, {.reluLowerClip = -1, .reluUpperClip = 6, .reluLowerClipSlope = 0.25}});
    cases.push_back({mode, 2, {.reluLowerClip = -0.1, .reluUpperClip = 0.1, .reluLowerClipSlope = 0.01}});
  }
  for (PointwiseMode mode : {ELU_FWD, ELU_BWD})
    cases.push_back({mode, 3, {.eluAlpha = 0.7}});
  for (PointwiseMode mode : {SOFTPLUS_FWD, SOFTPLUS_BWD})
    for (auto [beta, threshold] : {std::pair(0.1, 20.0), std::pair(1.5, 2.1), std::pair(-0.7, 30.0)})
      cases.push_back({mode, 4, {.softplusBeta = beta, .softplusThreshold = threshold}});
  for (PointwiseMode mode : {SWISH_FWD, SWISH_BWD})
    for (double beta : {1.702, 0.1, -3.0})
      cases.push_back({mode, mode == SWISH_FWD ? 3.5 : 5, {.swishBeta = beta}});
  return cases;
}

func::FuncOp appendBody(ModuleOp module, const BodyCase &each) {
  Location loc = module.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  SmallVector<Type> types(inputCount(each.mode), builder.getF32Type());
  auto function = func::FuncOp::create(builder, loc, "body", builder.getFunctionType(types, builder.getF32Type()));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  Value result = buildPointwise(builder, loc, each.mode, each.parameters, block->getArguments());
  func::ReturnOp::create(builder, loc, result);
  for (Operation &op : block->without_terminator())
    EXPECT_TRUE(op.hasTrait<OpTrait::Elementwise>() || op.hasTrait<OpTrait::ConstantLike>())
        << each.label() << ": " << op.getName().getStringRef().str();
  return function;
}

/// The body on vectors, as emitters do it: constants are spread, other results become vectors.
static Value cloneOnVectors(cpu::Writer &writer, Block &body, ValueRange inputs, int lanes) {
  IRMapping map;
  map.map(body.getArguments(), inputs);
  for (Operation &op : body.without_terminator()) {
    Operation *copy = writer.b.clone(op, map);
    if (lanes == 1)
      continue;
    VectorType type = writer.vector(lanes, copy->getResult(0).getType());
    if (op.hasTrait<OpTrait::ConstantLike>())
      map.map(op.getResult(0), vector::BroadcastOp::create(writer.b, writer.loc, type, copy->getResult(0)));
    else
      copy->getResult(0).setType(type);
  }
  return map.lookup(body.getTerminator()->getOperand(0));
}

static std::string symbol(size_t whichCase, int lanes) {
  return "body" + std::to_string(whichCase) + "x" + std::to_string(lanes);
}

static void appendKernel(ModuleOp module, const BodyCase &each, int lanes, const std::string &symbol) {
  func::FuncOp body = appendBody(module, each);
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  cpu::Writer w(builder, module.getLoc());
  auto type = builder.getFunctionType({w.pointer(), w.pointer(), w.i64()}, {});
  auto kernel = func::FuncOp::create(builder, w.loc, symbol, type);
  Block *block = kernel.addEntryBlock();
  builder.setInsertionPointToStart(block);
  SmallVector<Value> pointers;
  for (int i = 0; i < inputCount(each.mode); ++i)
    pointers.push_back(w.load(w.pointer(), w.at(block->getArgument(0), w.integer(i), w.i64()), 8));
  Type element = lanes == 1 ? w.f32() : w.vector(lanes, w.f32());
  w.loop(w.integer(0), block->getArgument(2), lanes, [&](Value index) {
    SmallVector<Value> inputs;
    for (Value pointer : pointers)
      inputs.push_back(w.load(element, w.at(pointer, index, w.f32()), 4));
    Value result = cloneOnVectors(w, body.getBody().front(), inputs, lanes);
    w.store(result, w.at(block->getArgument(1), index, w.f32()), 4);
  });
  func::ReturnOp::create(builder, w.loc);
  body.erase();
}

BodyKernels::BodyKernels(const std::vector<BodyCase> &cases, const std::vector<int> &lanes, Isa isa) {
  DialectRegistry registry;
  registerKernelDialects(registry);
  MLIRContext context(registry);
  context.disableMultithreading();
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  for (size_t i = 0; i < cases.size(); ++i)
    for (int count : lanes)
      appendKernel(*module, cases[i], count, symbol(i, count));
  EXPECT_TRUE(succeeded(verify(*module)));
  PassManager passes(&context);
  addKernelLowering(passes);
  EXPECT_TRUE(succeeded(passes.run(*module)));
  cpu::TargetListing texts;
  Expected<std::vector<uint8_t>> object = cpu::buildSharedObject(*module, isa, &texts); // No undefined symbols.
  if (!object.ok()) {
    ADD_FAILURE() << object.status().message();
    return;
  }
  listing = texts.assembly;
  int descriptor = memfd_create("bodies", MFD_CLOEXEC);
  EXPECT_EQ(write(descriptor, object->data(), object->size()), static_cast<ssize_t>(object->size()));
  library = dlopen(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  close(descriptor);
}

BodyKernels::~BodyKernels() {
  if (library)
    dlclose(library);
}

std::vector<float> BodyKernels::run(size_t whichCase, int lanes, const std::vector<std::vector<float>> &inputs) const {
  std::vector<float> out(inputs.front().size(), -77);
  EXPECT_EQ(out.size() % lanes, 0U);
  auto function = library ? reinterpret_cast<BodyFunction>(dlsym(library, symbol(whichCase, lanes).c_str())) : nullptr;
  if (!function) {
    ADD_FAILURE() << "no " << symbol(whichCase, lanes);
    return out;
  }
  std::vector<const float *> pointers;
  for (const std::vector<float> &input : inputs)
    pointers.push_back(input.data());
  function(pointers.data(), out.data(), static_cast<int64_t>(out.size()));
  return out;
}

} // namespace orzo::nest
