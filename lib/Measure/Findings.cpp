#include "Measure/Findings.h"

#include <charconv>

namespace orzo {

std::string shortest(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

} // namespace orzo
