#include "Import/Graph/ImportGraph.h"

#include "Dialect/Conv/ConvDialect.h"
#include "Dialect/Nest/NestDialect.h"
#include "Dialect/Nest/PointwiseBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace orzo {

namespace {

std::string valueName(size_t value) { return "%" + std::to_string(value); }

class GraphImporter {
public:
  GraphImporter(mlir::MLIRContext &context, const GraphSpec &graph)
      : builder(&context), location(builder.getUnknownLoc()), graph(graph), values(graph.values.size()) {}

  mlir::OwningOpRef<mlir::ModuleOp> run() {
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location);
    builder.setInsertionPointToStart(module->getBody());
    llvm::SmallVector<mlir::Type> arguments, results;
    llvm::SmallVector<mlir::Attribute> names;
    llvm::SmallVector<size_t> inputs;
    for (size_t value = 0; value < values.size(); ++value)
      if (graph.values[value].kind == GraphValue::Kind::Input) {
        inputs.push_back(value);
        arguments.push_back(flatType(value));
        names.push_back(builder.getStringAttr(valueName(value)));
      }
    for (int output : graph.outputs) {
      results.push_back(flatType(output));
      names.push_back(builder.getStringAttr(valueName(output)));
    }
    auto function =
        mlir::func::FuncOp::create(builder, location, "problem", builder.getFunctionType(arguments, results));
    function->setAttr("orzo.graph", builder.getStringAttr(text(graph)));
    if (graph.strictRounding)
      function->setAttr("orzo.strict_rounding", builder.getUnitAttr());
    function->setAttr("orzo.values", builder.getArrayAttr(names));
    builder.setInsertionPointToStart(function.addEntryBlock());
    for (auto [value, argument] : llvm::zip_equal(inputs, function.getArguments()))
      values[value] = argument;
    for (const GraphStep &step : graph.steps) {
      // Messages name the value of the text.
      location = mlir::NameLoc::get(builder.getStringAttr(valueName(step.result)));
      values[step.result] = std::visit([&](const auto &work) { return import(step, work); }, step.work);
    }
    llvm::SmallVector<mlir::Value> returned;
    for (int output : graph.outputs)
      returned.push_back(values[output]);
    mlir::func::ReturnOp::create(builder, location, returned);
    return module;
  }

private:
  mlir::RankedTensorType flatType(size_t value) {
    return mlir::RankedTensorType::get(graph.values[value].elements,
                                       nest::elementType(builder.getContext(), graph.values[value].type));
  }

  /// The same memory as a tensor of `type`, flat or of a convolution's shape.
  mlir::Value reshaped(mlir::Value value, mlir::RankedTensorType type) {
    auto from = mlir::cast<mlir::RankedTensorType>(value.getType());
    if (from == type)
      return value;
    llvm::SmallVector<mlir::ReassociationIndices> groups;
    int64_t rank = std::max(from.getRank(), type.getRank());
    if (std::min(from.getRank(), type.getRank()) > 0)
      groups.push_back(llvm::to_vector(llvm::seq<int64_t>(rank)));
    if (type.getRank() > from.getRank())
      return mlir::tensor::ExpandShapeOp::create(builder, location, type, value, groups);
    return mlir::tensor::CollapseShapeOp::create(builder, location, type, value, groups);
  }

  mlir::Value import(const GraphStep &step, const ConvSpec &spec) {
    std::array<Role, 2> roles = operandRoles(spec.direction);
    std::array<mlir::Value, 2> operands;
    for (size_t i = 0; i < 2; ++i)
      operands[i] = reshaped(values[step.operands[i]], conv::tensorType(builder.getContext(), spec, roles[i]));
    conv::ConvOpInterface conv = conv::createConv(builder, location, spec, operands[0], operands[1]);
    return reshaped(conv->getResult(0), flatType(step.result));
  }

  mlir::Value import(const GraphStep &step, const PointwiseStep &work) {
    std::vector<int64_t> offsets = work.offsets;
    offsets.push_back(0);
    return create<nest::MapOp>(step, work.loops, offsets, [&](mlir::ValueRange inputs) {
      return nest::buildPointwise(builder, location, work.mode, work.parameters, inputs);
    });
  }

  mlir::Value import(const GraphStep &step, const ReductionStep &work) {
    return create<nest::ReduceOp>(
        step, work.loops, {0, 0}, [](mlir::ValueRange inputs) { return inputs[0]; },
        builder.getStringAttr(llvm::StringRef(name(work.mode))));
  }

  /// A nest op of `step`; what is constant among the operands becomes a constant of the body.
  template <typename Op, typename... Parameters>
  mlir::Value create(const GraphStep &step, const std::vector<GraphLoop> &loops, const std::vector<int64_t> &offsets,
                     llvm::function_ref<mlir::Value(mlir::ValueRange)> body, Parameters... parameters) {
    llvm::SmallVector<mlir::Value> ins;
    std::vector<GraphLoop> columns(loops.size());
    std::vector<int64_t> begins;
    for (size_t loop = 0; loop < loops.size(); ++loop)
      columns[loop].extent = loops[loop].extent;
    for (size_t column = 0; column < offsets.size(); ++column) {
      bool isOperand = column < step.operands.size();
      if (isOperand && isConstant(step.operands[column]))
        continue;
      for (size_t loop = 0; loop < loops.size(); ++loop)
        columns[loop].strides.push_back(loops[loop].strides[column]);
      begins.push_back(offsets[column]);
      if (isOperand)
        ins.push_back(values[step.operands[column]]);
    }
    mlir::RankedTensorType type = flatType(step.result);
    mlir::Value out = mlir::tensor::EmptyOp::create(builder, location, type.getShape(), type.getElementType());
    auto op = Op::create(builder, location, mlir::TypeRange(type), ins, out,
                         nest::LoopsAttr::get(builder.getContext(), merged(std::move(columns)), begins), parameters...);
    mlir::OpBuilder::InsertionGuard guard(builder);
    llvm::SmallVector<mlir::Type> types(ins.size(), builder.getF32Type());
    llvm::SmallVector<mlir::Location> locations(ins.size(), location);
    mlir::Block *block = builder.createBlock(&op.getBody(), {}, types, locations);
    llvm::SmallVector<mlir::Value> inputs;
    auto argument = block->args_begin();
    for (int operand : step.operands) {
      if (!isConstant(operand)) {
        inputs.push_back(*argument++);
        continue;
      }
      // A constant holds what its type holds.
      auto value = static_cast<float>(roundTo(graph.values[operand].type, graph.values[operand].constant));
      inputs.push_back(mlir::arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(value)));
    }
    nest::YieldOp::create(builder, location, body(inputs));
    return op->getResult(0);
  }

  bool isConstant(int value) const { return graph.values[value].kind == GraphValue::Kind::Constant; }

  mlir::OpBuilder builder;
  mlir::Location location;
  const GraphSpec &graph;
  std::vector<mlir::Value> values;
};

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> importGraph(mlir::MLIRContext &context, const GraphSpec &graph) {
  context.loadDialect<conv::ConvDialect, nest::NestDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
                      mlir::tensor::TensorDialect>();
  return GraphImporter(context, graph).run();
}

} // namespace orzo
