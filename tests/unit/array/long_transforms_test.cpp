// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/joining.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/random.hpp"
#include "tessera/array/store_target.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/fft.hpp"
#include "tessera/plan/passes.hpp"

#include "unit/array/counting_store.hpp"
#include "unit/array/support.hpp"

#include <cmath>
#include <complex>
#include <gmock/gmock.h>
#include <memory>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

namespace tessera {
namespace {

using namespace literals;

using ::testing::HasSubstr;
using ::testing::Not;

constexpr index_t size = 250'000;
constexpr bytes less_than_line{3'000'000};

template <class E>
std::string words_of(const E& e) {
  std::ostringstream out;
  out << plan(e);
  return out.str();
}

spec allowing(bytes memory) { return {.allowed_memory = memory}; }

/// Returns exp(2 pi i j k / n).
complex128 wave(index_t j, index_t k) {
  const double angle =
      2 * std::numbers::pi * static_cast<double>(j * k % size) / static_cast<double>(size);
  return {std::cos(angle), std::sin(angle)};
}

/// Returns 3 waves of one length and one of another, in a store, which a task cannot hold.
array<complex128, 1> two_waves(const std::shared_ptr<key_value_store>& store, bytes allowed) {
  ndarray<complex128, 1> values({size});
  for (index_t j = 0; j < size; ++j) values.data()[j] = 3.0 * wave(j, 12'345) + wave(j, 200'001);
  (void)plan(stored(asarray(std::move(values), {.chunks = {7001}}), store, "x",
                    {.compressor = codec::none{}}))
      .compute();
  return open<complex128, 1>(store, "x", allowing(allowed));
}

void expect_two_peaks(const ndarray<complex128, 1>& spectrum) {
  for (index_t k = 0; k < size; ++k) {
    const double expected = k == 12'345 ? 3 * size : k == 200'001 ? size : 0;
    ASSERT_LT(std::abs(spectrum.data()[k] - expected), 1e-9 * size) << "at " << k;
  }
}

TEST(LongTransforms, FindTheWavesOfALine) {
  const auto x = two_waves(std::make_shared<memory_store>(), less_than_line);
  EXPECT_THAT(words_of(fft(x)), HasSubstr("fft: rows"));
  expect_two_peaks(fft(x).compute());
}

TEST(LongTransforms, GiveTheLineBackByTheirInverse) {
  const auto x = two_waves(std::make_shared<memory_store>(), less_than_line);
  const auto back = ifft(fft(x, fft_norm::ortho), fft_norm::ortho).compute();
  for (index_t j = 0; j < size; ++j) {
    ASSERT_LT(std::abs(back.data()[j] - 3.0 * wave(j, 12'345) - wave(j, 200'001)), 1e-12);
  }
}

TEST(LongTransforms, ReadALineOnceOrTwiceAndWhatIsBetweenAsWell) {
  const auto store = std::make_shared<test::counting_store>();
  const auto x = two_waves(store, less_than_line);
  const long num_chunks = 36;
  const run_with serial{.executor = executors::serial()};
  const auto steps = plan(pass_switches{.memory_tier = false}, serial, fft(x));
  const long before = store->num_reads();
  expect_two_peaks(steps.compute());
  EXPECT_GE(store->num_reads() - before, num_chunks);
  EXPECT_LE(store->num_reads() - before, 2 * num_chunks);
  // The line, itself split, its columns and rows transformed.
  constexpr std::size_t once = size * sizeof(complex128);
  EXPECT_GE(steps.bytes_read().count(), 4 * once);
  EXPECT_LE(steps.bytes_read().count(), 6 * once);
  EXPECT_LE(steps.projected_memory(), less_than_line);
}

TEST(LongTransforms, AreMadeInStepsOnlyWhereNoTaskHoldsALine) {
  const auto store = std::make_shared<memory_store>();
  EXPECT_THAT(words_of(fft(two_waves(store, bytes{100'000'000}))), Not(HasSubstr("fft: rows")));
  const auto long_line = open<complex128, 1>(store, "x", allowing(less_than_line));
  EXPECT_THAT(words_of(ifft(long_line)), HasSubstr("fft: columns"));
}

TEST(LongTransforms, OfMoreElementsThanATransformHasAtOnceArePlanned) {
  const index_t n = index_t{1} << 34;
  const auto x =
      zeros<complex64>({n}, {.chunks = {1 << 22}, .spec = allowing(bytes{2'000'000'000})});
  const auto steps = plan(stored(fft(x), std::make_shared<memory_store>(), "y"));
  EXPECT_LE(steps.projected_memory(), bytes{2'000'000'000});
  EXPECT_LE(steps.bytes_read().count(), 6U * 8U * static_cast<std::size_t>(n));
}

TEST(LongTransforms, ArePlannedInFewPassesWhereALineFitsButNotItsTransform) {
  const auto x = two_waves(std::make_shared<memory_store>(), bytes{5'000'000});
  const run_with serial{.executor = executors::serial()};
  const auto steps = plan(stored(fft(x), std::make_shared<memory_store>(), "y"), serial);
  EXPECT_THAT(words_of(fft(x)), HasSubstr("fft: rows"));
  EXPECT_LE(steps.bytes_read().count(), 6 * size * sizeof(complex128));
}

TEST(LongTransforms, OfAPrimeAreRefusedAndSayHowManyPointsWouldDo) {
  const auto x = ones<complex128>({250'007}, {.chunks = {7001}, .spec = allowing(less_than_line)});
  test::expect_error<memory_error>([&] { (void)plan(fft(x)); },
                                   {"fft: ", "250007 points", "points(250008)", "allowed_memory"});
  const auto spectrum = fft(x, points(250'008)).compute();
  EXPECT_NEAR(spectrum(0).real(), 250'007, 1e-6);
  // The last point is zero: but for coefficient 0, the transform is that of -1 at this point.
  EXPECT_LT(std::abs(spectrum(1) + std::polar(1.0, 2 * std::numbers::pi / 250'008)), 1e-6);
  const auto real = ones<double>({250'007}, {.chunks = {7001}, .spec = allowing(less_than_line)});
  test::expect_error<memory_error>([&] { (void)plan(rfft(real)); }, {"rfft: ", "points(250008)"});
}

// A whole chunk of 501 x 600 coefficients takes 2.4 MB, and no task may hold one. The transform of
// cos(2 pi i k / n) is n / 2 at k, and n at 0 and at n / 2.
TEST(LongTransforms, OfShortChunksAreStoredInEqualPartsOfTheLines) {
  constexpr index_t n = 1000;
  constexpr index_t num_lines = 600;
  constexpr bytes allowed{500'000};
  const auto frequency = [](index_t j) { return j % (n / 2 + 1); };
  ndarray<float, 2> waves({n, num_lines});
  for (index_t i = 0; i < n * num_lines; ++i) {
    const auto turns = static_cast<double>(i / num_lines * frequency(i % num_lines) % n) / n;
    waves.data()[i] = static_cast<float>(std::cos(2 * std::numbers::pi * turns));
  }
  const auto store = std::make_shared<memory_store>();
  const store_options plain{.compressor = codec::none{}};
  const auto in_chunks = asarray(std::move(waves), {.chunks = {50, num_lines}});
  (void)plan(stored(in_chunks, store, "x", plain)).compute();
  const auto x = open<float, 2>(store, "x", allowing(allowed));
  const auto steps =
      plan(stored(rfft(x, axis<0>), store, "y", plain), run_with{.executor = executors::serial()});
  EXPECT_LE(steps.projected_memory(), allowed);
  (void)steps.compute();
  const auto y = open<complex64, 2>(store, "y");
  // Half of 500,000 B are 26 rows of 600 x 16 B; 501 rows are 20 parts of 26.
  EXPECT_EQ(y.layout().chunks, (index_vector{26, num_lines}));
  const auto spectra = y.compute();
  for (index_t i = 0; i < (n / 2 + 1) * num_lines; ++i) {
    const index_t k = i / num_lines;
    const double peak = k % (n / 2) == 0 ? n : n / 2;
    const double expected = k == frequency(i % num_lines) ? peak : 0;
    ASSERT_NEAR(spectra.data()[i].real(), expected, 1e-2) << k;
    ASSERT_NEAR(spectra.data()[i].imag(), 0, 1e-2) << k;
  }
}

/// Returns coefficients of `n` real elements: 3 cos(2 pi 1234 j / n) + 0.5, and, of an even number,
/// 2 (-1)^j. The first and the last have an imaginary part as well, which counts for nothing.
array<complex128, 1> half_of_waves(const std::shared_ptr<key_value_store>& store, index_t n,
                                   bytes allowed) {
  ndarray<complex128, 1> values({n / 2 + 1});
  const auto length = static_cast<double>(n);
  values.data()[0] = {0.5 * length, 700};
  values.data()[1234] = 1.5 * length;
  if (n % 2 == 0) values.data()[n / 2] = {2 * length, -900};
  (void)plan(stored(asarray(std::move(values), {.chunks = {7001}}), store, "half",
                    {.compressor = codec::none{}}))
      .compute();
  return open<complex128, 1>(store, "half", allowing(allowed));
}

double wave_at(index_t j, index_t n) {
  const double angle =
      2 * std::numbers::pi * static_cast<double>(1234 * j % n) / static_cast<double>(n);
  return 3 * std::cos(angle) + 0.5 + (n % 2 == 0 ? (j % 2 == 0 ? 2 : -2) : 0);
}

TEST(LongTransforms, SayHowMuchMemoryIsEnough) {
  const auto planned = [](bytes allowed) {
    const auto x = asarray(ndarray<double, 1>({150'000}),
                           {.chunks = {777}, .spec = spec{.allowed_memory = allowed}});
    return plan(fft(x));
  };
  // The plan needs between 450 and 510 kB; a whole line would need 24 MB.
  test::expect_error<memory_error>([&] { (void)planned(300_kB); },
                                   {"take an allowed_memory of at least 494 kB"});
  EXPECT_LE(planned(495_kB).projected_memory(), 495_kB);
}

TEST(LongTransforms, GoBackToRealElements) {
  for (const index_t n : {index_t{500'000}, index_t{495'495}}) {
    const auto half = half_of_waves(std::make_shared<memory_store>(), n, less_than_line);
    const auto back = irfft(half, points(n));
    EXPECT_THAT(words_of(back), HasSubstr("irfft: rows"));
    EXPECT_LE(plan(back).projected_memory(), less_than_line);
    const auto result = back.compute();
    ASSERT_EQ(result.shape()[0], n);
    for (index_t j = 0; j < n; ++j) ASSERT_NEAR(result.data()[j], wave_at(j, n), 1e-9) << j;
    // hfft is irfft of the conjugate, with the factor in the other direction.
    const auto hermitian = hfft(half, points(n), fft_norm::forward).compute();
    for (index_t j = 0; j < n; ++j) ASSERT_NEAR(hermitian.data()[j], wave_at(j, n), 1e-9) << j;
  }
}

// As many points as NumPy takes by default, and fewer or more coefficients than there are.
TEST(LongTransforms, GoBackToAsManyElementsAsAreAskedFor) {
  const auto store = std::make_shared<memory_store>();
  (void)half_of_waves(store, 500'000, bytes{500'000'000});
  const auto x = open<complex128, 1>(store, "half", allowing(less_than_line));
  const auto in_memory = open<complex128, 1>(store, "half", allowing(bytes{500'000'000}));
  EXPECT_EQ(irfft(x).shape()[0], 500'000);
  for (const index_t n : {index_t{480'000}, index_t{630'000}, index_t{600'075}}) {
    const auto back = irfft(x, points(n), fft_norm::ortho);
    EXPECT_THAT(words_of(back), HasSubstr("irfft: rows"));
    const auto result = back.compute();
    const auto expected = irfft(in_memory, points(n), fft_norm::ortho).compute();
    for (index_t j = 0; j < n; ++j) ASSERT_NEAR(result.data()[j], expected.data()[j], 1e-8) << j;
  }
}

TEST(LongTransforms, BackToRealElementsReadALineOnceOrTwice) {
  const auto store = std::make_shared<test::counting_store>();
  const auto x = half_of_waves(store, 500'000, less_than_line);
  const long num_chunks = 36;
  const run_with serial{.executor = executors::serial()};
  const auto steps = plan(pass_switches{.memory_tier = false}, serial, irfft(x));
  const long before = store->num_reads();
  (void)steps.compute();
  EXPECT_GE(store->num_reads() - before, num_chunks);
  EXPECT_LE(store->num_reads() - before, 2 * num_chunks);
  EXPECT_LE(steps.projected_memory(), less_than_line);
}

TEST(LongTransforms, OfRowsOfAMatrixGoBackToRealElements) {
  const index_t n = 500'000;
  const auto store = std::make_shared<memory_store>();
  const auto half = half_of_waves(store, n, less_than_line);
  const auto rows = stack(std::vector{half, half});
  const auto lines = irfft(rows).compute();
  for (index_t j = 0; j < n; ++j) {
    ASSERT_NEAR(lines(0, j), wave_at(j, n), 1e-9) << j;
    ASSERT_NEAR(lines(1, j), wave_at(j, n), 1e-9) << j;
  }
}

TEST(LongTransforms, BackToRealElementsOfAPrimeAreRefused) {
  const auto x = ones<complex128>({size}, {.chunks = {7001}, .spec = allowing(less_than_line)});
  test::expect_error<memory_error>([&] { (void)plan(irfft(x, points(499'979))); },
                                   {"irfft: ", "499979 points", "points(499980)"});
}

TEST(LongTransforms, GiveTheSameOnEveryExecutor) {
  const auto x =
      random::uniform<double>({size}, {.chunks = {10'000}, .spec = allowing(less_than_line)});
  const auto here = fft(x).compute(run_with{.executor = executors::serial()});
  const auto threads = fft(x).compute(run_with{.executor = executors::threads(3)});
  const auto processes = fft(x).compute(run_with{.executor = executors::processes(2)});
  for (index_t k = 0; k < size; ++k) {
    ASSERT_EQ(here.data()[k], threads.data()[k]);
    ASSERT_EQ(here.data()[k], processes.data()[k]);
  }
}

}  // namespace
}  // namespace tessera
