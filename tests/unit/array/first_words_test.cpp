// SPDX-License-Identifier: Apache-2.0
// The first lines that newcomers type, and their results.
#include "tessera/array/assignment.hpp"
#include "tessera/array/broadcasting.hpp"
#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/grids.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/joining.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/array/padding.hpp"
#include "tessera/array/print.hpp"
#include "tessera/array/random.hpp"
#include "tessera/array/reshaping.hpp"
#include "tessera/array/smoothing.hpp"
#include "tessera/array/store_ndarray.hpp"
#include "tessera/array/windows.hpp"
#include "tessera/core/error.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/store/memory_store.hpp"

#include "unit/array/support.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <sstream>
#include <tuple>
#include <type_traits>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;

using extents = std::array<index_t, 2>;

TEST(LazyArray, PrintsWhatIsKnownOfItAndHowToGetItsElements) {
  const auto x = ones<float>({4, 6}, {.chunks = {2, 3}});
  std::ostringstream out;
  out << x * 2 << '\n';
  EXPECT_EQ(out.str(),
            "lazy array of float32, shape (4, 6), chunks (2, 3); not computed: print x.compute() "
            "for its elements\n");
}

TEST(LazyArray, IsIndexedByBracketsAsByParentheses) {
  const auto x = asarray({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(x[1].compute(), (ndarray<int, 1>::of({4, 5, 6})));
  EXPECT_EQ(x[-1][0].compute(), (ndarray<int, 0>(4)));
}

TEST(LazyArray, IsAssignedTheResultOfACompoundAssignment) {
  auto x = asarray({1.0, 2.0});
  const auto before = x;
  for (int i = 0; i < 3; ++i) x += x;
  x -= 1;
  x *= asarray({10.0, 100.0});
  x /= 2.0;
  EXPECT_EQ(x.compute(), (ndarray<double, 1>::of({35, 750})));
  EXPECT_EQ(before.compute(), (ndarray<double, 1>::of({1, 2})));
  auto bits = asarray({1, 6});
  bits <<= 2;
  bits |= 1;
  bits %= 8;
  EXPECT_EQ(bits.compute(), (ndarray<int, 1>::of({5, 1})));
}

TEST(LazyArray, IsNotBroadcastByACompoundAssignment) {
  auto x = ones<double>({1, 2});
  expect_error<shape_error>([&] { x += ones<double>({3, 2}); }, {"x += y", "(1, 2)", "(3, 2)"});
  EXPECT_EQ(x.shape(), (extents{1, 2}));
}

TEST(Ndarray, IsMadeOfItsRowsInBraces) {
  EXPECT_EQ((ndarray<double, 2>{{1, 0, 2}, {0, 1, 3}}),
            (ndarray<double, 2>({2, 3}, {1, 0, 2, 0, 1, 3})));
  EXPECT_EQ((ndarray<double, 2>{{2, 3}}), (ndarray<double, 2>({1, 2}, {2, 3})));
  EXPECT_EQ((ndarray<int, 3>{{{1}, {2}}, {{3}, {4}}}), (ndarray<int, 3>({2, 2, 1}, {1, 2, 3, 4})));
  EXPECT_EQ((ndarray<int, 1>{4, 5, 6}), (ndarray<int, 1>({3}, {4, 5, 6})));
  EXPECT_EQ((ndarray<double, 2>({2, 3})).shape(), (extents{2, 3}));
  EXPECT_EQ((ndarray<double, 1>({2})).size(), 2);
  expect_error<shape_error>([] { (void)ndarray<double, 2>{{1, 2}, {3}}; }, {"rows of 2 and of 1"});
}

TEST(Joined, MayBeATuple) {
  const auto x = asarray({{1, 2}, {3, 4}});
  const auto y = asarray({{0.5, 1.5}});
  EXPECT_EQ(concat(std::tuple(x, y), axis<0>).compute(),
            (ndarray<double, 2>{{1, 2}, {3, 4}, {0.5, 1.5}}));
  EXPECT_EQ(stack(std::tuple(x(0), x(1)), axis<1>).compute(), (ndarray<int, 2>{{1, 3}, {2, 4}}));
}

TEST(Widths, MayBeOneForAllAxes) {
  const auto x = asarray({{1, 2}, {3, 4}});
  EXPECT_EQ(coarsen(op::sum{}, x, 2).compute(), (ndarray<std::int64_t, 2>({1, 1}, {10})));
  // numpy.pad(x, (1, 0))
  EXPECT_EQ(pad(x, {1, 0}).compute(), (ndarray<int, 2>{{0, 0, 0}, {0, 1, 2}, {0, 3, 4}}));
}

TEST(Shape, MayBeOneExtentOrAVectorOfAGivenRank) {
  EXPECT_EQ(zeros(3).shape(), (std::array<index_t, 1>{3}));
  EXPECT_EQ((full<double, 2>(std::vector<int>{2, 3}, 1.0).shape()), (extents{2, 3}));
  EXPECT_EQ((ones<float, 2>(std::vector<index_t>{2, 3}).shape()), (extents{2, 3}));
  EXPECT_EQ((random::normal<double, 2>(std::vector<index_t>{2, 3}).shape()), (extents{2, 3}));
  EXPECT_EQ(zeros<float>(std::array<int, 2>{4, 5}).shape(), (extents{4, 5}));
  static_assert(std::same_as<decltype(zeros({2, 2}))::value_type, double>);
  expect_error<shape_error>(
      [] {
        static_cast<void>(zeros<float, 2>(std::vector<int>{1, 2, 3}));
      },
      {"zeros", "3 extents", "rank 2"});
}

TEST(Chunks, MayBeOneLengthOrAVector) {
  EXPECT_EQ(zeros<float>({9, 9}, {.chunks = 4}).chunks(), (extents{4, 4}));
  const std::vector<int> lengths{2, 3};
  EXPECT_EQ(zeros<float>({9, 9}, {.chunks = lengths}).chunks(), (extents{2, 3}));
  EXPECT_EQ(rechunk(zeros<float>({9, 9}), 5).chunks(), (extents{5, 5}));
}

TEST(FromMemory, SeesTheElementsOfAVector) {
  std::vector<double> values{1, 2, 3, 4};
  const auto x = from_memory(values, {2, 2});
  values[3] = 5;
  EXPECT_EQ(x.compute(), (ndarray<double, 2>::of({{1, 2}, {3, 5}})));
  EXPECT_EQ(from_memory(values).compute(), (ndarray<double, 1>::of({1, 2, 3, 5})));
  EXPECT_EQ((from_memory<double, 2>(values, {4, 1}).shape()), (extents{4, 1}));
  expect_error<shape_error>([&] { static_cast<void>(from_memory(values, {3, 2})); }, {"4", "6"});
}

TEST(FromMemory, TakesATemporaryVectorOver) {
  const auto x = from_memory(std::vector<int>{1, 2, 3}, {3}) * 2;
  EXPECT_EQ(x.compute(), (ndarray<int, 1>::of({2, 4, 6})));
  EXPECT_EQ(asarray(std::vector<int>{1, 2}).compute(), (ndarray<int, 1>::of({1, 2})));
}

TEST(Concat, JoinsExpressionsOfDifferentTypes) {
  const auto x = asarray({{1, 2}});
  EXPECT_EQ(concat(x, x * 2, x + 4).compute(), (ndarray<int, 2>::of({{1, 2}, {2, 4}, {5, 6}})));
  EXPECT_EQ(concat(x, x * 2, axis<-1>).compute(), (ndarray<int, 2>::of({{1, 2, 2, 4}})));
  EXPECT_EQ(concat({x * 2, x * 3}).compute(), (ndarray<int, 2>::of({{2, 4}, {3, 6}})));
  EXPECT_EQ(stack(x, x * 2).shape(), (std::array<index_t, 3>{2, 1, 2}));
  EXPECT_EQ(stack({x * 2, x * 3}, axis<1>).compute(), (ndarray<int, 3>::of({{{2, 4}, {3, 6}}})));
}

TEST(Compute, ComputesVectorsOfExpressions) {
  const auto x = asarray({1.0, 2.0});
  std::vector<array<double, 1>> xs;
  for (int i = 1; i <= 3; ++i) xs.emplace_back(x * i);
  const std::vector<ndarray<double, 1>> results = compute(xs);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[2], (ndarray<double, 1>::of({3, 6})));
  EXPECT_EQ(plan(xs).compute(), results);
  EXPECT_EQ(compute(std::vector{x * 2, x * 3})[1], results[2]);
  EXPECT_TRUE(compute(std::vector<array<double, 1>>{}).empty());
}

TEST(Compute, HandsVectorsBackAmongOtherResults) {
  const auto x = asarray({1.0, 2.0});
  const auto store = std::make_shared<memory_store>();
  const std::vector stored_ones{stored(x * 4, store, "four"), stored(x * 5, store, "five")};
  const auto [total, parts, in_store] =
      plan(sum(x), std::vector<array<double, 1>>{x, x * 2}, stored_ones).compute();
  EXPECT_EQ(double{total}, 3);
  EXPECT_EQ(parts[1], (ndarray<double, 1>::of({2, 4})));
  EXPECT_EQ(in_store[1].compute(), (ndarray<double, 1>::of({5, 10})));
  EXPECT_EQ((open<double, 1>(store, "four").compute()), (ndarray<double, 1>::of({4, 8})));
}

TEST(Compute, OfWhatIsOnlyStoredNeedNotBeKept) {
  // Warnings are errors in this build: each of these was one.
  const auto x = asarray({1.0, 2.0});
  const auto store = std::make_shared<memory_store>();
  plan(stored(x, store, "a")).compute();
  compute(stored(x, store, "b"), stored(x, store, "c"));
  compute(std::vector{stored(x, store, "d")});
  for (const auto* name : {"a", "b", "c", "d"}) {
    EXPECT_EQ((open<double, 1>(store, name).compute()), (ndarray<double, 1>::of({1, 2})));
  }
}

TEST(Shapes, ArePrintedAsNumPyDoes) {
  const auto x = ones<float>({4, 6}, {.chunks = {2, 3}});
  std::ostringstream out;
  out << x.shape() << x.chunks() << x(0).shape() << x.compute().shape() << x.compute()(0).shape();
  EXPECT_EQ(out.str(), "(4, 6)(2, 3)(6,)(4, 6)(6,)");
}

TEST(Shapes, AreArraysOfTheStandard) {
  const auto x = ones<float>({4, 6}, {.chunks = {2, 3}});
  const auto [m, n] = x.shape();
  EXPECT_EQ(m, 4);
  EXPECT_EQ(n, 6);
  EXPECT_EQ(x.shape(), (extents{4, 6}));
  const extents same = x.shape();
  EXPECT_EQ(zeros(x.shape(), {.chunks = x.chunks()}).chunks(), (extents{2, 3}));
  EXPECT_EQ(reshape(x, same).shape(), x.shape());
}

TEST(Shapes, AreTakenFromArraysOfAnyIntegerType) {
  const auto x = asarray({{1.0, 2.0}, {3.0, 4.0}});
  const index_t shape[2] = {4, 1};
  const int counts[] = {1, 2};
  const std::array<std::size_t, 3> three{2, 2, 2};
  EXPECT_EQ(reshape(x, shape).compute(), (ndarray<double, 2>{{1}, {2}, {3}, {4}}));
  EXPECT_EQ(tile(x, counts).compute(), (ndarray<double, 2>{{1, 2, 1, 2}, {3, 4, 3, 4}}));
  EXPECT_EQ(broadcast_to(x, three).compute()(1, 1, 0), 3);
  const auto [i, j] = indices(counts);
  EXPECT_EQ(j.compute(), (ndarray<std::int64_t, 2>({1, 2}, {0, 1})));
  const auto sums = fromfunction([](std::int64_t a, std::int64_t b) { return a + b; }, counts);
  EXPECT_EQ(sums.compute(), (ndarray<std::int64_t, 2>({1, 2}, {0, 1})));
  EXPECT_EQ(uniform_filter(x, counts, boundary::edge).compute(),
            (ndarray<double, 2>{{1, 1.5}, {3, 3.5}}));
  EXPECT_EQ(random::poisson(1, shape).shape(), (extents{4, 1}));
}

TEST(Asarray, OfAnArrayIsTheArray) {
  const auto x = asarray({1.0, 2.0});
  EXPECT_EQ(asarray(x * 2).compute(), (ndarray<double, 1>{2, 4}));
}

TEST(Store, StoresComputedArrays) {
  const auto m = ndarray<float, 2>::of({{1, 2}, {3, 4}});
  const auto store = std::make_shared<memory_store>();
  EXPECT_EQ(tessera::store(m, store, "m", {.chunks = {1, 2}}).compute(), m);
}

}  // namespace
}  // namespace tessera
