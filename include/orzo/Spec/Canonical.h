// The canonical form: one representative of all spellings of one problem, and its one-line text.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace orzo {

/// How a tensor of the canonical problem is found in the source problem: the same memory under other names.
struct View {
  Role source;                  ///< The source problem's tensor that this one is.
  std::vector<Axis> sourceAxes; ///< For each axis of the canonical layout, in order, its axis in the source tensor.
  bool operator==(const View &) const = default;
};

struct Canonical {
  ConvSpec spec;
  std::array<View, 3> views; ///< Indexed by the canonical tensor's Role.
};

/// The canonical representative of `spec`, which must satisfy validate(). No element of memory moves: each canonical
/// tensor is a source tensor under other names. Total, deterministic, idempotent. Rules: docs/Spec.md.
Canonical canonicalise(const ConvSpec &spec);

/// Every spelling of `spec` that the symmetries of the relation give, unit dims and letters dropped: first its own,
/// then those with other directions and roles. canonicalise() is the best of them; exporters look here for one that
/// their target can say.
std::vector<Canonical> orbit(const ConvSpec &spec);

/// The one-line text of a problem, grammar conv.v1, e.g.
///   conv.v1 dgrad n16 c2048 k2048 g1 in512 f2 out256 s2 d1 p0 x:nhc:bf16 w:krc:bf16 y:npk:bf16 acc:f32
/// It prints `spec` as it stands; canonical text is text(canonicalise(spec).spec).
std::string text(const ConvSpec &spec);

/// The reverse of text(). InvalidArgument names the field, what was got and what was expected.
Expected<ConvSpec> parseConvSpec(std::string_view text);

} // namespace orzo
