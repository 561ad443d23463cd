#include "orzo/Support/Sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace orzo {

// Fractional parts of the cube roots of the first 64 primes.
static constexpr std::array<uint32_t, 64> roundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void Sha256::block(const uint8_t *bytes) {
  std::array<uint32_t, 64> schedule;
  for (int i = 0; i < 16; ++i)
    schedule[i] = uint32_t(bytes[4 * i]) << 24 | uint32_t(bytes[4 * i + 1]) << 16 | uint32_t(bytes[4 * i + 2]) << 8 |
                  uint32_t(bytes[4 * i + 3]);
  for (int i = 16; i < 64; ++i) {
    uint32_t near = schedule[i - 2], far = schedule[i - 15];
    uint32_t sigma1 = std::rotr(near, 17) ^ std::rotr(near, 19) ^ (near >> 10);
    uint32_t sigma0 = std::rotr(far, 7) ^ std::rotr(far, 18) ^ (far >> 3);
    schedule[i] = sigma1 + schedule[i - 7] + sigma0 + schedule[i - 16];
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (int i = 0; i < 64; ++i) {
    uint32_t choice = (e & f) ^ (~e & g);
    uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    uint32_t first = h + sum1 + choice + roundConstants[i] + schedule[i];
    h = g, g = f, f = e;
    e = d + first;
    d = c, c = b, b = a;
    a = first + sum0 + majority;
  }
  std::array<uint32_t, 8> after = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i)
    state[i] += after[i];
}

void Sha256::update(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    size_t used = length % 64;
    if (used == 0 && bytes.size() >= 64) {
      block(bytes.data());
      length += 64;
      bytes = bytes.subspan(64);
      continue;
    }
    size_t taken = std::min(bytes.size(), 64 - used);
    std::memcpy(pending.data() + used, bytes.data(), taken);
    length += taken;
    bytes = bytes.subspan(taken);
    if (length % 64 == 0)
      block(pending.data());
  }
}

void Sha256::update(std::string_view text) {
  update(std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
}

Sha256Digest Sha256::finish() {
  uint64_t bits = length * 8;
  // A one bit, zeros up to 8 bytes before the end of a block, the length in bits.
  std::array<uint8_t, 72> padding = {0x80};
  size_t zeros = (119 - length % 64) % 64;
  for (int i = 0; i < 8; ++i)
    padding[1 + zeros + i] = static_cast<uint8_t>(bits >> (56 - 8 * i));
  update(std::span<const uint8_t>(padding.data(), 1 + zeros + 8));
  Sha256Digest digest;
  for (int i = 0; i < 32; ++i)
    digest[i] = static_cast<uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

Sha256Digest sha256(std::span<const uint8_t> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string toHex(std::span<const uint8_t> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

} // namespace orzo
