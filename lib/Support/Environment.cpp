#include "orzo/Support/Environment.h"

#include <cstdlib>
#include <string_view>

namespace orzo {

static std::optional<std::string> variable(const char *name) {
  const char *value = std::getenv(name);
  if (!value || !*value)
    return std::nullopt;
  return value;
}

std::optional<std::string> defaultCacheDirectory() {
  if (auto directory = variable("ORZO_CACHE_DIR"))
    return directory;
  if (auto xdg = variable("XDG_CACHE_HOME"))
    return *xdg + "/orzo";
  if (auto home = variable("HOME"))
    return *home + "/.cache/orzo";
  return std::nullopt;
}

bool colorForbidden() {
  auto terminal = variable("TERM");
  return variable("NO_COLOR").has_value() || (terminal && *terminal == "dumb");
}

} // namespace orzo
