// SHA-256 (FIPS 180-4): checksums of artifacts, keys of the cache, hashes of kernels.
//
// A fingerprint against damage and accident; nothing in orzo rests on it for secrecy.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace orzo {

using Sha256Digest = std::array<uint8_t, 32>;

/// The hash of a message that arrives in pieces: update() any number of times, then finish() once.
class Sha256 {
public:
  void update(std::span<const uint8_t> bytes);
  void update(std::string_view text);
  /// The digest of all bytes so far. The object must not be used afterwards.
  Sha256Digest finish();

private:
  void block(const uint8_t *bytes);

  std::array<uint32_t, 8> state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending = {};
  uint64_t length = 0; ///< Bytes so far; the last length % 64 of them are in `pending`.
};

Sha256Digest sha256(std::span<const uint8_t> bytes);

/// Lower-case hexadecimal, two digits a byte.
std::string toHex(std::span<const uint8_t> bytes);

} // namespace orzo
