// ArtifactCache: compiled artifacts kept on disk, by what decides their bytes.
//
//     ArtifactCache cache(directory);
//     if (auto bytes = cache.lookup(key, notes)) ... else { compile; cache.store(key, bytes, notes); }
//
// The cache is never the reason that something fails: whatever is wrong with it is a miss and a note for the report.
#pragma once

#include "Cache/CacheDirectory.h"
#include "Cache/CacheKey.h"

namespace orzo {

inline constexpr int64_t defaultCacheBytes = int64_t(1) << 30;

/// Safe to use from several threads and processes at once.
class ArtifactCache {
public:
  /// `directory` is created by the first store(). At most `maxBytes` of artifacts are kept.
  explicit ArtifactCache(std::string directory, int64_t maxBytes = defaultCacheBytes);

  /// The artifact file of `key`, checked by parseArtifact and to be of key.problem; nullopt where there is none. Its
  /// own notes are appended to `notes`. A damaged entry, or one of another format version or problem, is removed, and a
  /// line about it is appended to `notes`.
  std::optional<std::vector<uint8_t>> lookup(const CacheKey &key, std::vector<std::string> &notes) const;

  /// Keeps `artifact` (a whole file) under `key`. Where that is not possible, a line that says why is appended to
  /// `notes`.
  void store(const CacheKey &key, std::span<const uint8_t> artifact, std::vector<std::string> &notes) const;

  /// Removes every entry. Unavailable when one cannot be removed; a cache that does not exist is clear.
  Status clear() const;

private:
  std::string path;
  CacheDirectory directory;
};

} // namespace orzo
