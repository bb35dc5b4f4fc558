// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/monoid.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
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
  EXPECT_EQ(monoid_states<range_of>::planes(),
            (std::vector<dtype>{dtype::float32, dtype::float32}));
  std::vector<float> low(3);
  std::vector<float> high(3);
  const std::array<std::byte*, 2> planes{reinterpret_cast<std::byte*>(low.data()),
                                         reinterpret_cast<std::byte*>(high.data())};
  const monoid_states<range_of> states(planes.data());
  for (index_t i = 0; i < 3; ++i) states.set(i, range_of::identity);
  states.set(1, range_of::take(range_of::take(states.get(1), 4.0F), -1.0F));
  EXPECT_EQ(low, (std::vector<float>{range_of::infinity, -1, range_of::infinity}));
  EXPECT_EQ(high, (std::vector<float>{-range_of::infinity, 4, -range_of::infinity}));
  EXPECT_EQ(detail::finished<range_of>(states.get(1)), 5.0F);
}

}  // namespace
}  // namespace tessera
