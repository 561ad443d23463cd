// What the user says about a node. Attributes are read, never emptied: one object may serve several nodes.
#pragma once

#include "orzo/Graph/TensorAttr.h"
#include "orzo/Spec/Pointwise.h"

#include <optional>
#include <string>
#include <vector>

namespace orzo::graph {

/// Per spatial dim, outermost first. Empty lists: padding 0, stride 1, dilation 1.
struct ConvGeometry {
  std::vector<int64_t> prePadding, postPadding, stride, dilation;
  std::optional<int64_t> groups;
};

/// The setters that the attributes of every convolution have.
template <typename Attr> class ConvAttr {
public:
  Attr &setName(std::string value) { return name = std::move(value), self(); }
  /// The same padding at both ends.
  Attr &setPadding(const std::vector<int64_t> &value) {
    geometry.prePadding = geometry.postPadding = value;
    return self();
  }
  /// Padding before the first and behind the last element of x; negative padding crops.
  Attr &setPrePadding(std::vector<int64_t> value) { return geometry.prePadding = std::move(value), self(); }
  Attr &setPostPadding(std::vector<int64_t> value) { return geometry.postPadding = std::move(value), self(); }
  Attr &setStride(std::vector<int64_t> value) { return geometry.stride = std::move(value), self(); }
  Attr &setDilation(std::vector<int64_t> value) { return geometry.dilation = std::move(value), self(); }
  /// Not set: the channels of x over those of w; where the result's dims are to be inferred, 1.
  Attr &setGroups(int64_t value) { return geometry.groups = value, self(); }

  const std::string &getName() const { return name; }
  const ConvGeometry &getGeometry() const { return geometry; }

private:
  friend Attr;
  ConvAttr() = default;
  Attr &self() { return static_cast<Attr &>(*this); }
  std::string name;
  ConvGeometry geometry;
};

class ConvFPropAttr : public ConvAttr<ConvFPropAttr> {
public:
  ConvFPropAttr() = default;
};
class ConvDGradAttr : public ConvAttr<ConvDGradAttr> {
public:
  ConvDGradAttr() = default;
};
class ConvWGradAttr : public ConvAttr<ConvWGradAttr> {
public:
  ConvWGradAttr() = default;
};

class MatmulAttr {
public:
  MatmulAttr &setName(std::string value) { return name = std::move(value), *this; }
  const std::string &getName() const { return name; }

private:
  std::string name;
};

class PointwiseAttr {
public:
  using Mode = PointwiseMode;
  PointwiseAttr &setName(std::string value) { return name = std::move(value), *this; }
  PointwiseAttr &setMode(Mode value) { return mode = value, *this; }
  PointwiseAttr &setReluLowerClip(double value) { return parameters.reluLowerClip = value, *this; }
  PointwiseAttr &setReluUpperClip(double value) { return parameters.reluUpperClip = value, *this; }
  /// The slope below the lower clip: leaky RELU.
  PointwiseAttr &setReluLowerClipSlope(double value) { return parameters.reluLowerClipSlope = value, *this; }
  PointwiseAttr &setEluAlpha(double value) { return parameters.eluAlpha = value, *this; }
  PointwiseAttr &setSoftplusBeta(double value) { return parameters.softplusBeta = value, *this; }
  PointwiseAttr &setSoftplusThreshold(double value) { return parameters.softplusThreshold = value, *this; }
  PointwiseAttr &setSwishBeta(double value) { return parameters.swishBeta = value, *this; }

  const std::string &getName() const { return name; }
  Mode getMode() const { return mode; }
  const PointwiseParameters &getParameters() const { return parameters; }

private:
  std::string name;
  Mode mode = Mode::NOT_SET;
  PointwiseParameters parameters;
};

/// Dims are kept, a reduced one with extent 1. Either the result's dims say which are reduced, or setAxes does.
class ReductionAttr {
public:
  using Mode = ReductionMode;
  ReductionAttr &setName(std::string value) { return name = std::move(value), *this; }
  ReductionAttr &setMode(Mode value) { return mode = value, *this; }
  ReductionAttr &setAxes(std::vector<int64_t> value) { return axes = std::move(value), *this; }

  const std::string &getName() const { return name; }
  Mode getMode() const { return mode; }
  const std::vector<int64_t> &getAxes() const { return axes; }

private:
  std::string name;
  Mode mode = Mode::NOT_SET;
  std::vector<int64_t> axes;
};

/// To the result's data type.
class CastAttr {
public:
  CastAttr &setName(std::string value) { return name = std::move(value), *this; }
  const std::string &getName() const { return name; }

private:
  std::string name;
};

/// To the result's dims, or those set here; elements keep their order, counted row by row over the logical dims.
class ReshapeAttr {
public:
  ReshapeAttr &setName(std::string value) { return name = std::move(value), *this; }
  ReshapeAttr &setDim(std::vector<int64_t> value) { return dim = std::move(value), *this; }
  const std::string &getName() const { return name; }
  const std::vector<int64_t> &getDim() const { return dim; }

private:
  std::string name;
  std::vector<int64_t> dim;
};

/// Dim i of the result is dim permutation[i] of the input.
class TransposeAttr {
public:
  TransposeAttr &setName(std::string value) { return name = std::move(value), *this; }
  TransposeAttr &setPermutation(std::vector<int64_t> value) { return permutation = std::move(value), *this; }
  const std::string &getName() const { return name; }
  const std::vector<int64_t> &getPermutation() const { return permutation; }

private:
  std::string name;
  std::vector<int64_t> permutation;
};

/// Per dim the elements start, start + step, ... below limit. Empty steps: 1.
class SliceAttr {
public:
  SliceAttr &setName(std::string value) { return name = std::move(value), *this; }
  SliceAttr &setStarts(std::vector<int64_t> value) { return starts = std::move(value), *this; }
  SliceAttr &setLimits(std::vector<int64_t> value) { return limits = std::move(value), *this; }
  SliceAttr &setSteps(std::vector<int64_t> value) { return steps = std::move(value), *this; }
  const std::string &getName() const { return name; }
  const std::vector<int64_t> &getStarts() const { return starts; }
  const std::vector<int64_t> &getLimits() const { return limits; }
  const std::vector<int64_t> &getSteps() const { return steps; }

private:
  std::string name;
  std::vector<int64_t> starts, limits, steps;
};

} // namespace orzo::graph
