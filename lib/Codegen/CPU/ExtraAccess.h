// ExtraAccess: how a kernel finds the elements of its epilogue's extras. Private to lib/Codegen/CPU.
#pragma once

#include "Codegen/CPU/LinearForm.h"
#include "Codegen/CPU/Plan.h"
#include "Codegen/Common/Epilogue.h"
#include "Codegen/Common/ExtraStrides.h"

namespace orzo::cpu {

using Parts = std::vector<ExtraStrides::Part>;

/// One extra, and what is known of it when emission begins.
struct KernelExtra {
  /// How it moves along the rows or columns of the result.
  enum class Walk : uint8_t {
    Still,
    AsResult, ///< By the same offsets.
    Table     ///< By a table of its own.
  };
  /// What lies in a register of columns.
  enum class Lanes : uint8_t {
    Same,       ///< One element, in every lane.
    Neighbours, ///< Contiguous elements.
    Apart       ///< Anything: they are gathered in scratch first.
  };
  Extra extra;
  std::optional<ExtraStrides> strides; ///< Without, each element's number is divided into digits.
  Walk rows = Walk::Still, columns = Walk::Still;
  Lanes lanes = Lanes::Apart;
  bool isOneRun = false; ///< What `lanes` says holds for all columns of a phase, not for each register by itself.
  int64_t rowTable = 0, columnTable = 0, staging = 0; ///< Bytes into a thread's scratch, where there is one.

  KernelExtra(const Extra &extra, const Nest &nest, int64_t lanes);
};

/// Unsupported, naming the number of the extra, where one has a type that f32 does not hold.
Status checkExtras(const std::vector<Extra> &extras);

/// Element of the extra that belongs to `element` of the result.
Value mappedElement(Writer &writer, const ElementMap &map, Value element);

/// Elements that `parts` move the extra by, at these indices of the nest's dims.
Value offsetOf(Writer &writer, const Parts &parts, const std::vector<Value> &indices);

/// table[i] = the offset along `parts` at flat index begin + i, for i in [0, count), of dims of these extents.
void fillExtraTable(Writer &writer, Value begin, Value count, const std::vector<Value> &extents, const Parts &parts,
                    Value table);

/// Element `offset` of the memory at `pointer`, as f32.
Value loadElement(Writer &writer, Value pointer, Value offset, ElementType type);

} // namespace orzo::cpu
