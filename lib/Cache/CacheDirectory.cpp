#include "Cache/CacheDirectory.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace orzo {
namespace {

namespace fs = std::filesystem;

std::string reason() { return std::strerror(errno); }

/// A file descriptor, closed at the end of its scope.
struct File {
  int descriptor;
  ~File() {
    if (descriptor >= 0)
      close(descriptor);
  }
};

struct Entry {
  fs::path path;
  int64_t bytes;
  fs::file_time_type used;
};

/// The folder's files with `extension`; those that vanish meanwhile are left out.
std::vector<Entry> entries(const std::string &folder, std::string_view extension) {
  std::vector<Entry> result;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != extension)
      continue;
    std::error_code sizeError, timeError;
    auto bytes = static_cast<int64_t>(at->file_size(sizeError));
    auto used = at->last_write_time(timeError);
    if (!sizeError && !timeError)
      result.push_back({at->path(), bytes, used});
  }
  return result;
}

Status writeAll(int file, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return Status::unavailable(reason());
    bytes = bytes.subspan(written);
  }
  return {};
}

} // namespace

std::string CacheDirectory::fileOf(const std::string &name) const { return path + "/" + name + ".orzo"; }

Expected<std::optional<std::vector<uint8_t>>> CacheDirectory::read(const std::string &name) const {
  using Result = std::optional<std::vector<uint8_t>>;
  File file{open(fileOf(name).c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.descriptor < 0 && (errno == ENOENT || errno == ENOTDIR))
    return Result();
  if (file.descriptor < 0)
    return Status::unavailable(reason());
  struct stat facts;
  if (fstat(file.descriptor, &facts) != 0)
    return Status::unavailable(reason());
  std::vector<uint8_t> bytes(facts.st_size);
  for (size_t done = 0; done < bytes.size();) {
    ssize_t got = ::read(file.descriptor, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return Status::unavailable(reason());
    if (got == 0) // Cut meanwhile, which no writer of ours does: the reader will find it damaged.
      bytes.resize(done);
    done += got;
  }
  // Used now. Where that may not be recorded, eviction is a little less well informed.
  utimensat(AT_FDCWD, fileOf(name).c_str(), nullptr, 0);
  return Result(std::move(bytes));
}

Status CacheDirectory::write(const std::string &name, std::span<const uint8_t> bytes) const {
  if (static_cast<int64_t>(bytes.size()) > maxBytes)
    return Status::unavailable("an entry of " + std::to_string(bytes.size()) + " bytes exceeds the bound of " +
                               std::to_string(maxBytes));
  std::error_code error;
  fs::create_directories(path, error);
  // The folder may exist although it could not be made; opening the file decides.
  static std::atomic<int> serial{0};
  std::string temporary = path + "/" + name + "." + std::to_string(getpid()) + "." + std::to_string(serial++) + ".tmp";
  Status status;
  {
    File file{open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
    if (file.descriptor < 0)
      return Status::unavailable(reason());
    status = writeAll(file.descriptor, bytes);
  }
  if (status.ok() && rename(temporary.c_str(), fileOf(name).c_str()) != 0)
    status = Status::unavailable(reason());
  if (!status.ok()) {
    unlink(temporary.c_str());
    return status;
  }
  evict(name);
  return {};
}

void CacheDirectory::remove(const std::string &name) const { unlink(fileOf(name).c_str()); }

void CacheDirectory::removeAbandoned() const {
  // A write takes well under an hour; older temporaries belong to processes that died.
  auto abandoned = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const Entry &entry : entries(path, ".tmp"))
    if (entry.used < abandoned)
      unlink(entry.path.c_str());
}

void CacheDirectory::evict(const std::string &keptName) const {
  removeAbandoned();
  std::vector<Entry> blobs = entries(path, ".orzo");
  int64_t total = 0;
  for (const Entry &entry : blobs)
    total += entry.bytes;
  std::ranges::sort(blobs, {}, &Entry::used);
  fs::path kept = fileOf(keptName);
  for (const Entry &entry : blobs) {
    if (total <= maxBytes)
      break;
    // Another process may have removed it first; either way it is gone.
    if (entry.path == kept || (unlink(entry.path.c_str()) != 0 && errno != ENOENT))
      continue;
    total -= entry.bytes;
  }
}

Status CacheDirectory::clear() const {
  removeAbandoned();
  for (const Entry &entry : entries(path, ".orzo"))
    if (unlink(entry.path.c_str()) != 0 && errno != ENOENT)
      return Status::unavailable("cannot remove " + entry.path.string() + ": " + reason());
  return {};
}

} // namespace orzo
