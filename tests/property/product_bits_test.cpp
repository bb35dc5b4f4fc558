// SPDX-License-Identifier: Apache-2.0

/// \file
/// The bits of matrix products: they depend on neither workers nor memory, and plans may merge
/// and cut products.

#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "property/result_bits.hpp"
#include "property/samples.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <rapidcheck/gtest.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace samples;
using namespace tessera::literals;
using result_bits::bits;
using result_bits::bits_of;
using result_bits::bits_of_all;
using result_bits::circumstances;
using result_bits::unlike;
using tessera::testing::temporary_directory;

const std::vector<std::size_t> none;

circumstances pick_circumstances() {
  circumstances picked{pick_spec(), pick_passes(), pick_run(), *rc::gen::arbitrary<bool>()};
  // Another program in the same directory may have other bits.
  picked.settings.resume = ts::resume_mode::never;
  picked.passes.cut_blocks = *rc::gen::arbitrary<bool>();
  picked.passes.stage_rechunks = *rc::gen::arbitrary<bool>();
  picked.limits.costs.workers = *rc::gen::element<std::size_t>(1, 7, 64, 10'000);
  picked.limits.allowed_memory = *rc::gen::element(40_MB, 100_MB, 2_GB);
  return picked;
}

/// Numbers in (-1, 1): their sums are rounded. Sums of integers wrap.
template <class T>
T number(std::uint32_t& state) {
  state = state * 1664525U + 1013904223U;
  const double value = static_cast<double>(state) / 2147483648.0 - 1;
  if constexpr (std::integral<T>) {
    return static_cast<T>(value * static_cast<double>(std::numeric_limits<T>::max()) / 2);
  } else if constexpr (std::floating_point<T>) {
    return static_cast<T>(value);
  } else {
    using part = typename T::value_type;
    return {static_cast<part>(value), number<part>(state)};
  }
}

template <class T, std::size_t N>
ts::ndarray<T, N> numbers(const std::array<index_t, N>& shape, std::uint32_t seed) {
  ts::ndarray<T, N> values(shape);
  for (T& value : values.span()) value = number<T>(seed);
  return values;
}

template <std::size_t N>
std::array<index_t, N> pick_chunks(const std::array<index_t, N>& shape) {
  std::array<index_t, N> chunks{};
  for (std::size_t axis = 0; axis < N; ++axis) chunks[axis] = pick(1, shape[axis]);
  return chunks;
}

/// Factors of random extents and chunks, and their products.
template <class T>
class products {
 public:
  explicit products(index_t longest)
      : a_(numbers<T, 2>({pick(1, longest), pick(1, longest)}, 1)),
        b_(numbers<T, 2>({a_.shape()[1], pick(1, longest)}, 2)),
        c_(numbers<T, 2>({b_.shape()[1], pick(1, longest)}, 3)),
        stack_(numbers<T, 3>({pick(1, 4), pick(1, 40), a_.shape()[0]}, 4)) {
    chunks_of_a_ = pick_chunks(a_.shape());
    chunks_of_b_ = pick_chunks(b_.shape());
    chunks_of_c_ = pick_chunks(c_.shape());
    chunks_of_stack_ = pick_chunks(stack_.shape());
    start_ = pick(0, a_.shape()[0] - 1);
    stop_ = pick(start_ + 1, a_.shape()[0]);
  }

  [[nodiscard]] std::vector<bits> run(const circumstances& in) const {
    const ts::array<T, 2> a = ts::asarray(a_, {.chunks = chunks_of_a_, .spec = in.limits});
    const ts::array<T, 2> b = ts::asarray(b_, {.chunks = chunks_of_b_, .spec = in.limits});
    const ts::array<T, 2> c = ts::asarray(c_, {.chunks = chunks_of_c_, .spec = in.limits});
    const ts::array<T, 3> stack =
        ts::asarray(stack_, {.chunks = chunks_of_stack_, .spec = in.limits});
    const ts::array<T, 2> ab = ts::matmul(a, b);
    // Sums of elements are rounded once, in any loop.
    return bits_of_all(
        in, ab, ts::matmul(a + a, b), ts::matmul(a, b + b) + ab,
        ts::sum(ts::matmul(a, b), ts::axis<1>), ts::sum(ab + ab, ts::axis<0>),
        ts::matmul(ts::matrix_transpose(a), a), ts::matmul(ts::matmul(a, b), c),
        ts::matrix_transpose(ab)(ts::whole, ts::slice(start_, stop_)) + T(1), ts::matmul(stack, a),
        ts::matmul(a, ts::sum(b, ts::axis<1>)), ts::einsum<"smi,ij->smj">(stack, a + a),
        ts::einsum<"smi,smj->ij">(stack, stack), ts::einsum<"smi,tmi->st">(stack + stack, stack),
        ts::einsum<"smi,ij->jsm">(stack, a), ts::einsum<"smi,ij->sjm">(stack, a + a),
        ts::cumulative_sum(ab, ts::axis<1>), ts::take(ab, rows(), ts::axis<0>));
  }

 private:
  [[nodiscard]] ts::array<std::int64_t, 1> rows() const {
    return ts::asarray(std::vector<std::int64_t>{start_, 0, stop_ - 1, start_});
  }

  ts::ndarray<T, 2> a_, b_, c_;
  ts::ndarray<T, 3> stack_;
  std::array<index_t, 2> chunks_of_a_, chunks_of_b_, chunks_of_c_;
  std::array<index_t, 3> chunks_of_stack_;
  index_t start_ = 0;
  index_t stop_ = 0;
};

template <class T>
void expect_equal_bits() {
  const products<T> program(pick(1, 4) == 4 ? 300 : 60);
  circumstances plain;
  plain.settings.resume = ts::resume_mode::never;
  RC_ASSERT(unlike(program.run(pick_circumstances()), program.run(plain)) == none);
}

RC_GTEST_PROP(ProductBits, OfFloat32DependOnNeitherWorkersNorMemoryNorPlans, ()) {
  expect_equal_bits<float>();
}
RC_GTEST_PROP(ProductBits, OfFloat64DependOnNeitherWorkersNorMemoryNorPlans, ()) {
  expect_equal_bits<double>();
}
RC_GTEST_PROP(ProductBits, OfComplex64DependOnNeitherWorkersNorMemoryNorPlans, ()) {
  expect_equal_bits<ts::complex64>();
}
RC_GTEST_PROP(ProductBits, OfComplex128DependOnNeitherWorkersNorMemoryNorPlans, ()) {
  expect_equal_bits<ts::complex128>();
}
RC_GTEST_PROP(ProductBits, OfIntegersDependOnNeitherWorkersNorMemoryNorPlans, ()) {
  expect_equal_bits<std::int32_t>();
}

/// Returns the sum of `inner` products, and the sum of the products of absolute values.
template <class T>
std::pair<std::complex<long double>, long double> exact_sum(const ts::ndarray<T, 2>& a,
                                                            const ts::ndarray<T, 2>& b, index_t i,
                                                            index_t j) {
  std::complex<long double> sum = 0;
  long double absolute = 0;
  for (index_t k = 0; k < b.shape()[0]; ++k) {
    const std::complex<long double> x(a(i, k));
    const std::complex<long double> y(b(k, j));
    sum += std::complex<long double>(x.real() * y.real() - x.imag() * y.imag(),
                                     x.real() * y.imag() + x.imag() * y.real());
    absolute +=
        (std::abs(x.real()) + std::abs(x.imag())) * (std::abs(y.real()) + std::abs(y.imag()));
  }
  return {sum, absolute};
}

/// Compares a product with sums in long double. Each part of a sum of n products is a sum of at
/// most 2 n real ones, in any order: it is within g / (1 - g) of the sum of absolute values, with
/// g = (2 n + 2) u (Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1).
template <class T, class Part>
void expect_near_exact_sums(const std::array<index_t, 3>& extents,
                            const std::array<index_t, 3>& chunks) {
  const auto [rows, inner, columns] = extents;
  const auto a = numbers<T, 2>({rows, inner}, 5);
  const auto b = numbers<T, 2>({inner, columns}, 6);
  const auto computed = ts::matmul(ts::asarray(a, {.chunks = {chunks[0], chunks[1]}}),
                                   ts::asarray(b, {.chunks = {chunks[1], chunks[2]}}))
                            .compute();
  const long double g =
      static_cast<long double>(2 * inner + 2) * (std::numeric_limits<Part>::epsilon() / 2);
  for (index_t i = 0; i < rows; i += 1 + rows / 37) {
    for (index_t j = 0; j < columns; j += 1 + columns / 31) {
      const auto [sum, absolute] = exact_sum(a, b, i, j);
      const std::complex<long double> actual(computed(i, j));
      const long double most = g / (1 - g) * absolute;
      ASSERT_LE(std::abs(actual.real() - sum.real()), most) << i << ", " << j;
      ASSERT_LE(std::abs(actual.imag() - sum.imag()), most) << i << ", " << j;
    }
  }
}

TEST(ProductBits, AreThoseOfSumsWithinTheirRounding) {
  expect_near_exact_sums<float, float>({700, 300, 1300}, {700, 300, 1300});
  expect_near_exact_sums<double, double>({700, 530, 1100}, {350, 100, 1100});
  expect_near_exact_sums<ts::complex64, float>({300, 40, 700}, {300, 40, 350});
  expect_near_exact_sums<ts::complex128, double>({300, 40, 700}, {100, 20, 700});
  expect_near_exact_sums<double, double>({7, 100'000, 5}, {7, 3000, 5});
}

/// A product of several tiles, and the Gram matrix of a long factor, which takes partial sums.
template <class T>
class large_products {
 public:
  large_products(const std::array<index_t, 3>& extents, const std::array<index_t, 3>& chunks)
      : a_(numbers<T, 2>({extents[0], extents[1]}, 1)),
        b_(numbers<T, 2>({extents[1], extents[2]}, 2)),
        chunks_(chunks) {}

  [[nodiscard]] std::vector<bits> run(const circumstances& in) const {
    const auto [ab, least, gram] = results(in.limits);
    const auto [first, second, third] = ts::plan(in.passes, in.settings, ab, least, gram).compute();
    return {bits_of(first), bits_of(second), bits_of(third)};
  }

  /// Returns the same bits, of a plan that is saved and loaded. A task holds whole chunks of stored
  /// results, encoded and decoded.
  [[nodiscard]] std::vector<bits> run_loaded(circumstances in) const {
    in.limits.allowed_memory = std::max(in.limits.allowed_memory, 200_MB);
    const temporary_directory folder;
    const auto [ab, least, gram] = results(in.limits);
    ts::plan(in.passes, in.settings, ts::stored(ab, folder / "ab"),
             ts::stored(least, folder / "least"), ts::stored(gram, folder / "gram"))
        .save(folder / "plan");
    ts::plan<>::load(folder / "plan").execute(in.settings);
    return {bits_of(ts::open<T, 2>(folder / "ab").compute()),
            bits_of(ts::open<T, 1>(folder / "least").compute()),
            bits_of(ts::open<T, 2>(folder / "gram").compute())};
  }

  /// Returns the bits of the product. A run as `in` says computes it, half of its chunks are lost,
  /// and a run as `behind` says computes the lost chunks.
  [[nodiscard]] bits run_continued(const circumstances& in, const circumstances& behind) const {
    const auto store = std::make_shared<ts::memory_store>();
    const auto run_in = [&](circumstances circumstance) {
      circumstance.settings.resume = ts::resume_mode::automatic;
      ts::plan(circumstance.passes, circumstance.settings,
               ts::stored(std::get<0>(results(circumstance.limits)), store, "ab"))
          .execute();
    };
    run_in(in);
    bool is_kept = false;
    for (const std::string& key : store->list("ab")) {
      if (key.find("/.") != std::string::npos) continue;
      if (!is_kept) store->erase(key);
      is_kept = !is_kept;
    }
    run_in(behind);
    return bits_of(ts::open<T, 2>(store, "ab").compute());
  }

 private:
  [[nodiscard]] std::tuple<ts::array<T, 2>, ts::array<T, 1>, ts::array<T, 2>> results(
      const ts::spec& limits) const {
    const ts::array<T, 2> a = ts::asarray(a_, {.chunks = {chunks_[0], chunks_[1]}, .spec = limits});
    const ts::array<T, 2> b = ts::asarray(b_, {.chunks = {chunks_[1], chunks_[2]}, .spec = limits});
    const ts::array<T, 2> x = ts::asarray(x_, {.chunks = {1000, 10}, .spec = limits});
    return {ts::matmul(a, b), ts::min(ts::matmul(a, b + b), ts::axis<1>),
            ts::matmul(ts::matrix_transpose(x), x)};
  }

  ts::ndarray<T, 2> a_, b_;
  std::array<index_t, 3> chunks_;
  ts::ndarray<T, 2> x_ = numbers<T, 2>({50'000, 10}, 3);
};

circumstances plain() {
  circumstances usual;
  usual.settings.resume = ts::resume_mode::never;
  return usual;
}

template <class T>
large_products<T> pick_large_products() {
  const std::array<index_t, 3> extents{pick(300, 2200), pick(20, 60), pick(300, 2200)};
  const auto pick_chunk = [](index_t extent) {
    return *rc::gen::elementOf(
        std::vector<index_t>{extent, ts::ceil_divide(extent, 2), 600, 770, 1024});
  };
  return {extents, {pick_chunk(extents[0]), pick(9, extents[1]), pick_chunk(extents[2])}};
}

template <class T>
void expect_large_products_are_equal() {
  const large_products<T> program = pick_large_products<T>();
  const circumstances in = pick_circumstances();
  const bool is_loaded = *rc::gen::arbitrary<bool>();
  const std::vector<bits> expected = program.run(plain());
  RC_ASSERT(unlike(is_loaded ? program.run_loaded(in) : program.run(in), expected) == none);
}

RC_GTEST_PROP(LargeProductBits, OfFloat32DependOnNeitherWorkersNorMemoryNorPlans, ()) {
  expect_large_products_are_equal<float>();
}
RC_GTEST_PROP(LargeProductBits, OfFloat64DependOnNeitherWorkersNorMemoryNorPlans, ()) {
  expect_large_products_are_equal<double>();
}

TEST(LargeProductBits, AreThoseOfOneRunIfAnotherRunContinuesIt) {
  const large_products<float> program({1400, 90, 2600}, {700, 90, 1300});
  circumstances small = plain();
  small.limits.allowed_memory = 30_MB;
  small.passes.cut_blocks = false;
  circumstances large = plain();
  large.limits.allowed_memory = 2_GB;
  large.limits.costs.workers = 64;
  const bits expected = program.run(plain()).front();
  EXPECT_TRUE(program.run_continued(small, large) == expected);
  EXPECT_TRUE(program.run_continued(large, small) == expected);
}

}  // namespace
