// Peak: what this machine can do at best - arithmetic of one instruction, and memory bandwidth - measured, not assumed.
//
// A percentage of peak is only as good as its peak, so the peak is checked before it is believed. In one run every
// thread alternates between two loops:
//
//     clock   a chain of dependent adds, one a core clock on every x86 chip: its rate is the core's clock frequency
//     work    the instruction on independent accumulators, all in registers: no load, no store, no dependence in reach
//
// The best rounds of each give instructions per core clock, and that must reach 0.9 of what the chip is documented to
// do (Chip.h). If it does not - another process had the cores, the hypervisor lied about them, the build is not
// optimised - the peak is not trusted, `why` says so, and nobody prints a percentage of it.
//
//     worked example   2 cores of a Zen 5 at 4.38 GHz, vdpbf16ps zmm: 64 flops an instruction, documented 2 a clock
//     measured 1120 GFLOP/s = 17.5 G instructions/s = 2.00 a clock and core  -> trusted, 0.9 * 2 <= 2.00
#pragma once

#include <string>
#include <string_view>

namespace orzo {

/// The arithmetic instructions orzo's CPU kernels are made of.
enum class Instruction {
  FmaYmm,     ///< vfmadd231ps, 8 f32 lanes: AVX2.
  FmaZmm,     ///< vfmadd231ps, 16 f32 lanes: AVX-512.
  DotBF16Zmm, ///< vdpbf16ps, 16 lanes of 2 bf16 products each: AVX512_BF16.
};

/// "vfmadd231ps ymm", "vfmadd231ps zmm", "vdpbf16ps zmm".
std::string_view name(Instruction instruction);

/// Floating-point operations of one such instruction: 16, 32, 64.
int flopsOf(Instruction instruction);

/// Whether this machine and its operating system have it.
bool isSupported(Instruction instruction);

struct Peak {
  std::string instruction; ///< name() of what was measured.
  int threads = 0;         ///< Threads that ran.
  int cores = 0;           ///< Physical cores they ran on: fewer where some were siblings on one core.
  double gflops = 0;       ///< Best round, all threads together, 1e9 flops a second.
  double clockGHz = 0;     ///< Core clock in the same run.
  double perClock = 0;     ///< Instructions per core and clock.
  double documented = 0;   ///< What the chip is documented to do per core and clock; 0 = not known.
  bool trusted = false;    ///< perClock >= 0.9 * documented.
  std::string why;         ///< One sentence: why it is trusted, or why not.
};

/// Runs `threads` threads (at least 1, pinned to different cores as far as there are any) for about `seconds`. An
/// instruction the machine lacks gives gflops 0, not trusted, and `why` names it. Thread-safe, but two calls at once
/// disturb each other.
Peak measurePeak(Instruction instruction, int threads, double seconds = 0.25);

struct Bandwidth {
  int threads = 0;
  double arrayMegabytes = 0; ///< Size of each of the three arrays, 1e6 bytes: 67 to 268 where memory allows.
  double readGBs = 0;        ///< Reading only, 1e9 bytes a second: best pass.
  double triadGBs = 0;       ///< a = b + s*c with stores past the cache: 2 reads and 1 write counted, best pass.
};

/// Main-memory bandwidth of `threads` threads; takes about `seconds` after the arrays are touched. All 0 where the
/// arrays cannot be allocated.
Bandwidth measureBandwidth(int threads, double seconds = 0.25);

} // namespace orzo
