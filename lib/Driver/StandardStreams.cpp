#include "Driver/StandardStreams.h"

#include "Driver/Isolation.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace orzo::driver {

void holdStandardStreams() {
  // Ascending: open() takes the lowest free number.
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int finishOutput(int code) {
  // The error flag remembers what failed before; errno is known for the last flush only.
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return code;
  std::fprintf(stderr, "cannot write to standard output%s%s\n", errno ? ": " : "", errno ? std::strerror(errno) : "");
  return worse(code, 4);
}

} // namespace orzo::driver
