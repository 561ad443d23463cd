// Random graphs with one to three random mistakes in them; some are still right.
#pragma once

#include "RandomGraph.h"

namespace orzo::graph::test {

/// Not validated. Made from `seed` alone.
GraphDefinition mistakenGraph(unsigned seed);

} // namespace orzo::graph::test
