#include "Import/Torch/Constants.h"

#include "Dialect/Compat/Torch/TorchDialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace orzo::torch {

std::optional<int64_t> constantInt(Value value) {
  if (auto constant = value.getDefiningOp<ConstantIntOp>())
    return constant.getValueAttr().getInt();
  return std::nullopt;
}

std::optional<bool> constantBool(Value value) {
  if (auto constant = value.getDefiningOp<ConstantBoolOp>())
    return constant.getValue();
  return std::nullopt;
}

std::optional<double> constantNumber(Value value) {
  if (auto constant = value.getDefiningOp<ConstantFloatOp>())
    return constant.getValue().convertToDouble();
  if (std::optional<int64_t> number = constantInt(value))
    return static_cast<double>(*number);
  if (std::optional<bool> flag = constantBool(value))
    return *flag ? 1 : 0;
  return std::nullopt;
}

template <typename T>
static std::optional<std::vector<T>> constantList(Value value, std::optional<T> (*element)(Value)) {
  auto list = value.getDefiningOp<PrimListConstructOp>();
  if (!list)
    return std::nullopt;
  std::vector<T> elements;
  for (Value each : list.getElements()) {
    std::optional<T> constant = element(each);
    if (!constant)
      return std::nullopt;
    elements.push_back(*constant);
  }
  return elements;
}

std::optional<std::vector<int64_t>> constantInts(Value value) { return constantList<int64_t>(value, constantInt); }
std::optional<std::vector<bool>> constantBools(Value value) { return constantList<bool>(value, constantBool); }

bool isNone(Value value) { return isa<NoneType>(value.getType()); }

Type scalarType(Value value) {
  std::optional<int64_t> number = constantInt(value);
  Builder builder(value.getContext());
  switch (number.value_or(-1)) {
  case 5:
    return builder.getF16Type();
  case 6:
    return builder.getF32Type();
  case 7:
    return builder.getF64Type();
  case 15:
    return builder.getBF16Type();
  default:
    return {};
  }
}

} // namespace orzo::torch
