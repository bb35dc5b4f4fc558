// SPDX-License-Identifier: Apache-2.0

/// \file
/// Lines that are longer than what a task holds.

#include "tessera/array/creation.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/function/quantiles.hpp"
#include "tessera/function/sorting.hpp"

#include "unit/array/print_cases.hpp"
#include "unit/array/quantile_methods.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace tessera::testing {
namespace {

/// Returns an array of which lines along the first axis take a megabyte, where a task has less;
/// with ties, zeros of either sign and, where there are such, NaN and infinities.
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
  return asarray(std::move(values),
                 {.chunks = chunks, .spec = spec{.allowed_memory = bytes{800'000}}});
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
}
