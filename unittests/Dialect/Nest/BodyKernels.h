// BodyKernels: pointwise bodies compiled for this machine the way that kernels are, and called.
#pragma once

#include "Runtime/CPU/Isa.h"
#include "orzo/Spec/Pointwise.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orzo::nest {

/// A mode with parameters, and how far its results may be from lib/Reference's, in units in the last place of f32 (0:
/// the reference's value rounded to f32, bit for bit).
struct BodyCase {
  PointwiseMode mode;
  double ulps = 0;
  PointwiseParameters parameters = {};

  std::string label() const;
};

/// Every mode, some with several sets of parameters.
std::vector<BodyCase> bodyCases();

/// The body of `each` as a function of f32 values, appended to `module`.
mlir::func::FuncOp appendBody(mlir::ModuleOp module, const BodyCase &each);

/// One function a case and a number of lanes, in one shared object.
class BodyKernels {
public:
  /// gtest failures where something does not compile or load.
  BodyKernels(const std::vector<BodyCase> &cases, const std::vector<int> &lanes, Isa isa);
  BodyKernels(const BodyKernels &) = delete;
  BodyKernels &operator=(const BodyKernels &) = delete;
  ~BodyKernels();

  /// out[i] = body(inputs[0][i], inputs[1][i], ...) by the code for `lanes`, which divides the number of values.
  std::vector<float> run(size_t whichCase, int lanes, const std::vector<std::vector<float>> &inputs) const;

  const std::string &assembly() const { return listing; }

private:
  void *library = nullptr;
  std::string listing;
};

} // namespace orzo::nest
