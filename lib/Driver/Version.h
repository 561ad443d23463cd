// The version of orzo, as --version and `orzo targets` print it.
#pragma once

namespace orzo::driver {

inline constexpr const char *version = "0.1.0";

} // namespace orzo::driver
