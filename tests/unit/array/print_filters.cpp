// SPDX-License-Identifier: Apache-2.0

/// \file
/// Prints filters for cases.py. SciPy's are spelt out: its mode "reflect" is NumPy's "symmetric".

#include "tessera/array/filtering.hpp"
#include "tessera/tessera.hpp"

#include "unit/array/print_cases.hpp"

#include <vector>

namespace tessera::testing {
namespace {

template <element T>
void print_sums() {
  const auto x = named("x", numbers<T>({7, 5}, {3, 2}));
  const auto along = [](const char* call) {
    return std::string("np.apply_along_axis(lambda a: ") + call + ", 0, x).astype(x.dtype)";
  };
  near(along("np.correlate(a, [1, 2, 4])"), correlate(x, {1, 2, 4}, axis<0>));
  near(along("np.correlate(a, [1, 2, 4], 'same')"),
       correlate(x, {1, 2, 4}, axis<0>, overlap::same));
  near(along("np.correlate(a, [1, 2], 'same')"), correlate(x, {1, 2}, axis<0>, overlap::same));
  near(along("np.correlate(a, [1, 2], 'full')"), correlate(x, {1, 2}, axis<0>, overlap::full));
  near(along("np.convolve(a, [1, 2, 4])"), convolve(x, {1, 2, 4}, axis<-2>));
  near(along("np.convolve(a, [1, 2, 4, 8], 'same')"),
       convolve(x, {1, 2, 4, 8}, axis<0>, overlap::same));
  near(along("np.convolve(a, [1, 2, 4, 8], 'valid')"),
       convolve(x, {1, 2, 4, 8}, axis<0>, overlap::valid));
  near("np.stack([np.convolve(a, [3, -1]) for a in x]).astype(x.dtype)",
       convolve(x, {3, -1}, axis<1>));
}

void print_smooth() {
  const auto x = named("x", numbers<double>({9}, {4}));
  near(
      "(lambda w: np.convolve(np.pad(x, 4, 'symmetric'), w / w.sum(), 'valid'))"
      "(np.exp(-0.5 * np.arange(-4, 5) ** 2))",
      gaussian_filter(x, 1));
  near(
      "(lambda w: np.convolve(np.pad(x, 1, 'wrap'), w / w.sum(), 'valid'))"
      "(np.exp(-2.0 * np.arange(-1, 2) ** 2))",
      gaussian_filter(x, 0.5, boundary::wrap, 2));
  near("np.convolve(np.pad(x, 1, 'symmetric'), [1 / 3] * 3, 'valid')", uniform_filter(x, 3));
  near("np.convolve(np.pad(x, (2, 1), 'edge'), [1 / 4] * 4, 'valid')",
       uniform_filter(x, 4, boundary::edge));
  const auto y = named("y", numbers<float>({6, 5}, {2, 3}));
  near(
      "(lambda p: sum(p[i:i + 6, j:j + 5] for i in range(3) for j in range(3)) / np.float32(9))"
      "(np.pad(y, 1, 'symmetric'))",
      uniform_filter(y, 3));
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera::testing;
  print_sums<double>();
  print_sums<float>();
  print_sums<tessera::complex128>();
  print_smooth();
}
