#include "Spec/LoopNest.h"

#include <algorithm>
#include <string>

namespace orzo {

/// Every tensor that is walked at all is walked element by element along some loop.
static bool hasContiguousLoops(const std::vector<Loop> &loops) {
  for (int tensor = 0; tensor < 3; ++tensor) {
    bool walked = false, contiguous = false;
    for (const Loop &loop : loops) {
      walked |= loop.strides[tensor] != 0;
      contiguous |= loop.strides[tensor] == 1;
    }
    if (walked && !contiguous)
      return false;
  }
  return true;
}

static const Loop *innermostOf(const std::vector<Loop> &loops, Role role) {
  const Loop *innermost = nullptr;
  for (const Loop &loop : loops)
    if (loop.stride(role) != 0 && (!innermost || loop.stride(role) < innermost->stride(role)))
      innermost = &loop;
  return innermost;
}

static void sortAndMerge(std::vector<ContractionDim> &dims) {
  std::stable_sort(dims.begin(), dims.end(), [](const ContractionDim &a, const ContractionDim &b) {
    return std::array{a.out, a.lhs, a.rhs} > std::array{b.out, b.lhs, b.rhs};
  });
  std::vector<ContractionDim> merged;
  for (const ContractionDim &inner : dims) {
    if (!merged.empty()) {
      ContractionDim &outer = merged.back();
      if (outer.lhs == inner.extent * inner.lhs && outer.rhs == inner.extent * inner.rhs &&
          outer.out == inner.extent * inner.out) {
        outer = {outer.extent * inner.extent, inner.lhs, inner.rhs, inner.out};
        continue;
      }
    }
    merged.push_back(inner);
  }
  dims = std::move(merged);
}

static Contraction named(const std::vector<Loop> &loops, Role lhs, Role rhs, Role out) {
  Contraction result;
  result.lhs = lhs;
  result.rhs = rhs;
  result.out = out;
  for (const Loop &loop : loops) {
    ContractionDim dim = {loop.extent, loop.stride(lhs), loop.stride(rhs), loop.stride(out)};
    bool inLhs = dim.lhs != 0, inRhs = dim.rhs != 0, inOut = dim.out != 0;
    (inLhs && inRhs ? inOut ? result.batch : result.k : inLhs ? result.m : result.n).push_back(dim);
  }
  for (std::vector<ContractionDim> *dims : {&result.batch, &result.m, &result.n, &result.k})
    sortAndMerge(*dims);
  // The images of an NCHW problem: outside of all of m in the result, they are so many products of their own.
  while (!result.m.empty() && result.n.size() > 1 && result.n.front().out > result.m.front().out) {
    result.batch.push_back(result.n.front());
    result.n.erase(result.n.begin());
  }
  sortAndMerge(result.batch);
  return result;
}

/// Of the two ways to name the operands, the one where rhs has the result's innermost dim. A result of one element has
/// none: then the one whose first k dim is the longer, or has the larger strides in lhs.
std::optional<Contraction> contractionOf(const std::vector<Loop> &loops, Direction direction) {
  if (!hasContiguousLoops(loops))
    return std::nullopt;
  auto [first, second] = operandRoles(direction);
  Role out = resultRole(direction);
  if (const Loop *innermost = innermostOf(loops, out)) {
    bool inFirst = innermost->stride(first) != 0, inSecond = innermost->stride(second) != 0;
    if (inFirst && inSecond)
      return std::nullopt; // groups of one channel, innermost: there is no n
    return inFirst ? named(loops, second, first, out) : named(loops, first, second, out);
  }
  Contraction one = named(loops, first, second, out), other = named(loops, second, first, out);
  auto precedes = [](const ContractionDim &a, const ContractionDim &b) {
    return std::array{a.extent, a.lhs, a.rhs} > std::array{b.extent, b.lhs, b.rhs};
  };
  return std::lexicographical_compare(other.k.begin(), other.k.end(), one.k.begin(), one.k.end(), precedes) ? other
                                                                                                            : one;
}

static std::string listed(const char *name, const std::vector<ContractionDim> &dims) {
  std::string line;
  for (const ContractionDim &dim : dims)
    line += " " + std::to_string(dim.extent) + ":" + std::to_string(dim.lhs) + ":" + std::to_string(dim.rhs) + ":" +
            std::to_string(dim.out);
  return dims.empty() ? "" : name + line + " ";
}

std::string text(const Contraction &contraction) {
  std::string line = listed("b", contraction.batch) + listed("m", contraction.m) + listed("n", contraction.n) +
                     listed("k", contraction.k) + (contraction.hasZeroTail ? "tail " : "");
  if (line.empty())
    return "one product";
  line.pop_back();
  return line;
}

} // namespace orzo
