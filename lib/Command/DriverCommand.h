// Driver commands: the problems and run options that a MIOpen, BOO or Fusilli command line stands for.
//
//     convbfp16 -n 16 -c 2048 -H 1 -W 512 -k 2048 -y 1 -x 2 -v 2 -F 2 --in_layout NHWC --fil_layout NHWC --out_layout
//     NHWC
//
// is one problem: dgrad of n16 c2048 k2048, in 1x512, filter 1x2, out 1x256, stride 1x2, x:nhwc w:krsc y:npqk, bf16.
// With -F 0, MIOpen's default, it would be three: fprop, dgrad and wgrad.
//
// A transposed convolution (-m trans) is the same relation read backwards: its output is Spec's x, its input Spec's y,
// so that its forward is dgrad, its input gradient fprop and its filter gradient wgrad. Along each dim its output has
//
//     (in - 1) * stride + dilation * (filter - 1) + 1 - 2 * pad + outputPadding      elements.
//
// A gemm is the convolution without spatial dims: C[m,n] = A[m,k] B[k,n] is fprop with n = m, c = k, k = n; a batch is
// groups, outermost in every layout.
#pragma once

#include "Command/Base.h"
#include "Command/Dialect.h"
#include "orzo/Spec/ConvSpec.h"
#include "orzo/Support/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orzo {

/// One direction of a command.
struct DriverProblem {
  ConvSpec spec;
  /// The user's word: "fprop", "dgrad", "wgrad", "trans fprop" ..., "gemm", "gemm dA", "gemm dB".
  std::string label;
  /// The bit of MIOpen's -F mask that asks for it: 1 forward, 2 data (dA), 4 weights (dB).
  int maskBit = 1;
};

/// The run options that were written in the command; what was not written is nullopt.
struct RunOptions {
  std::optional<int64_t> iterations;         ///< At least 1.
  std::optional<bool> verify;                ///< false: --verify=off.
  bool ones = false;                         ///< --data=ones.
  std::optional<std::string> cacheDirectory; ///< --cache-dir.
};

struct DriverCommand {
  std::string text; ///< The command as written, without comment; quoted so that it parses again.
  Dialect dialect = Dialect::MIOpen;
  std::string base;                    ///< "conv", "gemmfp16" ...
  std::vector<DriverProblem> problems; ///< In the order fprop, dgrad, wgrad. Empty exactly when `help` is set.
  RunOptions options;
  std::vector<std::string> notes; ///< Sentences for the report: flags without effect, how the command was read.
  std::string help;               ///< Set when the command asks for help (-h, -?, --help): the text to print.
};

/// Reads one command. Every failure names the flag or base, what was got and what would work. InvalidArgument: not a
/// command of the dialect, or no such problem exists (filter larger than the padded input, C not divisible by the
/// groups ...). Unsupported: a command that orzo does not compute (pool, 8-bit types, bias, vectorised layouts ...).
/// The tokens of the second form are as a shell hands them over.
Expected<DriverCommand> parseDriverCommand(std::string_view line);
Expected<DriverCommand> parseDriverCommand(std::span<const std::string> tokens);

/// True when `word` could begin a driver command: a program's name or a base, computed or not.
bool beginsDriverCommand(std::string_view word);

/// `spec` as a command of `dialect`'s program; MIOpen's in the order in which its own log prints commands, the others'
/// with the program's name in front, and Fusilli's with every flag that it requires (-i 10 among them). Reading it back
/// gives the same problem: the same spec up to axes of extent 1 (a 1-D problem gets H = 1) for convolutions, a gemm
/// command for fprop without spatial dims where the program's gemm can say it, a 1x1 convolution otherwise. Layouts may
/// be any order of N C D H W; MIOpen itself takes five of them. Unsupported, saying why: mixed element types, flips,
/// padding that no symmetric -p gives, groups apart from their channels. `spec` must satisfy validate().
Expected<std::string> printDriverCommand(const ConvSpec &spec, Dialect dialect = Dialect::MIOpen);

} // namespace orzo
