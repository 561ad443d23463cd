// Status and Expected: how every fallible function of orzo reports.
//
// No exception crosses a module border. A function that can fail returns Status or Expected<T>; both are
// [[nodiscard]]. The message is for the user: it names the flag, node, tensor, op or line, what was got, and what
// would work.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace orzo {

/// Whose fault it is, and with it the exit code of the command-line tools.
enum class StatusCode {
  Ok = 0,
  InvalidArgument, ///< The input is wrong: exit code 2.
  Unsupported,     ///< The input is legal, orzo does not do it: exit code 3.
  Unavailable,     ///< This machine lacks a device, driver, file or library: exit code 4.
  Internal,        ///< A bug in orzo: exit code 5.
};

/// "ok", "invalid", "unsupported", "unavailable" or "internal", as the JSON output's "status" spells it.
std::string_view name(StatusCode code);

/// The process exit code of a failure: 0, 2, 3, 4 or 5. (1 is kept for wrong numbers.)
int exitCode(StatusCode code);

class [[nodiscard]] Status {
public:
  /// Success.
  Status() = default;
  Status(StatusCode code, std::string message) : statusCode(code), text(std::move(message)) {}

  static Status success() { return {}; }
  static Status invalidArgument(std::string message) { return {StatusCode::InvalidArgument, std::move(message)}; }
  static Status unsupported(std::string message) { return {StatusCode::Unsupported, std::move(message)}; }
  static Status unavailable(std::string message) { return {StatusCode::Unavailable, std::move(message)}; }
  static Status internal(std::string message) { return {StatusCode::Internal, std::move(message)}; }

  bool ok() const { return statusCode == StatusCode::Ok; }
  StatusCode code() const { return statusCode; }
  const std::string &message() const { return text; }

  /// The same failure with `where` and ": " before its message; success stays success.
  Status within(std::string_view where) const {
    return ok() ? *this : Status(statusCode, std::string(where) + ": " + text);
  }

private:
  StatusCode statusCode = StatusCode::Ok;
  std::string text;
};

/// A value or the Status that says why there is none.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : result(std::move(value)) {}
  /// `status` must be a failure.
  Expected(Status status) : failure(std::move(status)) { assert(!failure.ok()); }

  bool ok() const { return result.has_value(); }
  explicit operator bool() const { return ok(); }
  /// Success when there is a value.
  const Status &status() const { return failure; }

  T &operator*() { return assert(ok()), *result; }
  const T &operator*() const { return assert(ok()), *result; }
  T *operator->() { return assert(ok()), &*result; }
  const T *operator->() const { return assert(ok()), &*result; }
  T take() { return assert(ok()), std::move(*result); }

private:
  std::optional<T> result;
  Status failure;
};

} // namespace orzo
