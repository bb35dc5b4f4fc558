// SPDX-License-Identifier: Apache-2.0
#include "tessera/tessera.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {
namespace {

template <class Dims, class X>
constexpr bool has_dims(const X&) {
  return std::same_as<typename X::dims, Dims>;
}

const auto plain = zeros<double>({3, 4, 5});
const auto u = label<"time", "lat", "lon">(plain);
const auto clim = label<"lat", "lon">(zeros<double>({4, 5}));

static_assert(std::same_as<detail::union_of_dims<dims<"b">, dims<"a", "b", "c">, dims<"d", "a">>,
                           dims<"b", "a", "c", "d">>);
static_assert(std::same_as<detail::union_of_dims<dims<>, dims<>>, dims<>>);
static_assert(std::same_as<detail::dims_without<dims<"a", "b", "c">, 5>, dims<"b">>);
static_assert(std::same_as<detail::axes_by_name<dims<"a", "b", "c">, dim_list<"c", "a">>::type,
                           axis_list<2, 0>>);

TEST(Labelled, ChangesNoTypeOfAnExpression) {
  static_assert(
      std::same_as<std::remove_cvref_t<decltype((u + u).array())>, decltype(plain + plain)>);
  static_assert(std::same_as<std::remove_cvref_t<decltype((u - clim).array())>,
                             decltype(plain - clim.array())>);
  static_assert(std::same_as<std::remove_cvref_t<decltype(mean(u, dim<"lat">).array())>,
                             decltype(mean(plain, axis<1>))>);
  static_assert(sizeof(u) == sizeof(plain));
}

TEST(Labelled, PlansTheSameOperationsAsWithoutNames) {
  const auto x = random::uniform<double>({3, 4, 5});
  const auto named = label<"time", "lat", "lon">(x);
  EXPECT_EQ((named - mean(named, dim<"time">)).plan().num_operations(),
            (x - mean(x, axis<0>)).plan().num_operations());
  EXPECT_EQ((named - mean(named, dim<"lat">)).plan().num_operations(),
            (x - mean(x, axis<1>, keepdims)).plan().num_operations());
}

TEST(Labelled, ResultsHaveTheNamesOfTheirAxes) {
  EXPECT_TRUE((has_dims<dims<"time", "lat", "lon">>(u - clim)));
  EXPECT_TRUE((has_dims<dims<"lat", "lon", "time">>(clim - u)));
  EXPECT_TRUE((has_dims<dims<"lon">>(sum(u, dim<"lat", "time">))));
  EXPECT_TRUE((has_dims<dims<"lon">>(sum(u, axis<0, -2>))));
  EXPECT_TRUE((has_dims<dims<>>(sum(u))));
  EXPECT_TRUE((has_dims<dims<"lat", "lon", "time">>(permute_dims(u, dim<"lat", "lon", "time">))));
  EXPECT_TRUE((has_dims<dims<"quantile", "lon">>(quantile(u, {0.2, 0.5}, dim<"time", "lat">))));
  EXPECT_TRUE((has_dims<dims<"time", "lat", "lon", "">>(sliding_window_view(u, 2, dim<"lat">))));
  EXPECT_TRUE((has_dims<dims<"year", "lat", "lon">>(rename<"time", "year">(u))));
  EXPECT_TRUE((has_dims<dims<"time", "", "lon">>(u(whole, 1, newaxis, ellipsis))));
}

/// Tells whether `X` is the expression `E` with the names `Dims`.
template <class X, class Dims, class E>
constexpr bool is_named =
    std::same_as<typename X::dims, Dims>&& std::same_as<typename X::expression_type, E>;

TEST(Labelled, ElementwiseFunctionsTakeNamesAndKeepTheirExpression) {
  using names = dims<"time", "lat", "lon">;
  static_assert(is_named<decltype(-u), names, decltype(-plain)>);
  static_assert(is_named<decltype(2.0 / u), names, decltype(2.0 / plain)>);
  static_assert(is_named<decltype(angle(u)), names, decltype(angle(plain))>);
  static_assert(is_named<decltype(float_power(u, 2)), names, decltype(float_power(plain, 2))>);
  static_assert(is_named<decltype(clip(u, none, 3)), names, decltype(clip(plain, none, 3))>);
  static_assert(is_named<decltype(rint(u)), names, decltype(rint(plain))>);
  static_assert(is_named<decltype(nan_to_num(u)), names, decltype(nan_to_num(plain))>);
  static_assert(is_named<decltype(astype<bool>(u)), names, decltype(astype<bool>(plain))>);
  static_assert(std::same_as<decltype(astype<double>(u)), std::remove_cv_t<decltype(u)>>);
  using parts = decltype(modf(plain));
  static_assert(
      is_named<std::tuple_element_t<1, decltype(modf(u))>, names, std::tuple_element_t<1, parts>>);
}

TEST(Labelled, ElementwiseFunctionsOfSeveralArraysAlignThem) {
  const auto x = random::uniform<double>({3, 4});
  const auto y = random::uniform<double>({4}, {.seed = 2});
  const auto a = label<"time", "lat">(x);
  const auto b = label<"lat">(y);
  const auto selected = select(b<0.5, a, a> 0.5, b, 1.0);
  EXPECT_TRUE((has_dims<dims<"lat", "time">>(selected)));
  EXPECT_EQ(selected.T().array().compute(), select(y<0.5, x, x> 0.5, y, 1.0).compute());
  const auto pieces = piecewise(
      a, b < 0.5, [](const auto& v) { return v * 2.0; }, 0.0);
  EXPECT_EQ(pieces.array().compute(), piecewise(
                                          x, y < 0.5, [](const auto& v) { return v * 2.0; }, 0.0)
                                          .compute());
  const auto product = [](double v, double w) { return v * w; };
  EXPECT_EQ(map(product, a, b).array().compute(), (x * y).compute());
  EXPECT_EQ(isclose(a, b, {.atol = 0.1}).array().compute(), isclose(x, y, {.atol = 0.1}).compute());
}

TEST(Labelled, FunctionsAlongDimensionsAreTheFunctionsAlongTheirAxes) {
  using kept = dims<"time", "lon">;
  using names = dims<"time", "lat", "lon">;
  static_assert(is_named<decltype(ptp(u, dim<"lat">)), kept, decltype(ptp(plain, axis<1>))>);
  static_assert(
      is_named<decltype(moment(u, 3, dim<"lat">)), kept, decltype(moment(plain, 3, axis<1>))>);
  static_assert(is_named<decltype(vector_norm(u, dim<"lat">, order<1>)), kept,
                         decltype(vector_norm(plain, axis<1>, order<1>))>);
  static_assert(is_named<decltype(nanvar(u, dim<"lat">, correction(1))), kept,
                         decltype(nanvar(plain, axis<1>, correction(1)))>);
  static_assert(
      is_named<decltype(topk(u, 2, dim<"lat">)), names, decltype(topk(plain, 2, axis<1>))>);
  static_assert(is_named<decltype(mode(u, dim<"lat">)), kept, decltype(mode(plain, axis<1>))>);
  static_assert(is_named<decltype(ffill(u, dim<"lat">)), names, decltype(ffill(plain, axis<1>))>);
  static_assert(is_named<decltype(hfft(u, dim<"lat">)), names, decltype(hfft(plain, axis<1>))>);
  static_assert(
      is_named<decltype(rfftn(u, dim<"lat", "lon">)), names, decltype(rfftn(plain, axis<1, 2>))>);
  const auto x = random::uniform<double>({3, 4, 5});
  const auto named = label<"time", "lat", "lon">(x);
  EXPECT_EQ(cumulative_sum<float>(named, dim<"lat">).array().compute(),
            cumulative_sum<float>(x, axis<1>).compute());
  EXPECT_EQ(rolling_mean(named, 3, dim<"lat">).array().compute(),
            rolling_mean(x, 3, axis<1>).compute());
}

TEST(Labelled, AreFilteredAlongDimensions) {
  const auto x = random::uniform<double>({3, 4, 6});
  const auto named = label<"time", "lat", "lon">(x);
  const auto smooth = gaussian_filter(named, 0.5, dim<"lat", "lon">);
  EXPECT_TRUE((has_dims<dims<"time", "lat", "lon">>(smooth)));
  EXPECT_EQ(smooth.array().compute(), gaussian_filter(x, 0.5, axis<1, 2>).compute());
  const auto means = uniform_filter(named, 3, dim<"time">, boundary::wrap);
  EXPECT_EQ(means.array().compute(), uniform_filter(x, 3, axis<0>, boundary::wrap).compute());
  const auto coarse = coarsen(op::mean{}, rename<"time", "t">(named(slice(0, 2))), 2);
  EXPECT_EQ(coarse.array().compute(), coarsen(op::mean{}, x(slice(0, 2)), {2, 2, 2}).compute());
  const auto latitudes = label<"lat">(arange<double>(4));
  EXPECT_EQ(nearest(latitudes, {2.2, 9.0}).values(), (std::vector<index_t>{2, 3}));
}

TEST(Labelled, AxesThatAreNoneOfTheArraysHaveNoNames) {
  static_assert(!labelled_array<decltype(diagonal(u, 0, dim<"lat", "lon">))>);
  static_assert(!labelled_array<decltype(sum(u, axis_at(0)))>);
  static_assert(labelled_array<decltype(flip(u))>);
}

TEST(Labelled, AVariableTakesOtherValuesInItsOwnOrder) {
  labelled<array<double, 3>, dims<"time", "lat", "lon">> x = clim + u;
  for (int i = 0; i < 2; ++i) x = clim + x + 1.0;
  EXPECT_EQ(x.shape(), (std::array<index_t, 3>{3, 4, 5}));
  EXPECT_EQ(sum(x).compute()(), 2 * 60);
}

TEST(Labelled, AnAssignmentKeepsTheOrderOfTheVariable) {
  labelled<array<double, 2>, dims<"lon", "lat">> x = label<"lat", "lon">(ones<double>({4, 5}));
  x += clim;
  x *= 3.0;
  EXPECT_EQ(x.shape(), (std::array<index_t, 2>{5, 4}));
  EXPECT_EQ(sum(x).compute()(), 60);
  labelled<array<double, 1>, dims<"lat">> short_one(array<double, 1>(ones<double>({1})));
  EXPECT_THROW((short_one += label<"lat">(ones<double>({3}))), shape_error);
}

TEST(Labelled, ExtentsOfOneNameThatDifferAreAShapeError) {
  const auto shorter = label<"lat">(zeros<double>({3}));
  EXPECT_THROW(static_cast<void>(u + shorter), shape_error);
}

/// The elements of an array of rank 3 with names, for plain loops.
template <class X>
double element_of(const X& values, const std::array<std::string_view, 3>& names,
                  const std::array<index_t, 4>& at) {
  constexpr std::array<std::string_view, 4> letters{"a", "b", "c", "d"};
  std::array<index_t, 3> position{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    position[axis] = at[detail::position_of(names[axis], letters)];
  return values(position[0], position[1], position[2]);
}

/// Compares `x * 2 - y` of all orders of three of the dimensions a, b, c and d with a plain loop.
template <class Xs, class Ys>
void check_pair(std::mt19937& random) {
  constexpr std::array<std::string_view, 4> letters{"a", "b", "c", "d"};
  constexpr std::array<index_t, 4> extents{2, 3, 4, 2};
  const auto array_of = [&]<class Dims>(Dims) {
    std::array<index_t, 3> shape{};
    for (std::size_t i = 0; i < 3; ++i)
      shape[i] = extents[detail::position_of(Dims::names[i], letters)];
    ndarray<double, 3> values(shape);
    for (double& value : values.span()) value = static_cast<double>(random() % 100);
    return values;
  };
  const auto x = array_of(Xs{});
  const auto y = array_of(Ys{});
  const auto result =
      labelled<array<double, 3>, Xs>(asarray(x)) * 2.0 - labelled<array<double, 3>, Ys>(asarray(y));
  using names = typename decltype(result)::dims;
  const auto computed = result.compute();
  std::array<index_t, 4> at{};
  computed.view().for_each([&](double value, const index_vector& position) {
    for (std::size_t i = 0; i < names::size; ++i) {
      at[detail::position_of(names::names[i], letters)] = position[i];
    }
    const double expected = element_of(x, Xs::names, at) * 2 - element_of(y, Ys::names, at);
    ASSERT_EQ(value, expected);
  });
  EXPECT_EQ(computed.size(), names::size == 4 ? 48 : 24);
}

TEST(Labelled, ArithmeticOfAnyOrdersIsThatOfAPlainLoop) {
  std::mt19937 random(7);
  using abc = dims<"a", "b", "c">;
  check_pair<abc, abc>(random);
  check_pair<abc, dims<"a", "c", "b">>(random);
  check_pair<abc, dims<"b", "a", "c">>(random);
  check_pair<abc, dims<"b", "c", "a">>(random);
  check_pair<abc, dims<"c", "a", "b">>(random);
  check_pair<abc, dims<"c", "b", "a">>(random);
  check_pair<abc, dims<"d", "a", "b">>(random);
  check_pair<dims<"d", "b", "a">, abc>(random);
  check_pair<dims<"c", "d", "b">, dims<"a", "b", "d">>(random);
}

}  // namespace
}  // namespace tessera
