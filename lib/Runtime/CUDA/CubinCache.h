// CubinCache: machine code the driver has assembled from PTX, kept on disk.
//
// The driver's own cache is small, shared by all programs and off on some systems; assembling one kernel takes the
// better part of a second. A file holds the SHA-256 of the code and then the code; it appears in one step, and one that
// is damaged counts as absent. The least recently written files go when the folder exceeds its bound.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orzo::cuda {

class CubinCache {
public:
  explicit CubinCache(std::string folder, int64_t maxBytes = int64_t(256) << 20)
      : folder(std::move(folder)), maxBytes(maxBytes) {}

  /// In the cache directory of the environment; nullopt where there is none.
  static std::optional<CubinCache> standard();

  /// The name of the code that driver `driverVersion` makes of `ptx` for `architecture`.
  static std::string key(std::span<const uint8_t> ptx, int driverVersion, const std::string &architecture);

  /// nullopt: not there, not readable, or damaged.
  std::optional<std::vector<uint8_t>> read(const std::string &key) const;
  /// Whether it is there afterwards: a full or read-only disk only costs time.
  bool write(const std::string &key, std::span<const uint8_t> cubin) const;

  std::string fileOf(const std::string &key) const { return folder + "/" + key + ".cubin"; }

private:
  void evict(const std::string &kept) const;

  std::string folder;
  int64_t maxBytes;
};

} // namespace orzo::cuda
