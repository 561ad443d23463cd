#include "orzo/Support/Status.h"

namespace orzo {

std::string_view name(StatusCode code) {
  switch (code) {
  case StatusCode::Ok:
    return "ok";
  case StatusCode::InvalidArgument:
    return "invalid";
  case StatusCode::Unsupported:
    return "unsupported";
  case StatusCode::Unavailable:
    return "unavailable";
  case StatusCode::Internal:
    break;
  }
  return "internal";
}

int exitCode(StatusCode code) {
  switch (code) {
  case StatusCode::Ok:
    return 0;
  case StatusCode::InvalidArgument:
    return 2;
  case StatusCode::Unsupported:
    return 3;
  case StatusCode::Unavailable:
    return 4;
  case StatusCode::Internal:
    break;
  }
  return 5;
}

} // namespace orzo
