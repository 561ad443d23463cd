#include "Command/Dialect.h"

namespace orzo {

std::string_view programName(Dialect dialect) {
  switch (dialect) {
  case Dialect::MIOpen:
    return "MIOpenDriver";
  case Dialect::Boo:
    return "iree-boo-driver";
  case Dialect::Fusilli:
    break;
  }
  return "fusilli_benchmark_driver";
}

std::optional<Dialect> dialectOfProgram(std::string_view word) {
  size_t slash = word.rfind('/');
  std::string_view file = slash == std::string_view::npos ? word : word.substr(slash + 1);
  for (Dialect dialect : allDialects)
    if (file == programName(dialect))
      return dialect;
  return std::nullopt;
}

} // namespace orzo
