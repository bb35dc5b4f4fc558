// SPDX-License-Identifier: Apache-2.0
#include "core/api/text.hpp"

#include <gtest/gtest.h>
#include <string>

namespace tessera {
namespace {

TEST(Shortened, LeavesOutTheMiddle) {
  EXPECT_EQ(shortened("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(shortened("abcdefghijk", 9), "abc ... k");
}

// UTF-8 has 2 bytes for these letters, 3 for the characters below.
TEST(Shortened, CutsNoCharacter) {
  EXPECT_EQ(shortened("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", 12),
            "\u00e9\u00e9 ... \u00e9");
  EXPECT_EQ(shortened("\u6e29\u5ea6\u6e29\u5ea6\u6e29\u5ea6", 13), "\u6e29\u5ea6 ... ");
}

}  // namespace
}  // namespace tessera
