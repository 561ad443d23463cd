// Binding: how a source module is called - all that is spelling and no meaning.
//
// A reader makes a module of a function @problem (tensors in, tensors out) and a Binding. The module says what is
// computed; the Binding says under which name, in which order, through which views of memory: what compare prints under
// "spelling", and what a converter needs to hand a better form back under the same signature.
#pragma once

#include "Dialect/Conv/Binding.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace orzo {

/// What the source function does with one of its arguments.
enum class ArgumentUse : uint8_t { Operand, Destination, Unused, WaitFence, SignalFence };

/// "operand", "destination", "unused", "wait fence", "signal fence".
std::string_view name(ArgumentUse use);

struct ArgumentBinding {
  ArgumentUse use = ArgumentUse::Unused;
  std::string type;           ///< As the source spells it.
  std::vector<int64_t> shape; ///< Of the tensor in it, outermost first; empty for fences and what is unused.
  int tensor = -1;            ///< Operand: its argument number in @problem. Destination: the result's number.
};

struct Binding {
  std::string frontEnd; ///< "torch", "iree" (util and hal borders), "linalg" (a plain function), "conv".
  std::string entry;    ///< The public function's name.
  /// IREE's asynchronous ABI: the work is in a function of its own (`asyncEntry`) that takes a wait and a signal fence.
  bool coarseFences = false;
  std::string asyncEntry;
  std::vector<ArgumentBinding> arguments; ///< Of the function that holds the work, in order.
  std::vector<int> destinations; ///< Of each result of @problem: the argument it is written into, or -1: returned.
  /// The convolutions, once known: a torch module's at once, a linalg module's after raising (bindProblems). Indices of
  /// operands count `arguments`, those of results @problem's results.
  std::vector<conv::BoundProblem> problems;
};

struct ImportedModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Binding binding;
};

/// Takes over what raising found, whose operands count @problem's arguments.
void bindProblems(Binding &binding, std::vector<conv::BoundProblem> problems);

/// A few lines for people: entry, arguments in order with their use, results, and how each problem's tensors lie in
/// them.
std::string describe(const Binding &binding);

} // namespace orzo
