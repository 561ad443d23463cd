#include "Codegen/GPU/EpilogueWriter.h"

#include "Codegen/GPU/Element.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace orzo::gpu {

Status checkBody(Region *body) {
  if (!body)
    return Status::success();
  for (Operation &op : body->front().without_terminator())
    if (!op.hasTrait<OpTrait::Elementwise>() && !op.hasTrait<OpTrait::ConstantLike>())
      return Status::unsupported("epilogue op '" + op.getName().getStringRef().str() + "' is not elementwise");
  return Status::success();
}

Status checkEpilogue(const Epilogue &epilogue, ElementType result) {
  for (const Extra &extra : epilogue.extras) {
    if (Status status = checkElement(extra.type, true, "an operand of an epilogue"); !status.ok())
      return status;
    if (extra.map.reach() >= int64_t(1) << 31)
      return Status::unsupported("an operand of an epilogue with element " + std::to_string(extra.map.reach() - 1) +
                                 "; elements below 2^31 work");
  }
  if (Status status = checkElement(result, false, "the result of an epilogue"); !status.ok())
    return status;
  return checkBody(epilogue.body);
}

int64_t opsOf(Region *body) { return body ? static_cast<int64_t>(body->front().getOperations().size()) - 1 : 0; }

Value inlineBody(Writer &w, Region *body, ValueRange arguments) {
  if (!body)
    return arguments.front();
  IRMapping mapping;
  Block &block = body->front();
  for (auto [inner, outer] : llvm::zip_equal(block.getArguments(), arguments))
    mapping.map(inner, outer);
  for (Operation &op : block.without_terminator())
    w.b.clone(op, mapping);
  return mapping.lookupOrDefault(block.getTerminator()->getOperand(0));
}

SmallVector<Value> ElementStore::load(size_t extra, Value element, int64_t width) {
  const Extra &what = epilogue.extras[extra];
  ExtraGroup group = groupOf(what.map, width);
  std::vector<Value> elements = extraElements(w, what.map, element, width);
  SmallVector<Value> values;
  for (int64_t i = 0; i < width; i += group.isVector || group.step == 0 ? group.count : 1) {
    if (group.isVector)
      values.append(loadElements(w, memory[extra], elements[i], what.type, group.count, true));
    else
      values.append(group.step == 0 ? group.count : 1,
                    loadElements(w, memory[extra], elements[i], what.type, 1, false)[0]);
  }
  return values;
}

void ElementStore::store(Value element, ValueRange sums) {
  auto width = static_cast<int64_t>(sums.size());
  std::vector<SmallVector<Value>> arguments(width);
  for (int64_t i = 0; i < width; ++i)
    arguments[i].push_back(sums[i]);
  for (size_t extra = 0; extra < epilogue.extras.size(); ++extra) {
    SmallVector<Value> values = load(extra, element, width);
    for (int64_t i = 0; i < width; ++i)
      arguments[i].push_back(values[i]);
  }
  SmallVector<Value> results;
  for (const SmallVector<Value> &line : arguments)
    results.push_back(inlineBody(w, epilogue.body, line));
  storeElements(w, memory.back(), element, type, results, true);
}

} // namespace orzo::gpu
