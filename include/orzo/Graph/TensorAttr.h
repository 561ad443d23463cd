// TensorAttr: a tensor of a graph: its name, extents, strides, type, and whether it has memory.
#pragma once

#include "orzo/Spec/ElementType.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orzo::graph {

using DataType = ElementType;

/// Dims are logical: N C H W for images, K C R S for filters, whatever lies innermost; strides say how it lies in
/// memory (elements between neighbours). Strides of dims of extent 1 mean nothing and may be anything. Every setter
/// returns the tensor itself. What is not set is inferred by Graph::validate(), and inferred again by the next one.
class TensorAttr {
public:
  TensorAttr() = default;
  /// A scalar: a constant of the graph, no memory, no entry of the variant pack.
  explicit TensorAttr(float value) : TensorAttr(value, DataType::Float) {}
  explicit TensorAttr(double value) : TensorAttr(value, DataType::Double) {}
  explicit TensorAttr(int32_t value) : TensorAttr(value, DataType::Int32) {}
  explicit TensorAttr(int64_t value) : TensorAttr(static_cast<double>(value), DataType::Int64) {}

  TensorAttr &setName(std::string value) {
    name = std::move(value);
    inferred.name = false;
    return *this;
  }
  TensorAttr &setDim(std::vector<int64_t> value) {
    dim = std::move(value);
    inferred.dim = false;
    return *this;
  }
  TensorAttr &setStride(std::vector<int64_t> value) {
    stride = std::move(value);
    inferred.stride = false;
    return *this;
  }
  TensorAttr &setDataType(DataType value) {
    type = value;
    inferred.type = false;
    return *this;
  }
  /// A virtual tensor has no memory of the caller's; the results of nodes are virtual until set otherwise.
  TensorAttr &setIsVirtual(bool value) {
    virtualTensor = value;
    return *this;
  }
  /// setOutput(true) is setIsVirtual(false).
  TensorAttr &setOutput(bool value) { return setIsVirtual(!value); }

  const std::string &getName() const { return name; }
  const std::vector<int64_t> &getDim() const { return dim; }
  const std::vector<int64_t> &getStride() const { return stride; }
  DataType getDataType() const { return type; }
  bool isVirtual() const { return virtualTensor; }
  bool isScalar() const { return constant.has_value(); }
  /// The value of a scalar.
  std::optional<double> getScalarValue() const { return constant; }

  /// Product of the dims. Meaningful after validate(), which bounds it.
  int64_t getVolume() const;
  /// Elements of its memory: one past the last that an index reaches. Meaningful after validate().
  int64_t getSpan() const;
  /// Extents in memory order, outermost first, those of extent 1 in front.
  std::vector<int64_t> getPhysicalDim() const;

private:
  friend struct TensorInference;
  TensorAttr(double value, DataType type) : dim{1}, stride{1}, type(type), constant(value) {}

  std::string name;
  std::vector<int64_t> dim, stride;
  DataType type = DataType::NotSet;
  bool virtualTensor = false;
  std::optional<double> constant;
  struct {
    bool dim = false, stride = false, type = false, name = false;
  } inferred;
};

using TensorPtr = std::shared_ptr<TensorAttr>;

} // namespace orzo::graph
