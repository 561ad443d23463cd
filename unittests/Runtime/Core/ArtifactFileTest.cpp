#include "SampleArtifact.h"
#include "orzo/Support/Sha256.h"

#include <algorithm>
#include <cstring>
#include <gmock/gmock.h>
#include <memory>

using namespace orzo;
using namespace orzo::test;
using testing::HasSubstr;

namespace {

constexpr size_t headerBytes = 48;

/// Parses from memory of exactly the bytes' length, so that a sanitizer sees any read past it.
Expected<Artifact> parseExactly(std::span<const uint8_t> bytes) {
  auto exact = std::make_unique<uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), exact.get());
  return parseArtifact({exact.get(), bytes.size()});
}

/// The file with its checksum made to fit its manifest, as a careful vandal would.
std::vector<uint8_t> resealed(std::vector<uint8_t> file) {
  Sha256Digest digest = sha256(std::span(file).subspan(headerBytes));
  std::copy(digest.begin(), digest.end(), file.begin() + 16);
  return file;
}

TEST(ArtifactFile, RoundTrips) {
  Artifact artifact = sampleArtifact();
  std::vector<uint8_t> file = serialise(artifact);
  Expected<Artifact> parsed = parseExactly(file);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(*parsed, artifact);
  EXPECT_EQ(serialise(*parsed), file);
  EXPECT_EQ(serialise(sampleArtifact()), file);
}

TEST(ArtifactFile, AnyAlignmentParses) {
  std::vector<uint8_t> file = serialise(sampleArtifact());
  for (size_t shift = 0; shift < 16; ++shift) {
    std::vector<uint8_t> moved(shift, 0);
    moved.insert(moved.end(), file.begin(), file.end());
    Expected<Artifact> parsed = parseArtifact(std::span<const uint8_t>(moved).subspan(shift));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, sampleArtifact());
  }
}

TEST(ArtifactFile, EveryTruncationIsAnError) {
  std::vector<uint8_t> file = serialise(sampleArtifact());
  for (size_t length = 0; length < file.size(); ++length) {
    Expected<Artifact> parsed = parseExactly(std::span(file).first(length));
    ASSERT_FALSE(parsed.ok()) << length;
    EXPECT_EQ(parsed.status().code(), StatusCode::InvalidArgument);
    EXPECT_THAT(parsed.status().message(), HasSubstr(length < 4 ? "not an orzo artifact" : "truncated"));
  }
  file.push_back(0);
  Expected<Artifact> longer = parseExactly(file);
  ASSERT_FALSE(longer.ok());
  EXPECT_THAT(longer.status().message(), HasSubstr("1 bytes follow its end"));
}

TEST(ArtifactFile, EveryFlippedBitIsAnError) {
  std::vector<uint8_t> file = serialise(sampleArtifact());
  for (size_t at = 0; at < file.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      file[at] ^= 1 << bit;
      ASSERT_FALSE(parseExactly(file).ok()) << "byte " << at << " bit " << bit;
      file[at] ^= 1 << bit;
    }
  ASSERT_TRUE(parseExactly(file).ok());
}

// Behind a fitting checksum, damage must still be an error or another valid artifact; never a crash, never a read
// outside.
TEST(ArtifactFile, DamageBehindAFittingChecksumIsHarmless) {
  std::vector<uint8_t> file = serialise(sampleArtifact());
  int refused = 0;
  for (size_t at = headerBytes; at < file.size(); ++at)
    for (int change : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> damaged = file;
      damaged[at] ^= change;
      Expected<Artifact> parsed = parseExactly(resealed(damaged));
      if (!parsed)
        ++refused;
      else
        EXPECT_TRUE(parseArtifact(serialise(*parsed)).ok());
    }
  EXPECT_GT(refused, 0);
  // The manifest cut short, its length and checksum fitting.
  for (size_t length = headerBytes; length < file.size(); ++length) {
    std::vector<uint8_t> cut(file.begin(), file.begin() + length);
    uint64_t manifest = length - headerBytes;
    std::memcpy(cut.data() + 8, &manifest, sizeof manifest);
    Expected<Artifact> parsed = parseExactly(resealed(cut));
    if (parsed)
      EXPECT_TRUE(parseArtifact(serialise(*parsed)).ok());
  }
}

TEST(ArtifactFile, NamesBothVersions) {
  for (uint32_t version : {0u, 1u, 77u}) {
    std::vector<uint8_t> file = serialise(sampleArtifact());
    std::memcpy(file.data() + 4, &version, sizeof version);
    Expected<Artifact> parsed = parseExactly(file);
    ASSERT_FALSE(parsed.ok());
    EXPECT_EQ(parsed.status().code(), StatusCode::Unsupported);
    EXPECT_THAT(parsed.status().message(), HasSubstr("format version " + std::to_string(version)));
    EXPECT_THAT(parsed.status().message(), HasSubstr("reads version 2"));
  }
}

TEST(ArtifactFile, RefusesForeignFiles) {
  std::string elf("\x7f"
                  "ELF and much more text than a header would need to be complete",
                  60);
  Expected<Artifact> parsed = parseExactly({reinterpret_cast<const uint8_t *>(elf.data()), elf.size()});
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.status().code(), StatusCode::InvalidArgument);
  EXPECT_THAT(parsed.status().message(), HasSubstr("not an orzo artifact"));
  EXPECT_FALSE(parseExactly({}).ok());
}

TEST(ArtifactFile, RefusesWhatMeansNothing) {
  Artifact artifact = sampleArtifact();
  artifact.images[1].slots[3].workspaceOffset = 128;
  Expected<Artifact> parsed = parseExactly(serialise(artifact));
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.status().code(), StatusCode::InvalidArgument);
  EXPECT_THAT(parsed.status().message(), HasSubstr("image 'avx512_bf16': slot 3: 128 bytes at offset 128 exceed"));
}

} // namespace
