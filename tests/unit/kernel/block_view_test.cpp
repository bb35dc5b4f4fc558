// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/block_view.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using matrix = block_view<int, 2>;

/// The 2 x 3 elements in the middle of 4 x 5, which are 0, 1, ..., 19.
class BlockView : public ::testing::Test {
 protected:
  BlockView() { std::iota(elements_.begin(), elements_.end(), 0); }

  std::array<int, 20> elements_{};
  matrix part_{elements_.data() + 6, {2, 3}, {5, 1}, {1, 1}};
};

std::vector<int> values_of(const auto& block) { return {block.begin(), block.end()}; }

TEST_F(BlockView, IteratesOverElementsInRowMajorOrder) {
  static_assert(std::forward_iterator<decltype(part_.begin())>);
  EXPECT_THAT(values_of(part_), ElementsAre(6, 7, 8, 11, 12, 13));
  EXPECT_THAT(values_of(matrix(elements_.data() + 6, {3, 2}, {1, 5}, {})),
              ElementsAre(6, 11, 7, 12, 8, 13));
  EXPECT_THAT(values_of(block_view<const int, 2>(elements_.data() + 6, {2, 3}, {0, 1}, {})),
              ElementsAre(6, 7, 8, 6, 7, 8));
  EXPECT_THAT(values_of(block_view<int, 0>(elements_.data() + 6, {}, {}, {})), ElementsAre(6));
  EXPECT_THAT(values_of(matrix(elements_.data(), {2, 0}, {5, 1}, {})), ElementsAre());
  EXPECT_THAT(values_of(matrix(elements_.data(), {0, 2}, {5, 1}, {})), ElementsAre());
  EXPECT_THAT(values_of(block_view<int, 3>(elements_.data(), {2, 1, 3}, {10, 7, 2}, {})),
              ElementsAre(0, 2, 4, 10, 12, 14));
}

TEST_F(BlockView, TakesStandardAlgorithms) {
  for (int& element : part_) element = -element;
  EXPECT_EQ(elements_[8], -8);
  EXPECT_EQ(elements_[9], 9);
  const std::array<int, 6> values{0, 1, 2, 3, 4, 5};
  const block_view<const int, 2> transposed(values.data(), {3, 2}, {1, 3}, {});
  std::ranges::transform(transposed, part_.begin(), [](int value) { return 100 + value; });
  EXPECT_THAT(values_of(part_), ElementsAre(100, 103, 101, 104, 102, 105));
  EXPECT_EQ(std::accumulate(part_.begin(), part_.end(), 0), 615);
}

TEST_F(BlockView, HasRows) {
  std::vector<int> sums;
  for (const auto row : part_.rows()) {
    sums.push_back(std::accumulate(row.begin(), row.end(), 0));
    EXPECT_EQ(row.start(0), 1);
  }
  EXPECT_THAT(sums, ElementsAre(21, 36));
  part_[1].span()[2] = 50;
  EXPECT_EQ(part_(1, 2), 50);
  EXPECT_EQ(part_[1][2], 50);
  EXPECT_THAT(values_of(matrix(elements_.data() + 6, {3, 2}, {1, 5}, {})[2]), ElementsAre(8, 50));
}

TEST_F(BlockView, IsFilledAndCopiedWhereverItsElementsLie) {
  std::vector<int> copy(6);
  part_.copy_to(copy);
  EXPECT_THAT(copy, ElementsAre(6, 7, 8, 11, 12, 13));
  part_.fill(0);
  EXPECT_EQ(std::accumulate(elements_.begin(), elements_.end(), 0), 190 - 57);
  std::ranges::reverse(copy);
  part_.copy_from(copy);
  EXPECT_THAT(values_of(part_), ElementsAre(13, 12, 11, 8, 7, 6));
  part_.copy_from(block_view<const int, 2>(elements_.data() + 15, {2, 3}, {0, 1}, {}));
  EXPECT_THAT(values_of(part_), ElementsAre(15, 16, 17, 15, 16, 17));
}

TEST_F(BlockView, SaysWhatDoesNotFit) {
  const auto refusal_of = [](auto call) -> std::string {
    try {
      call();
    } catch (const error& refusal) {
      return refusal.what();
    }
    return "no error";
  };
  EXPECT_THAT(refusal_of([&] { (void)part_.span(); }), HasSubstr("x.copy_to(values)"));
  EXPECT_THAT(refusal_of([&] { (void)part_.span(); }), HasSubstr("x.rows()"));
  std::vector<int> five(5);
  EXPECT_THAT(refusal_of([&] { part_.copy_to(five); }),
              HasSubstr("5 elements cannot be copied to or from a block of shape (2, 3)"));
  EXPECT_THAT(refusal_of([&] {
                part_.copy_from(matrix(elements_.data(), {3, 2}, {5, 1}, {}));
              }),
              HasSubstr("a block of shape (3, 2) cannot be copied to one of shape (2, 3)"));
}

}  // namespace
}  // namespace tessera
