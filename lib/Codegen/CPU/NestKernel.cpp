#include "Codegen/CPU/NestKernel.h"

#include "Codegen/CPU/Epilogue.h"
#include "Codegen/CPU/NestParts.h"

using namespace mlir;

namespace orzo::cpu {

static Status checkTypes(const StridedNest &nest) {
  for (size_t i = 0; i < nest.types.size(); ++i) {
    bool isResult = i == nest.operands();
    switch (nest.types[i]) {
    case ElementType::Float:
    case ElementType::BFloat16:
    case ElementType::Half:
    case ElementType::Boolean:
    case ElementType::Uint8:
    case ElementType::Int8:
    case ElementType::Int16:
      continue;
    case ElementType::Int32:
      if (isResult)
        continue;
      break;
    default:
      break;
    }
    return Status::unsupported((isResult ? "the result" : "operand " + std::to_string(i)) + " is " +
                               std::string(name(nest.types[i])) +
                               ", and arithmetic in f32 holds integers to 2^24 only; f32, bf16, f16, bool, i8, u8 and "
                               "i16 work" +
                               (isResult ? ", and i32 as a result" : ""));
  }
  return Status::success();
}

static Status checkLists(const StridedNest &nest, Region &body) {
  bool fits = !nest.types.empty() && nest.offsets.size() == nest.types.size() && body.hasOneBlock() &&
              body.front().getNumArguments() == nest.operands();
  for (const GraphLoop &loop : nest.loops)
    fits = fits && loop.strides.size() == nest.types.size();
  return fits ? Status::success()
              : Status::internal("a nest of " + std::to_string(nest.types.size()) +
                                 " element types needs as many offsets and strides, and a body of one argument less");
}

Expected<KernelInfo> emitNest(ModuleOp kernels, const std::string &symbol, const StridedNest &nest, Region &body,
                              Isa isa, int threads) {
  for (const Status &status : {checkLists(nest, body), checkTypes(nest), checkBody(&body)})
    if (!status.ok())
      return status;
  if (!nest.reduction)
    for (const GraphLoop &loop : nest.loops)
      if (loop.extent > 1 && loop.strides.back() == 0)
        return Status::unsupported("a map stores " + std::to_string(loop.extent) +
                                   " values to one element of its result, which does not move in a loop of that "
                                   "extent; a reduction, or a loop of extent 1, works");
  OpBuilder builder(kernels.getContext());
  Writer writer(builder, builder.getUnknownLoc());
  NestPlan plan = planNest(nest, isa, threads);
  NestWriter nestWriter(writer, nest, plan, body);
  KernelInfo info;
  info.symbol = symbol;
  nest.reduction ? emitReduceKernel(nestWriter, kernels, info) : emitMapKernel(nestWriter, kernels, info);
  return info;
}

} // namespace orzo::cpu
