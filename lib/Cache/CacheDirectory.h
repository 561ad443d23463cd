// CacheDirectory: a folder of named blobs, bounded in size, shared by any number of processes.
//
// A blob appears under its name in one step (written beside it, then renamed), so that a reader sees all of it or none.
// Of two writers of one name the last wins. Reading marks a blob as used; when the folder grows beyond its bound, the
// least recently used blobs go. Files that are not this folder's own kind (.orzo, .tmp) are never touched.
#pragma once

#include "orzo/Support/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orzo {

class CacheDirectory {
public:
  /// Nothing is created or read before the first call of another function.
  CacheDirectory(std::string path, int64_t maxBytes) : path(std::move(path)), maxBytes(maxBytes) {}

  /// The blob `name`, or nullopt where there is none. Unavailable, with the reason, when it is there and cannot be
  /// read.
  Expected<std::optional<std::vector<uint8_t>>> read(const std::string &name) const;

  /// Publishes `bytes` as `name`, creates the folder where needed, then evicts (never `name` itself). Unavailable, with
  /// the reason, when the folder cannot be written or `bytes` alone exceed the bound; nothing has changed then.
  Status write(const std::string &name, std::span<const uint8_t> bytes) const;

  /// Removes a blob; fine where there is none.
  void remove(const std::string &name) const;

  /// Removes every blob, and what interrupted writes have left over an hour ago; a write in progress is not disturbed.
  /// Unavailable names a blob that cannot be removed.
  Status clear() const;

  /// "<folder>/<name>.orzo".
  std::string fileOf(const std::string &name) const;

private:
  void removeAbandoned() const;
  void evict(const std::string &keptName) const;

  std::string path;
  int64_t maxBytes;
};

} // namespace orzo
