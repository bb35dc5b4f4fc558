// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/put_along_axis.hpp"

#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/arithmetic.hpp"

#include "unit/array/support.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>

namespace tessera {
namespace {

// NumPy: x = np.arange(6.).reshape(2, 3); np.put_along_axis(x, np.array([[2, 0], [-1, 2]]),
// np.array([[10, 20], [30, 40]]), 1).
TEST(PutAlongAxis, PutsTheLastOfSeveralValuesOfAPlace) {
  const auto x = asarray(ndarray<double, 2>({2, 3}, {0, 1, 2, 3, 4, 5}));
  const ndarray<std::int64_t, 2> indices({2, 2}, {2, 0, -1, 2});
  const ndarray<std::int32_t, 2> values({2, 2}, {10, 20, 30, 40});
  test::expect_values<double, 2>(put_along_axis(x, indices, values, axis<1>).compute(), {2, 3},
                                 {20, 1, 10, 3, 4, 40});
  test::expect_values<double, 2>(put_along_axis(x, asarray(indices), values, axis<1>).compute(),
                                 {2, 3}, {20, 1, 10, 3, 4, 40});
  test::expect_values<double, 2>(x.compute(), {2, 3}, {0, 1, 2, 3, 4, 5});
}

TEST(PutAlongAxis, DoesAsALoopOverIndicesDoes) {
  std::mt19937 random(5);
  const auto pick = [&](index_t low, index_t high) {
    return low + static_cast<index_t>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int trial = 0; trial < 40; ++trial) {
    const std::array<index_t, 3> shape{pick(1, 6), pick(1, 9), pick(1, 5)};
    const bool is_broadcast = trial % 3 == 0;
    const std::array<index_t, 3> of_list{is_broadcast ? 1 : shape[0], pick(0, 7), shape[2]};
    ndarray<float, 3> x(shape);
    for (float& value : x.span()) value = static_cast<float>(random() % 100);
    ndarray<std::int32_t, 3> indices(of_list);
    for (auto& index : indices.span()) {
      index = static_cast<std::int32_t>(pick(-shape[1], shape[1] - 1));
    }
    ndarray<float, 2> values({of_list[1], trial % 2 == 0 ? 1 : shape[2]});
    for (float& value : values.span()) value = -static_cast<float>(random() % 100);
    const auto lazy =
        asarray(x, {.chunks = {pick(1, shape[0]), pick(1, shape[1]), pick(1, shape[2])}});
    const auto result = put_along_axis(lazy, indices, asarray(values) - 1.0F, axis<-2>)
                            .compute({.executor = executors::threads(2)});
    for (index_t i = 0; i < shape[0]; ++i) {
      for (index_t j = 0; j < of_list[1]; ++j) {
        for (index_t k = 0; k < shape[2]; ++k) {
          const index_t given = indices(is_broadcast ? 0 : i, j, k);
          x(i, given < 0 ? given + shape[1] : given, k) =
              values(j, values.shape()[1] == 1 ? 0 : k) - 1.0F;
        }
      }
    }
    for (index_t i = 0; i < x.size(); ++i) ASSERT_EQ(result.data()[i], x.data()[i]) << "at " << i;
  }
}

TEST(PutAlongAxis, TakesOneValueAndTravelsToProcesses) {
  const auto x = zeros<std::int64_t>({4, 100}, {.chunks = {2, 30}});
  const ndarray<std::int64_t, 2> indices({4, 1}, {3, 50, 99, 0});
  const auto result = put_along_axis(x, indices, 7, axis<1>).compute();
  const auto there =
      put_along_axis(x, indices, 7, axis<1>).compute({.executor = executors::processes(2)});
  for (index_t i = 0; i < 4; ++i) {
    for (index_t j = 0; j < 100; ++j) {
      const std::int64_t expected = indices(i, 0) == j ? 7 : 0;
      EXPECT_EQ(result(i, j), expected);
      EXPECT_EQ(there(i, j), expected);
    }
  }
}

TEST(PutAlongAxis, RefusesWhatIsOutOfRangeOrDoesNotFit) {
  const auto x = zeros<double>({2, 3});
  const ndarray<std::int64_t, 2> far({2, 1}, {0, 3});
  test::expect_error<shape_error>([&] { (void)put_along_axis(x, far, 1.0, axis<1>); },
                                  {"index 3 is out of range along axis 1", "(2, 3)"});
  const ndarray<std::int64_t, 2> rows({3, 1}, {0, 1, 1});
  test::expect_error<shape_error>([&] { (void)put_along_axis(x, rows, 1.0, axis<1>); },
                                  {"indices of shape (3, 1)", "or 1"});
  const ndarray<std::int64_t, 2> indices({2, 1}, {0, 1});
  test::expect_error<shape_error>(
      [&] { (void)put_along_axis(x, indices, ndarray<double, 1>({4}), axis<1>); },
      {"values of shape (4,)", "(2, 1)"});
}

}  // namespace
}  // namespace tessera
