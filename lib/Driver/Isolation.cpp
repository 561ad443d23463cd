#include "Driver/Isolation.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orzo::driver {

int exitCodeOf(const std::string &status) {
  if (status == "ok" || status == "skipped")
    return 0;
  if (status == "wrong")
    return 1;
  if (status == "invalid")
    return 2;
  if (status == "unsupported")
    return 3;
  return status == "unavailable" || status == "timeout" ? 4 : 5;
}

int worse(int first, int second) {
  constexpr std::array<int, 6> worstFirst = {5, 1, 4, 3, 2, 0};
  auto rank = [&](int code) { return std::find(worstFirst.begin(), worstFirst.end(), code); };
  return rank(first) < rank(second) ? first : second;
}

namespace {

/// Fields in the pipe: each its length as a decimal line, then its bytes.
std::string packed(const Outcome &outcome) {
  std::string bytes;
  for (const std::string *field : {&outcome.status, &outcome.output, &outcome.errors, &outcome.carry})
    bytes += std::to_string(field->size()) + "\n" + *field;
  return bytes;
}

bool unpack(const std::string &bytes, Outcome &outcome) {
  size_t at = 0;
  for (std::string *field : {&outcome.status, &outcome.output, &outcome.errors, &outcome.carry}) {
    size_t line = bytes.find('\n', at);
    if (line == std::string::npos)
      return false;
    size_t size = std::strtoull(bytes.c_str() + at, nullptr, 10);
    if (size > bytes.size() - line - 1)
      return false;
    *field = bytes.substr(line + 1, size);
    at = line + 1 + size;
  }
  return at == bytes.size();
}

void writeAll(int file, const std::string &bytes) {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t written = write(file, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno != EINTR)
      return;
    done += written > 0 ? static_cast<size_t>(written) : 0;
  }
}

/// Exceptions that reach this far are a library's: no memory is the machine's fault, anything else a bug.
Outcome guarded(const std::function<Outcome()> &work, const std::function<Outcome(const Ending &)> &onEnding) {
  try {
    return work();
  } catch (const std::bad_alloc &) {
    return onEnding({false, Status::unavailable("not enough memory; --max-bytes skips problems too large")});
  } catch (const std::exception &error) {
    return onEnding(
        {false, Status::internal(std::string("unexpected exception: ") + error.what() + "; please report this")});
  }
}

/// Reads until the other end closes; false when `timeoutSeconds` were over first.
bool readUntil(int file, double timeoutSeconds, std::string &bytes) {
  using Clock = std::chrono::steady_clock;
  auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeoutSeconds));
  char piece[1 << 16];
  while (true) {
    int wait = -1;
    if (timeoutSeconds > 0) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0)
        return false;
      wait = static_cast<int>(std::min<int64_t>(left, 1 << 30));
    }
    pollfd readable = {file, POLLIN, 0};
    int ready = poll(&readable, 1, wait);
    if (ready < 0 && errno != EINTR)
      return true;
    if (ready <= 0)
      continue;
    ssize_t got = read(file, piece, sizeof piece);
    if (got == 0 || (got < 0 && errno != EINTR))
      return true;
    bytes.append(piece, got > 0 ? static_cast<size_t>(got) : 0);
  }
}

std::string seconds(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

int waitFor(pid_t child) {
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  return state;
}

Status endingOf(int state) {
  if (!WIFSIGNALED(state))
    return Status::internal("the problem's process ended without a result (exit " + std::to_string(WEXITSTATUS(state)) +
                            "); please report this");
  int signal = WTERMSIG(state);
  if (signal == SIGKILL)
    return Status::unavailable("the problem's process was killed, most likely for memory; --max-bytes skips problems "
                               "too large");
  const char *signalName = sigabbrev_np(signal);
  return Status::internal("the problem's process crashed (SIG" + std::string(signalName ? signalName : "?") +
                          "); please report this");
}

} // namespace

Outcome runIsolated(double timeoutSeconds, const std::function<Outcome()> &work,
                    const std::function<Outcome(const Ending &)> &onEnding) {
  std::fflush(nullptr);
  int ends[2];
  pid_t parent = getpid(), child = pipe(ends) == 0 ? fork() : -1;
  if (child < 0)
    return onEnding({false, Status::unavailable(std::string("cannot start a process: ") + std::strerror(errno))});
  if (child == 0) {
    close(ends[0]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(1);
    writeAll(ends[1], packed(guarded(work, onEnding)));
    std::fflush(nullptr);
    _exit(0);
  }
  close(ends[1]);
  std::string bytes;
  bool inTime = readUntil(ends[0], timeoutSeconds, bytes);
  close(ends[0]);
  if (!inTime)
    kill(child, SIGKILL);
  int state = waitFor(child);
  if (!inTime)
    return onEnding({true, Status::unavailable("not done after " + seconds(timeoutSeconds) + " s (--timeout)")});
  Outcome outcome;
  if (!WIFEXITED(state) || WEXITSTATUS(state) != 0 || !unpack(bytes, outcome))
    return onEnding({false, endingOf(state)});
  return outcome;
}

} // namespace orzo::driver
