// SPDX-License-Identifier: Apache-2.0

/// \file
/// Lines that are longer than the memory of a task.

#include "tessera/array/creation.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/expr/indexing.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/fft.hpp"
#include "tessera/function/quantiles.hpp"
#include "tessera/function/sorting.hpp"

#include "unit/array/print_cases.hpp"
#include "unit/array/quantile_methods.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace tessera::testing {
namespace {

/// A task has less than the lines below take.
const spec little{.allowed_memory = bytes{800'000}};

/// Returns an array with lines of a megabyte along the first axis, more than a task has; with ties,
/// zeros of either sign and, if the dtype has them, NaN and infinities.
template <element T, std::size_t N>
array<T, N> many(std::array<index_t, N> shape, bool has_nan = true) {
  shape[0] = 1'000'000 / index_t{sizeof(T)};
  ndarray<T, N> values(shape);
  std::uint64_t state = 12345;
  for (T& value : values.span()) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const int number = static_cast<int>(state >> 40U) % 100'000 - 40'000;
    if constexpr (boolean_element<T>) {
      value = number > 0;
    } else if constexpr (floating_element<T>) {
      using limits = std::numeric_limits<T>;
      value = static_cast<T>(static_cast<float>(number) / (number % 3 == 0 ? 4000 : 7));
      if (number % 50 == 1) value = number > 0 ? -T(0.0F) : T(0.0F);
      if (number % 1000 == 12 && has_nan)
        value = number > 0 ? limits::infinity() : -limits::infinity();
      if (number % 1000 == 13 && has_nan) value = limits::quiet_NaN();
    } else {
      value = static_cast<T>(number);
    }
  }
  std::array<index_t, N> chunks;
  chunks.fill(2);
  chunks[0] = 70'000 / index_t{sizeof(T)};
  return asarray(std::move(values), {.chunks = chunks, .spec = little});
}

template <element T>
void print_lines_of() {
  const std::string type = std::string(name_of(dtype_of<floating_t<T>>));
  const auto in_type = [&](const std::string& code) { return code + ".astype('" + type + "')"; };
  const auto x = named("x", many<T, 2>({0, 2}));
  const auto y = named("y", many<T, 2>({0, 2}, false));
  const auto z = named("z", many<T, 1>({0}));
  near(in_type("np.median(x, axis=0)"), median(x, axis<0>));
  near(in_type("np.median(y, axis=0, keepdims=True)"), median(y, axis<0>, keepdims));
  near(in_type("np.array(np.nanmedian(x))"), nanmedian(x));
  if constexpr (!boolean_element<T>) {
    near(in_type("np.array(np.quantile(y, 0.85))"), quantile(y, 0.85));
    near(in_type("np.quantile(y, [0.9, 0, 1, 0.25], axis=0)"),
         quantile(y, {0.9, 0, 1, 0.25}, axis<0>));
    near(in_type("np.nanpercentile(x.T, [12.5, 99.9], axis=1, keepdims=True)"),
         nanpercentile(x.T(), {12.5, 99.9}, axis<1>, keepdims));
  }
  same("np.sort(z, kind='stable')", sort(z));
  same("z[backwards(z, 0)]", sort(z, descending));
  if (sizeof(T) < 4) return;
  same("np.argsort(z, kind='stable')", argsort(z));
  same("backwards(z, 0)", argsort(z, descending));
}

void print_methods() {
  const auto y = named("y", many<double, 2>({0, 1}, false));
  for (const auto& [name, method] : quantile_methods) {
    near("np.quantile(y, [.15, .5, .731], axis=0, method='" + name + "')",
         quantile(y, {.15, .5, .731}, axis<0>, method));
  }
}

/// Returns `n` numbers as of noise along an axis of an array that has them `beside` each other.
template <element T>
array<T, 3> noise(index_t n, index_t beside) {
  ndarray<T, 3> values({beside, n, 2});
  double next = 0;
  const auto number = [&next] {
    next += 1;
    return static_cast<real_t<T>>(std::fmod(std::sin(next) * 43758.5453, 1.0) * 20);
  };
  for (T& value : values.span()) {
    value = static_cast<T>(number());
    if constexpr (complex_element<T>) value = {number(), number()};
  }
  return asarray(std::move(values), {.chunks = {beside, 3000, 1}, .spec = little});
}

/// `n` elements along an axis of real numbers of type `T`, and of complex ones, are transformed.
template <element T>
void print_transforms_of(index_t n) {
  using complex = std::complex<T>;
  const std::string type = ").astype('" + std::string(name_of(dtype_of<complex>)) + "')";
  const auto whole_near = [&](const std::string& expression, const auto& x) {
    print_values("whole", x.compute(), expression + type);
  };
  const auto x = named("x", noise<complex>(n, 1));
  const auto line = x(0, whole, 1);
  whole_near("np.fft.fft(x, axis=1", fft(x, axis<1>));
  whole_near("np.fft.ifft(x, axis=1", ifft(x, axis<1>));
  whole_near("np.fft.fft(x[0, ::-1, 1] + 1", fft(x(0, slice(none, none, -1), 1) + complex(1)));
  whole_near("np.fft.ifft(x[0, :, 1], norm='ortho'", ifft(line, fft_norm::ortho));
  whole_near("np.fft.fft(x[0, :, 1], norm='forward'", fft(line, fft_norm::forward));
  whole_near("np.fft.fft(x[0, :, 1], n=" + std::to_string(n - 300), fft(line, points(n - 300)));
  whole_near("np.fft.fft(x[0, :, 1], n=" + std::to_string(n + 500), fft(line, points(n + 500)));
  const auto y = named("y", noise<T>(n, 3));
  whole_near("np.fft.fft(y, axis=1", fft(y, axis<1>));
  whole_near("np.fft.rfft(y.T, axis=1", rfft(y.T(), axis<1>));
  whole_near("np.fft.rfft(y[0, :, 0] * 2", rfft(y(0, whole, 0) * T(2)));
  whole_near("np.fft.rfft(y[0, :, 0], n=" + std::to_string(n + 1500) + ", norm='ortho'",
             rfft(y(0, whole, 0), points(n + 1500), fft_norm::ortho));
  whole_near("np.fft.ihfft(y[0, :, 0]", ihfft(y(0, whole, 0)));
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera::testing;
  print_lines_of<bool>();
  print_lines_of<std::int16_t>();
  print_lines_of<std::uint32_t>();
  print_lines_of<std::int64_t>();
  print_lines_of<tessera::float16>();
  print_lines_of<float>();
  print_lines_of<double>();
  print_methods();
  print_transforms_of<double>(22'500);
  print_transforms_of<float>(34'000);
}
