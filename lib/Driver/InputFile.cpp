#include "Driver/InputFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orzo::driver {

Job failedJob(std::string input, Status failure) {
  Job job;
  job.input = std::move(input);
  job.failure = std::move(failure);
  return job;
}

static Status fileError(const std::string &path, const char *what) {
  return Status::unavailable(std::string(what) + " " + path + ": " + std::strerror(errno));
}

static Expected<std::string> readAll(int file, const std::string &name) {
  std::string contents;
  char piece[1 << 16];
  while (true) {
    ssize_t got = read(file, piece, sizeof piece);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fileError(name, "cannot read");
    if (got == 0)
      return contents;
    contents.append(piece, static_cast<size_t>(got));
  }
}

Expected<std::string> readInputFile(const std::string &path) {
  if (path == "-")
    return readAll(STDIN_FILENO, "standard input");
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return fileError(path, "cannot read");
  struct stat state;
  if (fstat(file, &state) == 0 && S_ISDIR(state.st_mode)) {
    close(file);
    return Status::invalidArgument(path + " is a folder; give a file");
  }
  Expected<std::string> contents = readAll(file, path);
  close(file);
  return contents;
}

static Status writeAll(int file, std::string_view contents, const std::string &name) {
  while (!contents.empty()) {
    ssize_t written = write(file, contents.data(), contents.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return fileError(name, "cannot write");
    contents.remove_prefix(static_cast<size_t>(written));
  }
  return Status::success();
}

Status writeOutputFile(const std::string &path, std::string_view contents) {
  if (path == "-")
    return writeAll(STDOUT_FILENO, contents, "standard output");
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return fileError(path, "cannot write");
  Status status = writeAll(file, contents, path);
  if (close(file) != 0 && status.ok())
    return fileError(path, "cannot write");
  return status;
}

bool isArtifactFile(std::string_view contents) { return contents.starts_with("ORZO"); }

Job artifactJob(const std::string &path, const std::string &contents) {
  Job job;
  job.kind = Job::Kind::Artifact;
  job.input = path;
  job.name = path == "-" ? "<standard input>" : path;
  job.artifact.assign(contents.begin(), contents.end());
  return job;
}

} // namespace orzo::driver
