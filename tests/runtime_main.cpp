// SPDX-License-Identifier: Apache-2.0
#include "tessera/runtime/runtime.hpp"

#include <gtest/gtest.h>

// GoogleTest's own main makes no runtime: its programs cannot become workers.
int main(int argc, char** argv) {
  tessera::runtime runtime{argc, argv};
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
