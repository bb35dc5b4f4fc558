// SPDX-License-Identifier: Apache-2.0
#include "lower/product_steps.hpp"

#include "tessera/core/index.hpp"

#include <array>
#include <gtest/gtest.h>

namespace tessera {
namespace {

constexpr double most_elements = 1'000'000;

TEST(ProductSteps, AreAsLongAsTheLongerChunk) {
  const product_steps steps = choose_steps(
      {product_side{1000, {100}, 100'000}, product_side{500, {400}, 200'000}}, most_elements);
  EXPECT_EQ(steps.extents, index_vector{400});
  EXPECT_EQ(steps.is_copied, (std::array{false, false}));
}

// 4,000 rows of 400 elements are more than a million, and than a chunk of 40,000.
TEST(ProductSteps, AreAsLongAsTheShorterChunkIfBlocksWouldBeLarge) {
  const product_steps steps = choose_steps(
      {product_side{4000, {100}, 400'000}, product_side{500, {400}, 200'000}}, most_elements);
  EXPECT_EQ(steps.extents, index_vector{100});
  EXPECT_EQ(steps.is_copied, (std::array{false, false}));
}

// A chunk of 2,000 elements is held whole by tasks that take 100 of them in a step.
TEST(ProductSteps, CutChunksThatAreCopiedIfTheyAreLargeTogether) {
  const product_steps steps = choose_steps(
      {product_side{1000, {100}, 100'000}, product_side{1000, {2000}, 20'000}}, most_elements);
  EXPECT_EQ(steps.extents, index_vector{100});
  EXPECT_EQ(steps.is_copied, (std::array{false, true}));
}

// 448 rows of 260,000 elements. An eighth of a million elements are 279 columns of these.
TEST(ProductSteps, ArePartsOfLongChunks) {
  const product_side thin{448, {260'000}, 7 * 260'000};
  const product_steps steps = choose_steps({thin, thin}, most_elements);
  EXPECT_EQ(steps.extents, index_vector{256});
  EXPECT_EQ(steps.is_copied, (std::array{true, true}));
  EXPECT_EQ(choose_steps({thin, thin}, 25'000'000).extents, index_vector{4096});
}

// At most 6,975 elements of each of 448 rows.
TEST(ProductSteps, CutTheLongestAxisFirst) {
  const product_side thin{448, {361, 720}, 7 * 361 * 720};
  const product_steps steps = choose_steps({thin, thin}, 25'000'000);
  EXPECT_EQ(steps.extents, (index_vector{91, 64}));
  EXPECT_EQ(steps.is_copied, (std::array{true, true}));
}

TEST(ProductSteps, AreChunksOfTheirFactorsHoweverLarge) {
  const product_side large{1000, {5000}, 5'000'000};
  const product_steps steps = choose_steps({large, large}, most_elements);
  EXPECT_EQ(steps.extents, index_vector{5000});
  EXPECT_EQ(steps.is_copied, (std::array{false, false}));
}

}  // namespace
}  // namespace tessera
