// The environment, read in one place. Nothing else in orzo calls getenv.
#pragma once

#include <optional>
#include <string>

namespace orzo {

/// ORZO_CACHE_DIR, else XDG_CACHE_HOME/orzo, else HOME/.cache/orzo; nullopt where none of them is set.
std::optional<std::string> defaultCacheDirectory();

/// True when NO_COLOR is set to anything but the empty string, or TERM is "dumb" (https://no-color.org).
bool colorForbidden();

} // namespace orzo
