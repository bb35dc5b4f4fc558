// SPDX-License-Identifier: Apache-2.0
// Functions of users with the names of Tessera's: an unqualified call of an array and of a type of
// the user finds both, and takes the user's.
#include <gtest/gtest.h>
#include <string>
#include <tessera/tessera.hpp>

namespace survey {

/// Arrays in it make Tessera's namespace one in which functions of it are looked up.
template <class X>
struct field {
  X values;
};
struct unit {};
struct tolerance {
  double value;
  operator double() const { return value; }
};

// clang-format off
template <class X> std::string log(X, unit) { return "log"; }
template <class X, class U> std::string where(X, U) { return "where"; }
template <class A, class B, class C> std::string isclose(const A&, const B&, C) { return "isclose"; }
template <class A, class B, class C> std::string allclose(A, B, C) { return "allclose"; }
template <class X, class F> std::string map(X, F) { return "map"; }
template <class X, class N> std::string rolling(X, field<N>) { return "rolling"; }
template <class X> std::string rolling_mean(X, int, tessera::axis_list<0>, unit) { return "rolling_mean"; }
template <class X, class U> std::string exp(X, U) { return "exp"; }
template <class X, class U> std::string add(X, U, U) { return "add"; }
template <class X, class U> std::string coarsen(X, U) { return "coarsen"; }
template <class X, class U> std::string searchsorted(X, U) { return "searchsorted"; }
template <class X, class U> std::string tensordot(X, U, int) { return "tensordot"; }
template <class X, class U> std::string pad(X, U, const char*) { return "pad"; }
template <class X, class U> std::string take(X, U, int) { return "take"; }
template <class X, class F, class A> std::string apply_along_axis(X, F, A) { return "apply_along_axis"; }
template <class X, class U> std::string clip(X, U) { return "clip"; }
template <class... U> std::string sqrt(U...) { return "sqrt"; }
template <class... U> std::string pow(U...) { return "pow"; }
// clang-format on

namespace {

TEST(NamesOfUsers, AreFoundBeforeRefusedOverloads) {
  const auto x = tessera::zeros<double>({3, 3});
  const field<tessera::array<double, 2>> y{x};
  EXPECT_EQ(log(x, unit{}), "log");
  EXPECT_EQ(where(x, unit{}), "where");
  EXPECT_EQ(where(x, y), "where");
  EXPECT_EQ(isclose(x, y, 1.0), "isclose");
  EXPECT_EQ(isclose(y, x, 1.F), "isclose");
  EXPECT_EQ(isclose(x, y, tolerance{1}), "isclose");
  EXPECT_EQ(allclose(x, unit{}, 1.0), "allclose");
  EXPECT_EQ(allclose(x, y, tolerance{1}), "allclose");
  EXPECT_EQ(map(x, unit{}), "map");
  EXPECT_EQ(rolling(x, y), "rolling");
  EXPECT_EQ(rolling_mean(x, 3, tessera::axis<0>, unit{}), "rolling_mean");
  EXPECT_EQ(exp(x, unit{}), "exp");
  EXPECT_EQ(add(x, unit{}, unit{}), "add");
  EXPECT_EQ(coarsen(x, unit{}), "coarsen");
  EXPECT_EQ(searchsorted(x, unit{}), "searchsorted");
  EXPECT_EQ(tensordot(x, y, 1), "tensordot");
  EXPECT_EQ(pad(x, unit{}, "edge"), "pad");
  EXPECT_EQ(take(x, unit{}, 0), "take");
  EXPECT_EQ(apply_along_axis(x, unit{}, unit{}), "apply_along_axis");
  EXPECT_EQ(clip(x, unit{}), "clip");
  EXPECT_EQ(sqrt(x, unit{}), "sqrt");
  EXPECT_EQ(pow(x, unit{}, unit{}), "pow");
}

TEST(NamesOfUsers, LeaveTesserasFunctionsToArraysAlone) {
  const auto x = tessera::asarray({1.0, 4.0});
  EXPECT_EQ(tessera::isclose(x, x, {}).compute(), (tessera::ndarray<bool, 1>::of({true, true})));
  EXPECT_TRUE(tessera::allclose(x, x, {}).compute()());
  EXPECT_EQ(tessera::cumulative_sum(x, {.include_initial = true}).compute(),
            (tessera::ndarray<double, 1>::of({0.0, 1.0, 5.0})));
}

}  // namespace
}  // namespace survey
