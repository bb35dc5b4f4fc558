// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/creation.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/expr/indexing.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/quantiles.hpp"
#include "tessera/function/sorting.hpp"

#include "unit/array/print_cases.hpp"
#include "unit/array/quantile_methods.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tessera::testing {
namespace {

/// Returns an array with ties, zeros of either sign and, if the dtype has them, NaN and infinities.
template <element T, std::size_t N>
array<T, N> tied(const std::array<index_t, N>& shape, chunk_lengths chunks, bool has_nan = true) {
  ndarray<T, N> values(shape);
  std::uint32_t state = 12345;
  for (T& value : values.span()) {
    state = state * 1664525U + 1013904223U;
    const int number = static_cast<int>(state >> 24U) % 23 - 9;
    if constexpr (boolean_element<T>) {
      value = number > 0;
    } else if constexpr (floating_element<T>) {
      using limits = std::numeric_limits<T>;
      value = static_cast<T>(static_cast<float>(number) / 4);
      if (number == 1) value = -T(0.0F);
      if (number == 12 && has_nan) value = -limits::infinity();
      if (number == 13 && has_nan) value = limits::quiet_NaN();
    } else {
      value = static_cast<T>(number);
    }
  }
  return asarray(std::move(values), {.chunks = std::move(chunks)});
}

template <element T>
void print_sorts() {
  const auto x = named("x", tied<T, 3>({7, 5, 9}, {3, 2, 4}));
  same("np.sort(x, kind='stable')", sort(x));
  same("np.sort(x, axis=0, kind='stable')", sort(x, axis<0>));
  same("np.sort(x, axis=1, kind='stable')", sort(x, axis<1>));
  same("np.sort(x, axis=1, kind='stable')", sort(x, axis_at(-2)));
  same("np.sort(x[:, 1:, ::2].T, axis=0, kind='stable')",
       sort(x(whole, slice(1, none), slice(none, none, 2)).T(), axis<0>));
  same("np.sort(x[2, 3], kind='stable')", sort(x(2, 3)));
  same("np.sort(x[:, :0], axis=0)", sort(x(whole, slice(0)), axis<0>));
  same("np.sort(x[:, :0], axis=1)", sort(x(whole, slice(0)), axis<1>));
  same("np.sort(x[:1], axis=0)", sort(x(slice(1)), axis<0>));
  same("np.argsort(x, kind='stable')", argsort(x));
  same("np.argsort(x, axis=0, kind='stable')", argsort(x, axis<0>));
  same("np.argsort(x, axis=1, kind='stable')", argsort(x, axis<1>));
  same("np.argsort(x[:, :0], axis=1)", argsort(x(whole, slice(0)), axis<1>));
  same("backwards(x, 0)", argsort(x, axis<0>, descending));
  same("backwards(x, 2)", argsort(x, descending));
  same("np.take_along_axis(x, backwards(x, 1), 1)", sort(x, descending, axis<1>));
  same("np.sort(np.broadcast_to(x[:, :1], (7, 5, 9)), axis=1)",
       sort(broadcast_to(x(whole, slice(1)), std::array<index_t, 3>{7, 5, 9}), axis<1>));
}

template <element T>
void print_quantiles() {
  const std::string type = std::string(name_of(dtype_of<floating_t<T>>));
  const auto in_type = [&](const std::string& code) { return code + ".astype('" + type + "')"; };
  const auto x = named("x", tied<T, 3>({8, 5, 9}, {3, 5, 2}));
  const auto y = named("y", tied<T, 3>({8, 5, 9}, {4, 2, 9}, false));
  near(in_type("np.median(x, axis=0)"), median(x, axis<0>));
  near(in_type("np.median(y, axis=1)"), median(y, axis<1>));
  near(in_type("np.median(y, axis=2, keepdims=True)"), median(y, axis<-1>, keepdims));
  near(in_type("np.array(np.median(y))"), median(y));
  near(in_type("np.median(y, axis=(0, 2))"), median(y, axis<0, 2>));
  near(in_type("np.nanmedian(x, axis=0)"), nanmedian(x, axis<0>));
  near(in_type("np.array(np.nanmedian(x))"), nanmedian(x));
  near(in_type("np.median(y, axis=0)[:, ::3]"), median(y, axis<0>)(whole, slice(none, none, 3)));
  if constexpr (!boolean_element<T>) {
    near(in_type("np.quantile(y, 0.3, axis=1)"), quantile(y, 0.3, axis<1>));
    near(in_type("np.array(np.quantile(y, 0.85))"), quantile(y, 0.85));
    near(in_type("np.quantile(y, [0.9, 0, 1, 0.25], axis=1)"),
         quantile(y, {0.9, 0, 1, 0.25}, axis<1>));
    near(in_type("np.quantile(y, [0.1], axis=(2, 1), keepdims=True)"),
         quantile(y, std::vector{0.1}, axis<2, 1>, keepdims));
    near(in_type("np.quantile(y, np.arange(21) / 20, axis=0)"),
         quantile(y, {0,    0.05, 0.1,  0.15, 0.2,  0.25, 0.3,  0.35, 0.4,  0.45, 0.5,
                      0.55, 0.6,  0.65, 0.7,  0.75, 0.8,  0.85, 0.9,  0.95, 1},
                  axis<0>));
    near(in_type("np.percentile(y, 35, axis=2)"), percentile(y, 35, axis<2>));
    near(in_type("np.percentile(y, [10, 90], axis=0)"), percentile(y, {10, 90}, axis<0>));
    near(in_type("np.nanquantile(x, 0.7, axis=0)"), nanquantile(x, 0.7, axis<0>));
    near(in_type("np.nanquantile(x, [0.7, 0.2], axis=(0, 1))"),
         nanquantile(x, {0.7, 0.2}, axis<0, 1>));
    near(in_type("np.nanpercentile(x, 12.5)[None]"), nanpercentile(x, 12.5)(newaxis));
    near(in_type("np.nanpercentile(x, [50, 20], axis=2)"), nanpercentile(x, {50, 20}, axis<2>));
    near("np.full((5, 9), np.nan, '" + type + "')", quantile(x(slice(0)), 0.5, axis<0>));
    near(in_type("np.quantile(y[:1], 0.4, axis=0)"), quantile(y(slice(1)), 0.4, axis<0>));
  }
  same("mode(x, 0)", mode(x, axis<0>));
  same("mode(x[None], (1, 2, 3))[0]", mode(x));
}

void print_methods() {
  const auto x = named("x", tied<double, 2>({11, 10}, {4, 3}, false));
  for (const auto& [name, method] : quantile_methods) {
    const std::string end = ", axis=0, method='" + name + "')";
    near("np.quantile(x, [0, .03, .1, .15, .25, .45, .5, .55, .8, .95, 1]" + end,
         quantile(x, {0, .03, .1, .15, .25, .45, .5, .55, .8, .95, 1}, axis<0>, method));
    near("np.quantile(x[:10], [0, .1, .15, .25, .45, .5, .65, .8, 1]" + end,
         quantile(x(slice(10)), {0, .1, .15, .25, .45, .5, .65, .8, 1}, method, axis<0>));
    near("np.quantile(x[:4].astype('f4'), .375" + end + ".astype('f4')",
         quantile(astype<float>(x(slice(4))), .375, method, axis<0>));
  }
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera::testing;
  const auto print = [](auto tag) {
    using type = typename decltype(tag)::type;
    print_sorts<type>();
    print_quantiles<type>();
  };
  print(tessera::type_tag<bool>{});
  print(tessera::type_tag<std::int8_t>{});
  print(tessera::type_tag<std::int64_t>{});
  print(tessera::type_tag<std::uint16_t>{});
  print(tessera::type_tag<tessera::float16>{});
  print(tessera::type_tag<float>{});
  print(tessera::type_tag<double>{});
  print_sorts<std::uint8_t>();
  print_sorts<std::int16_t>();
  print_sorts<std::int32_t>();
  print_sorts<std::uint32_t>();
  print_sorts<std::uint64_t>();
  print_methods();
}
