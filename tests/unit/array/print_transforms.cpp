// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/manipulation.hpp"
#include "tessera/expr/indexing.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/fft.hpp"

#include "unit/array/print_cases.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::testing {
namespace {

/// Returns an array of numbers as of noise.
template <element T, std::size_t N>
array<T, N> noise(const std::array<index_t, N>& shape, chunk_lengths chunks = automatic) {
  ndarray<T, N> values(shape);
  double next = 0;
  const auto number = [&next] {
    next += 1;
    return std::fmod(std::sin(next) * 43758.5453, 1.0) * 20;
  };
  for (T& value : values.span()) {
    if constexpr (complex_element<T>) {
      const double real = number();
      value = T(static_cast<real_t<T>>(real), static_cast<real_t<T>>(number()));
    } else {
      value = static_cast<T>(static_cast<real_t<T>>(number()));
    }
  }
  return asarray(std::move(values), {.chunks = std::move(chunks)});
}

/// Prints `x` as equal to NumPy's `expression` to within a few roundings of the largest element:
/// each element of a transform is a sum of all.
template <array_expression X>
void whole_near(std::string_view expression, const X& x) {
  print_values("whole", x.compute(), expression);
}

/// The types that transforms of elements of type `T` have.
template <element T>
struct type_names {
  std::string to_complex =
      ").astype('" + std::string(name_of(dtype_of<detail::transformed_t<T>>)) + "')";
  std::string to_real =
      ").astype('" + std::string(name_of(dtype_of<detail::transformed_real_t<T>>)) + "')";
};

/// Prints the transforms that take real elements only, of `x`, which NumPy knows as x.
template <element T>
void print_real_transforms(const array<T, 3>& x) {
  const std::string complex = type_names<T>{}.to_complex;
  whole_near("np.fft.rfft(x" + complex, rfft(x));
  whole_near("np.fft.rfft(x, axis=1" + complex, rfft(x, axis<1>));
  whole_near("np.fft.rfft(x, n=10, axis=0" + complex, rfft(x, axis<0>, points(10)));
  whole_near("np.fft.rfft(x, n=1" + complex, rfft(x, points(1)));
  whole_near("np.fft.ihfft(x, axis=0" + complex, ihfft(x, axis<0>));
  whole_near("np.fft.ihfft(x, n=9, norm='ortho'" + complex, ihfft(x, points(9), fft_norm::ortho));
  whole_near("np.fft.rfft2(x" + complex, rfft2(x));
  whole_near("np.fft.rfftn(x, axes=(1, 2, 0)" + complex, rfftn(x, axis<1, 2, 0>));
  whole_near("np.fft.rfftn(x, norm='ortho'" + complex, rfftn(x, fft_norm::ortho));
}

template <element T>
void print_transforms() {
  const auto [complex, real] = type_names<T>{};
  const auto x = named("x", noise<T, 3>({6, 15, 8}, {4, 4, 8}));
  whole_near("np.fft.fft(x" + complex, fft(x));
  whole_near("np.fft.fft(x, axis=0" + complex, fft(x, axis<0>));
  whole_near("np.fft.fft(x, axis=1" + complex, fft(x, axis_at(1)));
  whole_near("np.fft.ifft(x, axis=1" + complex, ifft(x, axis<-2>));
  whole_near("np.fft.fft(x, n=5" + complex, fft(x, points(5)));
  whole_near("np.fft.fft(x, n=12, axis=0, norm='ortho'" + complex,
             fft(x, fft_norm::ortho, points(12), axis<0>));
  whole_near("np.fft.fft(x, norm='forward'" + complex, fft(x, fft_norm::forward));
  whole_near("np.fft.ifft(x, norm='forward'" + complex, ifft(x, fft_norm::forward));
  whole_near("np.fft.ifft(x, axis=0, norm='ortho'" + complex, ifft(x, axis<0>, fft_norm::ortho));
  whole_near("np.fft.irfft(x, axis=1" + real, irfft(x, axis<1>));
  whole_near("np.fft.irfft(x, n=15" + real, irfft(x, points(15)));
  whole_near("np.fft.irfft(x, n=9, axis=0, norm='ortho'" + real,
             irfft(x, points(9), axis<0>, fft_norm::ortho));
  whole_near("np.fft.hfft(x" + real, hfft(x));
  whole_near("np.fft.hfft(x, n=7, axis=1, norm='forward'" + real,
             hfft(x, points(7), axis<1>, fft_norm::forward));
  whole_near("np.fft.fft2(x" + complex, fft2(x));
  whole_near("np.fft.ifft2(x, axes=(0, 1), norm='ortho'" + complex,
             ifft2(x, axis<0, 1>, fft_norm::ortho));
  whole_near("np.fft.fftn(x" + complex, fftn(x));
  whole_near("np.fft.fftn(x, axes=(2, 0)" + complex, fftn(x, axis<2, 0>));
  whole_near("np.fft.ifftn(x" + complex, ifftn(x));
  whole_near("np.fft.irfftn(x" + real, irfftn(x));
  whole_near("np.fft.irfftn(x, s=(6, 11), axes=(0, 1)" + real, irfftn(x, axis<0, 1>, points(11)));
  whole_near("np.fft.irfft2(x, norm='forward'" + real, irfft2(x, fft_norm::forward));
  whole_near("np.fft.fft(x[:1, :, 3], axis=0" + complex, fft(x(slice(1), whole, 3), axis<0>));
  whole_near("np.fft.fft(x[:0]" + complex, fft(x(slice(0))));
  if constexpr (!complex_element<T>) print_real_transforms<T>(x);
}

/// Sizes with factors of each kind that transforms are made of, and primes.
template <element T>
void print_sizes() {
  const auto [complex, real] = type_names<T>{};
  for (const index_t n :
       {1, 2, 3, 4, 5, 7, 8, 11, 12, 30, 53, 60, 64, 67, 98, 128, 134, 210, 521}) {
    const auto x = named("x", noise<T, 2>({2, n}));
    whole_near("np.fft.fft(x" + complex, fft(x));
    whole_near("np.fft.ifft(x" + complex, ifft(x));
    if (n > 1) whole_near("np.fft.irfft(x" + real, irfft(x));
    if (n > 1)
      whole_near("np.fft.irfft(x, n=2 * x.shape[1] - 1" + real, irfft(x, points(2 * n - 1)));
    if constexpr (!complex_element<T>) whole_near("np.fft.rfft(x" + complex, rfft(x));
  }
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera::testing;
  print_transforms<float>();
  print_transforms<double>();
  print_transforms<tessera::complex64>();
  print_transforms<tessera::complex128>();
  print_transforms<std::int16_t>();
  print_sizes<float>();
  print_sizes<double>();
  print_sizes<tessera::complex128>();
}
