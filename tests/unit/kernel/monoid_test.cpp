// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/monoid.hpp"

#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/detail/monoid_common.hpp"
#include "tessera/kernel/monoid_fold.hpp"

#include "unit/kernel/run_fold.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string_view>
#include <tuple>
#include <vector>

namespace tessera {
namespace {

/// The difference of the greatest and the least element.
struct range_of {
  using state = std::tuple<float, float>;
  static constexpr float infinity = std::numeric_limits<float>::infinity();
  static constexpr state identity{infinity, -infinity};
  static state take(state s, float x) {
    const auto [low, high] = s;
    return {x < low ? x : low, x > high ? x : high};
  }
  static state merge(state a, state b) { return take(take(a, std::get<0>(b)), std::get<1>(b)); }
  static float finish(state s) { return std::get<1>(s) - std::get<0>(s); }
};

struct without_identity {
  using state = double;
  static state take(state s, float x) { return s + x; }
  static state merge(state a, state b) { return a + b; }
};

struct of_text {
  using state = std::tuple<double, const char*>;
};

struct with_factor : without_identity {
  static constexpr state identity = 0;
  double factor = 2;
};

static_assert(monoid_of<range_of, float>);
static_assert(monoid_of<range_of, int> && !monoid_takes<range_of, float, float>);
static_assert(!monoid_has_identity<without_identity> && monoid_merges<without_identity>);
static_assert(!monoid_has_state<of_text> && !monoid_has_state<int>);
static_assert(!monoid_is_empty<with_factor> && monoid_has_identity<with_factor>);
static_assert(monoid_finishes<without_identity> && !monoid_merges<range_of> == false);

TEST(Monoid, KeepsStatesInOnePlaneForEachElement) {
  EXPECT_EQ(monoid_states<range_of>::state_fields(),
            (std::vector<dtype>{dtype::float32, dtype::float32}));
  std::vector<float> low(3);
  std::vector<float> high(3);
  const std::array<std::byte*, 2> state_fields{reinterpret_cast<std::byte*>(low.data()),
                                               reinterpret_cast<std::byte*>(high.data())};
  const monoid_states<range_of> states(state_fields.data());
  for (index_t i = 0; i < 3; ++i) states.set(i, range_of::identity);
  states.set(1, range_of::take(range_of::take(states.get(1), 4.0F), -1.0F));
  EXPECT_EQ(low, (std::vector<float>{range_of::infinity, -1, range_of::infinity}));
  EXPECT_EQ(high, (std::vector<float>{-range_of::infinity, 4, -range_of::infinity}));
  EXPECT_EQ(detail::finished<range_of>(states.get(1)), 5.0F);
}

/// The sum of squares of whole numbers, which is exact.
struct sum_of_squares {
  using state = std::int64_t;
  static constexpr state identity = 0;
  static constexpr bool commutes = true;
  static state take(state s, std::int32_t x) { return s + std::int64_t{x} * x; }
  static state merge(state a, state b) { return a + b; }
};

// 1^2 + ... + n^2 = n (n + 1) (2 n + 1) / 6, in whatever parts a fold takes the numbers.
TEST(Monoid, OfOneNumberTakesElementsStripsAndLayers) {
  constexpr index_t n = 1'003;
  std::vector<std::int32_t> x(n);
  for (index_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i + 1);
  const fold_kernel& kernel = monoid_fold<sum_of_squares, std::int32_t>();
  constexpr std::int64_t expected = n * (n + 1) * (2 * n + 1) / 6;
  EXPECT_EQ(testing::fold_all<std::int64_t>(kernel, x), expected);
  EXPECT_EQ(testing::fold_each<std::int64_t>(kernel, x), expected);
  testing::buffer<std::int32_t> in(x);
  testing::fold_states layers(kernel, n / 4);
  std::vector<const std::byte*> strips;
  for (index_t i = 0; i < 4; ++i) strips.push_back(in.bytes() + i * (n / 4) * 4);
  layers.take_layers(strips);
  EXPECT_EQ(layers.finish<std::int64_t>()[2], 3 * 3 + 253 * 253 + 503 * 503 + 753 * 753);
}

struct named_mean {
  static constexpr std::string_view name = "plain mean";
};

/// The mean, which needs the number of elements at the end.
struct plain_mean {
  using state = double;
  static constexpr state identity = 0;
  static state take(state s, double x) { return s + x; }
  static state merge(state a, state b) { return a + b; }
  static double finish(state s, double count) { return s / count; }
};

TEST(Monoid, MayFinishByTheNumberOfElements) {
  using fold = detail::statistic_fold<detail::named_monoid<plain_mean, named_mean>, double>;
  const fold_kernel& kernel = detail::known_fold<fold>();
  EXPECT_EQ(kernel.name, "plain mean<float64>");
  // Groups do not know how many elements they have taken.
  EXPECT_EQ(kernel.take_at, nullptr);
  EXPECT_EQ(testing::fold_all<double>(kernel, std::vector<double>{1, 2, 6}), 3);
}

}  // namespace
}  // namespace tessera
