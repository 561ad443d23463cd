// LinalgText: a sample as a module of linalg on tensors, in one of very many spellings.
#pragma once

#include "Sample.h"

namespace orzo::test {

struct LinalgStyle {
  enum class Border : uint8_t { Function, Buffers, Async };
  enum class Flip : uint8_t { Extract, ReversedMap, InProduct, Missing };
  enum class Zeros : uint8_t { Slice, OutputMap, Select };
  Border border = Border::Function;
  Flip flip = Flip::Extract;
  Zeros zeros = Zeros::Slice;
  bool batchChannelSpatial = false; ///< Works on transposed tensors in the order N C H W, else in memory order.
  bool constantZero = true;         ///< Zeros are a splat constant, else a fill.
  bool destination = false;         ///< Async border: the result is written into the first argument.
  bool padBySlice = false;          ///< Pads are slices inserted into zeros.
  uint32_t shuffle = 0;             ///< Not 0: seed for the order of loops, operands and additions.
  int64_t offByOne = 0;             ///< Added to where dy (or x) is inserted: a deliberate mistake.

  /// As the driver-command route writes it, and as the graph route does.
  static LinalgStyle driver();
  static LinalgStyle graph();
  static LinalgStyle random(std::mt19937 &random);
};

std::string linalgText(const Sample &sample, const LinalgStyle &style);

} // namespace orzo::test
