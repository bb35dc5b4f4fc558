// SPDX-License-Identifier: Apache-2.0
#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;
using test::expect_values;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T, std::size_t N>
array<T, N> stored_of(const std::vector<T>& values, const std::array<index_t, N>& shape,
                      const std::array<index_t, N>& chunks, const std::string& path,
                      const spec& limits) {
  return store(from_memory(std::vector<T>(values), shape, {.spec = limits}), path,
               {.chunks = chunks});
}

/// Calls `take(x, is_first)` for each line of a dense array of `shape` along `axis`, in order or
/// from the end, and returns the results.
template <class T, class Take>
auto along_lines(const std::vector<T>& x, const index_vector& shape, std::size_t axis,
                 bool is_reversed, Take take) {
  std::vector<decltype(take(x[0], true))> result(x.size());
  const index_vector strides = row_major_strides(shape);
  index_vector lines = shape;
  lines[axis] = 1;
  index_vector position(shape.size());
  do {
    for (index_t i = 0; i < shape[axis]; ++i) {
      const index_t at =
          offset_of(position, strides) + (is_reversed ? shape[axis] - 1 - i : i) * strides[axis];
      result[static_cast<std::size_t>(at)] = take(x[static_cast<std::size_t>(at)], i == 0);
    }
  } while (next_position(position, lines));
  return result;
}

class Scan : public testing::Test {
 protected:
  [[nodiscard]] spec limits() const {
    spec settings;
    settings.work_dir = folder / "work";
    // For so many, scans of few tasks are cut.
    settings.costs.workers = 64;
    return settings;
  }
  test::scratch_directory folder;
};

TEST_F(Scan, SumsAndProductsAreThoseOfNumPy) {
  const auto x = from_memory(std::vector<double>{1, 2, 3, 4, 5, 6}, {2, 3}, {.chunks = {1, 2}});
  expect_values(cumulative_sum(x, axis<0>).compute(), {2, 3}, {1.0, 2.0, 3.0, 5.0, 7.0, 9.0});
  expect_values(cumulative_sum(x, axis<-1>).compute(), {2, 3}, {1.0, 3.0, 6.0, 4.0, 9.0, 15.0});
  expect_values(cumulative_prod(x, axis_at(1)).compute(), {2, 3},
                {1.0, 2.0, 6.0, 4.0, 20.0, 120.0});
  expect_values(cumulative_sum(x, axis<1>, {.include_initial = true}).compute(), {2, 4},
                {0.0, 1.0, 3.0, 6.0, 0.0, 4.0, 9.0, 15.0});
  expect_values(cumulative_prod(x, axis<0>, {.include_initial = true}).compute(), {3, 3},
                {1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 10.0, 18.0});
}

TEST_F(Scan, DtypesAreThoseOfSums) {
  const auto bytes = from_memory(std::vector<std::int8_t>{100, 100, 100}, {3}, {.chunks = {2}});
  expect_values<std::int64_t, 1>(cumulative_sum(bytes).compute(), {3}, {100, 200, 300});
  expect_values(cumulative_sum<std::int8_t>(bytes).compute(), {3},
                {std::int8_t{100}, std::int8_t(-56), std::int8_t{44}});
  expect_values(cumulative_sum<double>(bytes).compute(), {3}, {100.0, 200.0, 300.0});
  const auto yes = from_memory(std::vector<std::uint8_t>{1, 0, 1}, {3}, {.chunks = {2}});
  expect_values<std::int64_t, 1>(cumulative_sum(yes != 0).compute(), {3}, {1, 1, 2});
  const auto z = from_memory(std::vector<complex128>{{1, 1}, {2, -1}}, {2}, {.chunks = {1}});
  EXPECT_EQ(cumulative_prod(z).compute()(1), (complex128{3, 1}));
}

TEST_F(Scan, FloatsAreSummedInDoubles) {
  std::vector<float> values(1 << 16, 0.1F);
  const auto x = from_memory(std::vector<float>(values), {1 << 16}, {.chunks = {1000}});
  const auto sums = cumulative_sum(x).compute();
  EXPECT_EQ(sums((1 << 16) - 1), static_cast<float>(65536 * static_cast<double>(0.1F)));
}

TEST_F(Scan, NanIsLeftOutOrStays) {
  const auto x = from_memory(std::vector<double>{1, nan, 2, 5, nan, 3}, {6}, {.chunks = {2}});
  expect_values(nancumsum(x).compute(), {6}, {1.0, 1.0, 3.0, 8.0, 8.0, 11.0});
  expect_values(nancumprod(x).compute(), {6}, {1.0, 1.0, 2.0, 10.0, 10.0, 30.0});
  for (const auto& deviations :
       {cumulative_sum(x).compute(), cumulative_max(x).compute(), cumulative_min(x).compute()}) {
    EXPECT_EQ(deviations(0), 1);
    for (index_t i = 1; i < 6; ++i) EXPECT_TRUE(std::isnan(deviations(i))) << i;
  }
}

TEST_F(Scan, FillsFromBeforeAndFromBehind) {
  const auto x =
      from_memory(std::vector<double>{nan, 1, nan, nan, 5, nan, 2, nan}, {8}, {.chunks = {3}});
  const auto forward = ffill(x).compute();
  EXPECT_TRUE(std::isnan(forward(0)));
  const std::vector<double> expected{1, 1, 1, 5, 5, 2, 2};
  EXPECT_TRUE(std::ranges::equal(forward.span().subspan(1), expected));
  const auto backward = bfill(x).compute();
  EXPECT_TRUE(std::isnan(backward(7)));
  const std::vector<double> behind{1, 1, 5, 5, 5, 2, 2};
  EXPECT_TRUE(std::ranges::equal(backward.span().first(7), behind));
}

TEST_F(Scan, NothingGivesNothing) {
  const auto x = zeros<double>({0, 3}, {.chunks = {2, 2}});
  EXPECT_EQ(cumulative_sum(x, axis<0>).compute().shape(), (std::array<index_t, 2>{0, 3}));
  EXPECT_EQ(cumulative_sum(x, axis<1>).compute().shape(), (std::array<index_t, 2>{0, 3}));
  expect_values(cumulative_sum(x, axis<0>, {.include_initial = true}).compute(), {1, 3},
                {0.0, 0.0, 0.0});
}

TEST_F(Scan, AnAxisThatIsNotThereIsRefused) {
  const auto x = zeros<double>({2, 3});
  expect_error<shape_error>([&] { static_cast<void>(cumulative_sum(x, axis_at(2))); },
                            {"cumulative_sum", "2"});
}

/// The last two elements, in order: a monoid that does not commute.
struct last_two {
  static constexpr std::string_view name = "last_two";
  using state = std::tuple<double, double, std::int64_t>;
  static constexpr state identity{0, 0, 0};
  static state take(const state& s, double x) {
    return {std::get<1>(s), x, std::min<std::int64_t>(std::get<2>(s) + 1, 2)};
  }
  static state merge(const state& a, const state& b) {
    if (std::get<2>(b) == 2) return b;
    return std::get<2>(b) == 0 ? a : take(a, std::get<1>(b));
  }
  static double finish(const state& s) { return 100 * std::get<0>(s) + std::get<1>(s); }
};

TEST_F(Scan, TakesAMonoidThatDoesNotCommute) {
  const auto x = arange(1.0, 8.0, 1.0, {.chunks = {2}});
  expect_values(scan(last_two{}, x).compute(), {7},
                {1.0, 102.0, 203.0, 304.0, 405.0, 506.0, 607.0});
}

TEST_F(Scan, ReadsAndWritesEachChunkOnce) {
  const std::vector<double> ones(40 * 30, 1.0);
  const auto x = stored_of<double, 2>(ones, {40, 30}, {8, 10}, folder / "x", limits());
  const plan program(stored(cumulative_sum(2.0 * x + 1.0, axis<0>), folder / "y"));
  EXPECT_EQ(program.num_operations(), 1U);
  EXPECT_EQ(program.num_tasks(), 3);
  EXPECT_EQ(program.bytes_read().count(), 40U * 30 * 8);
  EXPECT_EQ(program.bytes_written().count(), 40U * 30 * 8);
  const auto y = program.compute().compute();
  EXPECT_EQ(y(39, 29), 120);
  EXPECT_EQ(y(0, 0), 3);
}

TEST_F(Scan, ScansOfOneArrayShareTheirWalk) {
  const std::vector<double> ones(40 * 30, 1.0);
  const auto x = stored_of<double, 2>(ones, {40, 30}, {8, 10}, folder / "x", limits());
  const plan program(cumulative_sum(x, axis<0>), cumulative_max(x, axis<0>));
  EXPECT_EQ(program.num_operations(), 1U);
  const auto [sums, greatest] = program.compute();
  EXPECT_EQ(sums(39, 29), 40);
  EXPECT_EQ(greatest(39, 29), 1);
}

TEST_F(Scan, GoesThroughAPlanFileAndOtherProcesses) {
  const auto x = arange(0.0, 20.0, 1.0, {.chunks = {4}, .spec = limits()});
  const auto y =
      store(cumulative_sum(x), folder / "y", run_with{.executor = executors::processes(2)});
  EXPECT_EQ(y.compute()(19), 190);
  plan(stored(bfill(x), folder / "z")).save(folder / "plan");
  plan<>::load(folder / "plan").execute();
  EXPECT_EQ((open<double, 1>(folder / "z").compute()(19)), 19);
}

TEST_F(Scan, OneOfFewTasksIsCutAndGivesTheSameBits) {
  constexpr index_t size = 1 << 23;
  const auto x = random::normal<float>({size}, {.chunks = {100'000}, .spec = limits(), .seed = 3});
  const auto sums = cumulative_sum(x * x);
  const plan cut(sums);
  const plan whole(pass_switches{.cut_scans = false}, sums);
  EXPECT_EQ(cut.num_operations(), 3U);
  EXPECT_EQ(whole.num_tasks(), 1);
  // 84 chunks, two to a leaf, each leaf twice, and the prefixes before them.
  EXPECT_EQ(cut.num_tasks(), 2 * 42 + 1);
  const auto of_parts = cut.compute();
  const auto of_whole = whole.compute();
  EXPECT_TRUE(std::ranges::equal(of_parts.span(), of_whole.span()));
  const auto back = bfill(where(x > 2.5F, x, std::numeric_limits<float>::quiet_NaN()));
  const auto filled = plan(back).compute();
  const auto expected = plan(pass_switches{.cut_scans = false}, back).compute();
  EXPECT_EQ(plan(back).num_operations(), 3U);
  index_t num_nan = 0;
  for (index_t i = 0; i < size; ++i) {
    num_nan += std::isnan(filled(i)) ? 1 : 0;
    ASSERT_TRUE(filled(i) == expected(i) || (std::isnan(filled(i)) && std::isnan(expected(i))));
  }
  EXPECT_LT(num_nan, 10'000);
}

TEST_F(Scan, LinesThatAreCutAreThoseOfAPlainLoop) {
  const std::array<index_t, 3> shape{3000, 2, 1000};
  std::vector<double> values(3000 * 2 * 1000);
  std::mt19937 random(7);
  for (double& value : values) value = static_cast<double>(random() % 100);
  const auto x = stored_of<double, 3>(values, shape, {100, 1, 1000}, folder / "x", limits());
  const plan cut(stored(cumulative_sum(x, axis<0>), folder / "y"),
                 stored(cumulative_max(x, axis<0>), folder / "z"));
  EXPECT_EQ(cut.num_operations(), 3U);
  const auto [sums, greatest] = cut.compute();
  double last = 0;
  const auto expected =
      along_lines(values, {3000, 2, 1000}, 0, false,
                  [&](double v, bool is_first) { return last = (is_first ? 0 : last) + v; });
  EXPECT_TRUE(std::ranges::equal(sums.compute().span(), expected));
  const auto most = along_lines(values, {3000, 2, 1000}, 0, false, [&](double v, bool is_first) {
    return last = is_first ? v : std::max(last, v);
  });
  EXPECT_TRUE(std::ranges::equal(greatest.compute().span(), most));
}

/// Expects elements equal to `expected`, NaN for NaN.
template <class T, class U>
void expect_elements(const ndarray<T, 3>& result, const std::vector<U>& expected) {
  ASSERT_EQ(static_cast<std::size_t>(result.size()), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool are_nan = result.data()[i] != result.data()[i] && expected[i] != expected[i];
    ASSERT_TRUE(are_nan || result.data()[i] == expected[i])
        << result.data()[i] << " in place of " << expected[i] << " at " << i;
  }
}

/// Compares scans of `x` along `axis` with loops over its `values`; stores a result at `path`.
void expect_plain_scans(const array<double, 3>& x, const std::vector<double>& values,
                        std::size_t axis, const std::array<index_t, 3>& out_chunks,
                        const std::string& path) {
  const auto shape = x.shape();
  const index_vector extents(shape.begin(), shape.end());
  const auto along = axis_at(static_cast<int>(axis));
  double last = nan;
  expect_elements(store(nancumsum(x * 2.0, along), path, {.chunks = out_chunks}).compute(),
                  along_lines(values, extents, axis, false, [&](double v, bool is_first) {
                    last = (is_first ? 0.0 : last) + (std::isnan(v) ? 0.0 : 2 * v);
                    return last;
                  }));
  const auto fill = [&](double v, bool is_first) {
    last = std::isnan(v) ? (is_first ? nan : last) : v;
    return last;
  };
  expect_elements(ffill(x, along).compute(), along_lines(values, extents, axis, false, fill));
  expect_elements(bfill(x, along).compute(), along_lines(values, extents, axis, true, fill));
  std::int32_t least = 0;
  expect_elements(cumulative_min(astype<std::int32_t>(nan_to_num(x)), along).compute(),
                  along_lines(values, extents, axis, false, [&](double v, bool is_first) {
                    const auto whole = static_cast<std::int32_t>(std::isnan(v) ? 0 : v);
                    least = is_first ? whole : std::min(least, whole);
                    return least;
                  }));
}

// Random shapes, chunks, axes and directions, from memory and from storage, in all ways in which
// lines lie.
TEST_F(Scan, RandomScansGiveWhatAPlainLoopGives) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto draw = [&random](index_t low, index_t high) {
    return std::uniform_int_distribution<index_t>(low, high)(random);
  };
  for (int round = 0; round < 60; ++round) {
    std::array<index_t, 3> shape{draw(1, 90), draw(1, 12), draw(1, 90)};
    std::array<index_t, 3> chunks{draw(1, 40), draw(1, 12), draw(1, 90)};
    const auto axis = static_cast<std::size_t>(draw(0, 2));
    std::vector<double> values(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
    for (double& value : values) {
      value = draw(0, 9) == 0 ? nan : static_cast<double>(draw(-50, 50));
    }
    SCOPED_TRACE("shape " + format_shape(shape) + " chunks " + format_shape(chunks) + " axis " +
                 std::to_string(axis));
    const bool is_stored = draw(0, 1) == 0;
    const auto x = is_stored ? stored_of<double, 3>(values, shape, chunks, folder / "x", limits())
                             : array<double, 3>(from_memory(std::vector<double>(values), shape,
                                                            {.chunks = chunks, .spec = limits()}));
    const std::array<index_t, 3> out_chunks{draw(1, 40), draw(1, 12), draw(1, 90)};
    expect_plain_scans(x, values, axis, out_chunks, folder / "y");
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace tessera
