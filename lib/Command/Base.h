// The base: the word of a driver command that says which operation and element type (conv, convbfp16, gemmfp16 ...).
#pragma once

#include "Command/Dialect.h"
#include "orzo/Support/DataType.h"
#include "orzo/Support/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace orzo {

/// Whose flags a command may have.
enum class Family : uint8_t { Conv, Gemm };

struct Base {
  std::string_view word;
  Family family;
  DataType type;
};

/// The bases orzo computes, in the order help lists them. gemmbfp16 is orzo's own; the rest are MIOpen's.
const std::vector<Base> &bases();

/// True for every word that some driver takes as a base, computed here or not (pool, bnormfp16, aten::mm, sdpa ...).
bool isKnownBase(std::string_view word);

/// The base `word` names. Unsupported, naming it, for a base that exists but that orzo does not compute (also the 8-bit
/// types of conv); InvalidArgument with a suggestion for an unknown word, and for a base that `dialect` lacks (Fusilli
/// has conv alone, its types being flags).
Expected<Base> parseBase(std::string_view word, Dialect dialect);

} // namespace orzo
