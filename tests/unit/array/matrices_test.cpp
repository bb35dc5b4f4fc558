// SPDX-License-Identifier: Apache-2.0

/// \file
/// Functions of whole matrices, by their laws. Values are compared with NumPy's by cases.py.

#include "tessera/tessera.hpp"

#include "unit/array/holds.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>

namespace tessera {
namespace {

using test::holds;
using ::testing::HasSubstr;
using testing::temporary_directory;

template <class T>
array<T, 3> random_matrices(std::mt19937& generator, const std::array<index_t, 3>& shape) {
  std::normal_distribution<double> normal;
  ndarray<T, 3> values(shape);
  for (T& value : values.span()) {
    if constexpr (std::is_arithmetic_v<T>) {
      value = static_cast<T>(normal(generator));
    } else {
      const auto part = [&] { return static_cast<real_t<T>>(normal(generator)); };
      const auto re = part();
      value = T(re, part());
    }
  }
  index_vector chunks;
  for (const index_t extent : shape) {
    chunks.push_back(
        std::uniform_int_distribution<index_t>(1, std::max<index_t>(1, extent))(generator));
  }
  return asarray(std::move(values), {.chunks = {chunks[0], chunks[1], chunks[2]}});
}

template <array_expression X>
auto adjoint(const X& x) {
  if constexpr (std::is_arithmetic_v<typename X::value_type>) {
    return matrix_transpose(x);
  } else {
    return conj(matrix_transpose(x));
  }
}

/// Returns the greatest magnitude of an element of `x`, or 0 if it is empty.
template <array_expression X>
double greatest(const X& x) {
  double most = 0;
  const auto values = x.compute();
  for (const auto& value : values.span()) {
    const double size = std::abs(value);
    most = std::isnan(size) ? size : std::max(most, size);
  }
  return most;
}

template <class T>
class Matrices : public ::testing::Test {
 protected:
  static constexpr double close = 2e3 * std::numeric_limits<real_t<T>>::epsilon();

  template <array_expression A, array_expression B>
  static void expect_close(const A& a, const B& b, const std::string& context) {
    ASSERT_EQ(a.shape(), b.shape()) << context;
    EXPECT_LE(greatest(a - b), close * std::max(1.0, greatest(b))) << context;
  }
  template <array_expression Q>
  static void expect_orthonormal(const Q& q, const std::string& context) {
    const index_t n = q.shape().back();
    expect_close(matmul(adjoint(q), q), broadcast_to(eye<T>(n), {q.shape()[0], n, n}), context);
  }

  template <array_expression X, class Factors>
  static void expect_qr(const X& x, const Factors& factors, const std::string& context) {
    const auto& [q, r] = factors;
    expect_close(matmul(q, r), x, context);
    expect_orthonormal(q, context);
    EXPECT_EQ(greatest(r - triu(r)), 0) << context;
    EXPECT_TRUE(holds(real(diagonal(r, 0, axis<1, 2>)) >= real_t<T>(0))) << context;
  }

  template <array_expression X, class Factors>
  static void expect_svd(const X& x, const Factors& factors, const std::string& context) {
    const index_t size = std::min(x.shape()[1], x.shape()[2]);
    const auto& [u, s, vh] = factors;
    expect_orthonormal(u, context);
    expect_orthonormal(adjoint(vh), context);
    EXPECT_TRUE(holds(s >= real_t<T>(0))) << context;
    EXPECT_TRUE(holds(s(whole, slice(1, none)) <= s(whole, slice(none, -1)))) << context;
    expect_close(matmul(u(ellipsis, slice(0, size)) * astype<T>(s(whole, newaxis)),
                        vh(whole, slice(0, size))),
                 x, context);
    expect_close(s, svdvals(x), context);
  }
};

using element_types = ::testing::Types<float, double, complex64, complex128>;
TYPED_TEST_SUITE(Matrices, element_types);

TYPED_TEST(Matrices, KeepTheLawsOfTheirFactors) {
  using T = TypeParam;
  std::mt19937 generator(7);
  const std::array<index_t, 3> shapes[]{{1, 1, 1}, {3, 6, 6},  {2, 9, 4},  {2, 4, 9},
                                        {4, 1, 5}, {3, 20, 1}, {1, 40, 33}};
  for (const auto& shape : shapes) {
    const auto x = random_matrices<T>(generator, shape);
    const std::string context = std::to_string(shape[1]) + " x " + std::to_string(shape[2]);
    this->expect_qr(x, qr(x), context);
    this->expect_qr(x, qr(x, full_matrices), context);
    const auto [order, l, upper] = lu(x);
    this->expect_close(matmul(astype<T>(order), matmul(l, upper)), x, context);
    this->expect_orthonormal(astype<T>(order), context);
    EXPECT_TRUE(holds(order == real_t<T>(0) || order == real_t<T>(1))) << context;
    EXPECT_EQ(greatest(l - tril(l)) + greatest(upper - triu(upper)), 0) << context;
    EXPECT_TRUE(holds(diagonal(l, 0, axis<1, 2>) == T(1))) << context;
    EXPECT_TRUE(holds(abs(l) <= real_t<T>(2))) << context;
    this->expect_svd(x, svd(x), context);
    this->expect_svd(x, svd(x, full_matrices), context);
    EXPECT_EQ(std::get<0>(svd(x, full_matrices)).shape()[2], shape[1]);
    EXPECT_EQ(std::get<2>(svd(x, full_matrices)).shape()[1], shape[2]);
    // Penrose.
    const auto p = pinv(x);
    this->expect_close(matmul(matmul(x, p), x), x, context);
    this->expect_close(adjoint(matmul(p, x)), matmul(p, x), context);
  }
}

TYPED_TEST(Matrices, OfAsManyRowsAsColumnsKeepTheirLaws) {
  using T = TypeParam;
  std::mt19937 generator(8);
  for (const index_t n : {1, 2, 7, 50}) {
    const auto x = random_matrices<T>(generator, {3, n, n});
    const std::string context = std::to_string(n);
    const auto regular = array(x + static_cast<T>(static_cast<real_t<T>>(3 * n)) * eye<T>(n));
    const auto ones_here = broadcast_to(eye<T>(n), {3, n, n});
    this->expect_close(matmul(regular, inv(regular)), ones_here, context);
    this->expect_close(matmul(regular, solve(regular, x)), x, context);
    this->expect_close(matmul(tril(regular), solve_triangular(regular, x, lower_triangle)), x,
                       context);
    this->expect_close(matmul(triu(regular), solve_triangular(regular, x)), x, context);
    const auto hermitian = array(matmul(x, adjoint(x)) + eye<T>(n));
    const auto l = cholesky(hermitian);
    this->expect_close(matmul(l, adjoint(l)), hermitian, context);
    EXPECT_EQ(greatest(l - tril(l)), 0) << context;
    const auto [values, vectors] = eigh(hermitian);
    this->expect_orthonormal(vectors, context);
    this->expect_close(matmul(hermitian, vectors), vectors * astype<T>(values(whole, newaxis)),
                       context);
    EXPECT_TRUE(holds(values(whole, slice(none, -1)) <= values(whole, slice(1, none))));
    const auto [sign, logarithm] = slogdet(hermitian);
    this->expect_close(logarithm, sum(log(values), axis<1>), context);
    this->expect_close(sign, ones_like(sign), context);
    const auto half = array(x / static_cast<T>(static_cast<real_t<T>>(n)));
    this->expect_close(det(half),
                       std::get<0>(slogdet(half)) * astype<T>(exp(std::get<1>(slogdet(half)))),
                       context);
  }
}

// Libraries that decompose matrices keep memory of their own, which threads may not share.
TYPED_TEST(Matrices, AreDecomposedByManyThreadsAtOnce) {
  std::mt19937 generator(7);
  const array<TypeParam, 3> x =
      rechunk(random_matrices<TypeParam>(generator, {32, 40, 40}), {1, 40, 40});
  const run_with threads{.executor = executors::threads(8)};
  const auto [q, r] = qr(x);
  const auto [u, s, vh] = svd(x);
  const auto [values, vectors] = eigh(x + adjoint(x));
  const auto [made_q, made_r] = plan(q, r, threads).compute();
  const auto [made_u, made_s, made_vh] = plan(u, s, vh, threads).compute();
  const auto [made_values, made_vectors] = plan(values, vectors, threads).compute();
  const auto diagonal = [](const auto& of) {
    return asarray(of)(ellipsis, newaxis) * eye<real_t<TypeParam>>(40);
  };
  this->expect_close(matmul(asarray(made_q), asarray(made_r)), x, "QR");
  this->expect_close(matmul(matmul(asarray(made_u), diagonal(made_s)), asarray(made_vh)), x, "USV");
  const auto v = asarray(made_vectors);
  this->expect_close(matmul(matmul(v, diagonal(made_values)), adjoint(v)), x + adjoint(x), "VDV");
}

TYPED_TEST(Matrices, GiveNaNForNaN) {
  using T = TypeParam;
  std::mt19937 generator(9);
  const auto x = random_matrices<T>(generator, {2, 5, 5}) + T(10) * eye<T>(5);
  const auto position = arange<double>(0, 50, 1);
  const auto is_there = reshape(position == 30.0, {2, 5, 5});
  const auto y =
      array(where(is_there, static_cast<T>(std::numeric_limits<double>::quiet_NaN()), x));
  const auto is_nan = [](const auto& first, const auto& second) {
    return holds(isnan(second)) && !any(isnan(first)).compute()();
  };
  EXPECT_TRUE(is_nan(det(y)(0), det(y)(1)));
  EXPECT_TRUE(is_nan(svdvals(y)(0), svdvals(y)(1)));
  EXPECT_TRUE(is_nan(eigvalsh(y)(0), eigvalsh(y)(1)));
  const auto u = std::get<0>(svd(y));
  EXPECT_TRUE(is_nan(u(0), u(1)));
  EXPECT_TRUE(any(isnan(inv(y)(1))).compute()());
  EXPECT_FALSE(any(isnan(inv(y)(0))).compute()());
  const auto l = cholesky(matmul(y, adjoint(y)));
  EXPECT_FALSE(any(isnan(l(0))).compute()());
  EXPECT_TRUE(any(isnan(l(1))).compute()());
  EXPECT_TRUE(any(isnan(std::get<0>(qr(y))(1))).compute()());
}

TEST(MatricesWithout, ElementsAreWhatNumPySays) {
  const auto none_here = zeros<double>({3, 0, 0});
  EXPECT_EQ(inv(none_here).compute().shape(), (std::array<index_t, 3>{3, 0, 0}));
  EXPECT_EQ(cholesky(none_here).compute().size(), 0);
  EXPECT_TRUE(holds(det(none_here) == 1.0));
  const auto [sign, logarithm] = slogdet(none_here);
  EXPECT_TRUE(holds(sign == 1.0) && holds(logarithm == 0.0));
  EXPECT_EQ(solve(none_here, zeros<double>({3, 0, 2})).compute().shape(),
            (std::array<index_t, 3>{3, 0, 2}));
  const auto no_columns = zeros<double>({5, 0});
  EXPECT_EQ(std::get<0>(qr(no_columns)).compute().shape(), (std::array<index_t, 2>{5, 0}));
  EXPECT_EQ(std::get<1>(qr(no_columns)).compute().shape(), (std::array<index_t, 2>{0, 0}));
  EXPECT_EQ(svdvals(no_columns).compute().size(), 0);
  EXPECT_EQ(pinv(no_columns).compute().shape(), (std::array<index_t, 2>{0, 5}));
  EXPECT_EQ(inv(zeros<double>({0, 4, 4})).compute().shape(), (std::array<index_t, 3>{0, 4, 4}));
  EXPECT_EQ(det(zeros<double>({0, 4, 4})).compute().size(), 0);
}

template <class F>
void expect_refused(F f, const std::string& text) {
  try {
    f();
    ADD_FAILURE() << "was not refused: " << text;
  } catch (const error& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr(text));
  }
}

TEST(MatricesWithout, AResultAreNamed) {
  const auto x = where(reshape(arange<double>(0, 4, 1), {4, 1, 1}) == 2.0, 0.0, eye<double>(3));
  const auto y = array(rechunk(x, {1, 3, 3}));
  expect_refused([&] { static_cast<void>(inv(y).compute()); },
                 "inv: matrix (2,) is singular: pivot 0 of 3 is 0; pinv and lstsq");
  expect_refused([&] { static_cast<void>(solve(y, y).compute()); },
                 "solve: matrix (2,) is singular");
  expect_refused([&] { static_cast<void>(solve_triangular(y, y, lower_triangle).compute()); },
                 "solve_triangular: matrix (2,) is singular: pivot 0 of 3 is 0");
  expect_refused([&] { static_cast<void>(cholesky(y).compute()); },
                 "cholesky: matrix (2,) is not positive definite");
  expect_refused([&] { static_cast<void>(cholesky(-y(0)).compute()); },
                 "cholesky: the matrix is not positive definite");
  EXPECT_EQ(det(y).compute()(2), 0);
  EXPECT_EQ(std::get<1>(slogdet(y)).compute()(2), -std::numeric_limits<double>::infinity());
  EXPECT_LE(greatest(pinv(y) - y), 1e-14);
}

TEST(MatricesWithout, RoomAreRefusedWithTheSizeThatWouldDo) {
  const spec limits{.allowed_memory = bytes{100'000'000}};
  const auto large = zeros<double>({4000, 4000}, {.chunks = {500, 500}, .spec = limits});
  for (const auto refused : {+[](const array<double, 2>& x) { static_cast<void>(inv(x)); },
                             +[](const array<double, 2>& x) { static_cast<void>(lu(x)); },
                             +[](const array<double, 2>& x) { static_cast<void>(svd(x)); },
                             +[](const array<double, 2>& x) { static_cast<void>(eigh(x)); }}) {
    try {
      refused(large);
      ADD_FAILURE() << "was not refused";
    } catch (const memory_error& refusal) {
      EXPECT_THAT(refusal.what(), HasSubstr("one of 4000 x 4000 float64 takes"));
      EXPECT_THAT(refusal.what(), HasSubstr("of the 100 MB that it may use; matrices of"));
    }
  }
  expect_refused([&] { static_cast<void>(inv(large(whole, slice(0, 10)))); },
                 "inv: matrices of 4000 x 10 are not square");
  // The matrices that the message names do fit.
  std::string text;
  try {
    static_cast<void>(inv(large));
  } catch (const memory_error& refusal) {
    text = refusal.what();
  }
  const std::string before = "matrices of ";
  const index_t n = std::stol(text.substr(text.find(before) + before.size()));
  EXPECT_NO_THROW(static_cast<void>(inv(large(slice(0, n), slice(0, n)))));
  EXPECT_THROW(static_cast<void>(inv(large(slice(0, n + 10), slice(0, n + 10)))), memory_error);
}

TEST(MatricesOn, OtherProcessesAreTheSame) {
  const temporary_directory directory;
  std::mt19937 generator(10);
  const auto matrices = random_matrices<double>(generator, {4, 6, 6});
  store(matrices, directory / "x", {.chunks = {1, 6, 6}});
  const auto x = open<double, 3>(directory / "x");
  const auto [q, r] = qr(x);
  store(stored(q, directory / "q"), stored(r, directory / "r"),
        stored(lstsq(x, x).x, directory / "l"),
        stored(solve_triangular(x, x, lower_triangle), directory / "s"),
        run_with{.executor = executors::processes(2)});
  EXPECT_TRUE(holds(open<double, 3>(directory / "q") == q));
  EXPECT_TRUE(holds(open<double, 3>(directory / "r") == r));
  EXPECT_LE(greatest(open<double, 3>(directory / "l") - eye<double>(6)), 1e-9);
  const auto solved = open<double, 3>(directory / "s");
  EXPECT_TRUE(holds(solved == solve_triangular(x, x, lower_triangle)));
}

}  // namespace
}  // namespace tessera
