// Difference: in what two problems differ - as few differences as there can be.
//
// Two spellings of one problem may share no number: a transposed tensor, exchanged operands, another direction. So the
// two problems are not compared as they stand. Of the spellings that the symmetries of the relation give each of them
// (orbit(), Canonical.h), and of all orders of the spatial dims, the pair is taken that differs least.
//
//     worked example   A  dgrad in512 f2 s2    B  dgrad in512 f2~ s2       one difference: the flip along the dim
//                      A' fprop in6 f3 s1      B' fprop, the same, flipped. Canonical text of A' is fprop f3, of B'
//                      (fewest flips first) dgrad f3, with C and K, in and out exchanged. As B' has the spelling fprop
//                      f3~ too, the one difference is the flip.
#pragma once

#include "orzo/Spec/Canonical.h"

#include <optional>
#include <string>
#include <vector>

namespace orzo {

/// What a difference is about.
enum class Field : uint8_t {
  Direction,
  Batch,
  InChannels,
  OutChannels,
  Groups,
  In,
  Filter,
  Out,
  Stride,
  Dilation,
  PadLow,
  Flip,
  Layout,
  Type,
  Accumulate,
};

/// "direction", "batch", "input channels", "stride" ...
std::string_view name(Field field);

struct Difference {
  Field field;
  int dim = -1;              ///< The spatial dim of the aligned specs, for In to Flip; else -1.
  Role role = Role::X;       ///< For Layout and Type.
  std::string first, second; ///< The two values: numbers, letters, "yes" and "no" for flips.
  bool operator==(const Difference &) const = default;
};

/// Two problems by the spellings that differ least. Both specs have the same rank: the lower one gets dims of extent 1.
struct Alignment {
  Canonical first, second; ///< With views to the problems that were given.
  std::vector<Difference> differences;
};

/// Aligns `first` and `second`, which must satisfy validate(). No difference exactly when their canonical texts are
/// equal. Of pairs that differ as little, one in `wanted` direction comes first, then one with the first problem's
/// canonical spelling.
Alignment align(const ConvSpec &first, const ConvSpec &second, std::optional<Direction> wanted = std::nullopt);

/// The letter of the aligned dim `dim` in the problem that was given, in capitals: of its filter ("S"), or of the first
/// of its tensors that has the dim; nullopt where it is 1 in all of them.
std::optional<std::string> dimLetter(const Canonical &aligned, const ConvSpec &given, int dim);

} // namespace orzo
