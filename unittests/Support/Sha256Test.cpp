#include "orzo/Support/Sha256.h"

#include <gtest/gtest.h>
#include <vector>

using namespace orzo;

namespace {

std::string hashOf(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return toHex(hash.finish());
}

// The examples published with FIPS 180-4, and the empty message of NIST's CAVP vectors.
TEST(Sha256, PublishedVectors) {
  EXPECT_EQ(hashOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hashOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hashOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hashOf("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                   "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(hashOf(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Lengths around the block and around the room for the length field, in pieces of every size.
TEST(Sha256, PiecesDoNotMatter) {
  std::string message;
  for (int i = 0; i < 200; ++i)
    message += static_cast<char>(i * 37);
  for (size_t length : {1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 200}) {
    std::string_view text = std::string_view(message).substr(0, length);
    std::string whole = hashOf(text);
    for (size_t piece = 1; piece <= length; ++piece) {
      Sha256 hash;
      for (size_t at = 0; at < length; at += piece)
        hash.update(text.substr(at, piece));
      ASSERT_EQ(toHex(hash.finish()), whole) << "length " << length << " pieces of " << piece;
    }
  }
}

} // namespace
