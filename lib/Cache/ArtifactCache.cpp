#include "Cache/ArtifactCache.h"
#include "Runtime/Core/Artifact.h"

namespace orzo {

/// 128 bits of the key: short, and still never twice by accident.
static std::string entryName(const CacheKey &key) { return digest(key).substr(0, 32); }

ArtifactCache::ArtifactCache(std::string directory, int64_t maxBytes)
    : path(directory), directory(std::move(directory), maxBytes) {}

std::optional<std::vector<uint8_t>> ArtifactCache::lookup(const CacheKey &key, std::vector<std::string> &notes) const {
  std::string name = entryName(key);
  auto found = directory.read(name);
  if (!found) {
    notes.push_back("cache: " + directory.fileOf(name) + " cannot be read (" + found.status().message() +
                    "); compiling instead");
    return std::nullopt;
  }
  if (!*found)
    return std::nullopt;
  Expected<Artifact> artifact = parseArtifact(**found);
  if (artifact && artifact->problem == key.problem) {
    notes.insert(notes.end(), artifact->notes.begin(), artifact->notes.end());
    return std::move(*found);
  }
  std::string reason = artifact ? "it is of another problem" : artifact.status().message();
  directory.remove(name);
  notes.push_back("cache: removed entry " + directory.fileOf(name) + " (" + reason + "); compiling instead");
  return std::nullopt;
}

void ArtifactCache::store(const CacheKey &key, std::span<const uint8_t> artifact,
                          std::vector<std::string> &notes) const {
  if (Status status = directory.write(entryName(key), artifact); !status.ok())
    notes.push_back("cache: nothing is kept in " + path + " (" + status.message() + ")");
}

Status ArtifactCache::clear() const { return directory.clear(); }

} // namespace orzo
