// StandardStreams: what the two programs owe to their standard input, output and error.
#pragma once

namespace orzo::driver {

/// Call first. A standard stream that was closed is opened on /dev/null the wrong way round, so that no file of this
/// process gets its number and using it fails as it should.
void holdStandardStreams();

/// Call last, with the program's exit code. Where standard output did not take all that was printed (a full disk, a
/// closed stream) this says so on standard error and returns the worse of `code` and 4 (unavailable).
int finishOutput(int code);

} // namespace orzo::driver
