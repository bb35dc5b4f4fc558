// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Options and nodes of discrete Fourier transforms.

#include "tessera/core/dtype.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/function/detail/line_functions.hpp"
#include "tessera/kernel/line_kernel.hpp"
#include "tessera/meta/dims.hpp"
#include "tessera/meta/promotion.hpp"

#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tessera {

/// The transforms that get the factor, by NumPy's names.
enum class fft_norm : std::uint8_t {
  backward,  ///< 1 / n to inverse transforms
  ortho,     ///< 1 / sqrt(n) to both
  forward,   ///< 1 / n to forward transforms
};

/// Asks for a transform of so many points: elements beyond are left out, missing ones are zeros.
struct points {
  explicit points(index_t count_) : count(count_) {}
  index_t count;
};

namespace op {

struct fft {
  static constexpr std::string_view name = "fft";
  template <element T>
  using result = T;

  line::fourier_spec transform;

  static const block_kernel& kernel(dtype type) { return line::fft(type); }
  [[nodiscard]] kernel_parameters parameters() const {
    return line::transform_parameters(transform);
  }
};

struct rfft {
  static constexpr std::string_view name = "rfft";
  template <element T>
  using result = std::complex<T>;

  line::fourier_spec transform;

  static const block_kernel& kernel(dtype type) { return line::rfft(type); }
  [[nodiscard]] kernel_parameters parameters() const {
    return line::transform_parameters(transform);
  }
};

struct irfft {
  static constexpr std::string_view name = "irfft";
  template <element T>
  using result = real_t<T>;

  line::fourier_spec transform;

  static const block_kernel& kernel(dtype type) { return line::irfft(type); }
  [[nodiscard]] kernel_parameters parameters() const {
    return line::transform_parameters(transform);
  }
};

}  // namespace op

namespace detail {

/// The complex numbers that elements of type `T` are transformed as, and their real parts.
template <class T>
using transformed_t = std::conditional_t<std::same_as<T, float> || std::same_as<T, float16> ||
                                             std::same_as<T, complex64>,
                                         complex64, complex128>;
template <class T>
using transformed_real_t = real_t<transformed_t<T>>;

/// The options of a transform.
struct transform_options {
  fft_norm norm = fft_norm::backward;
  std::optional<index_t> points = std::nullopt;
};

template <class Option>
inline constexpr bool is_transform_option =
    is_axes<Option> || std::same_as<Option, fft_norm> || std::same_as<Option, points>;

template <class Option>
void note_transform(transform_options& asked, const Option& option) {
  if constexpr (std::same_as<Option, fft_norm>) asked.norm = option;
  if constexpr (std::same_as<Option, points>) asked.points = option.count;
}

/// Returns `transform` with the factor by `norm`.
inline line::fourier_spec scaled(line::fourier_spec transform, fft_norm norm) {
  const auto n = static_cast<double>(transform.points);
  const fft_norm with_factor = transform.is_inverse ? fft_norm::backward : fft_norm::forward;
  if (norm == fft_norm::ortho) {
    transform.scale = 1 / std::sqrt(n);
  } else if (norm == with_factor) {
    transform.scale = 1 / n;
  }
  return transform;
}

/// Returns the norm with both directions exchanged.
constexpr fft_norm exchanged(fft_norm norm) {
  if (norm == fft_norm::ortho) return norm;
  return norm == fft_norm::backward ? fft_norm::forward : fft_norm::backward;
}

/// Tells whether options are right for a transform along one axis of `X`.
template <class X, class... Options>
inline constexpr bool are_transform_options =
    (is_transform_option<Options> && ...) && line_axis<X::rank, Options...>::is_right;

/// Returns the node of `Transform` along the axis `lined`, of as many points as are asked for, or
/// else as `default_points` says.
template <class Transform, class X>
auto transform_axis(const X& x, std::size_t axis, const transform_options& asked, bool is_inverse,
                    index_t default_points) {
  const index_t count = asked.points.value_or(default_points);
  require_points(Transform::name, x.layout().shape[axis], count);
  const line::fourier_spec transform =
      scaled({.points = count, .is_inverse = is_inverse}, asked.norm);
  const bool is_half = std::same_as<Transform, op::rfft>;
  return make_lines_node<X::rank>(Transform{transform}, x, axis_mask{1} << axis,
                                  {.length = is_half ? count / 2 + 1 : count});
}

template <class Transform, class X>
auto transform_axis(const X& x, std::size_t axis, const transform_options& asked, bool is_inverse) {
  const index_t extent = x.layout().shape[axis];
  const bool is_from_half = std::same_as<Transform, op::irfft>;
  return transform_axis<Transform>(x, axis, asked, is_inverse,
                                   is_from_half ? 2 * (extent - 1) : extent);
}

/// Tells whether elements of type `Value` may be transformed as elements of type `T`.
template <class T, class Value>
inline constexpr bool goes_as = complex_element<T> || has_order<Value>;

/// Returns the transform of `x` along the axis that options name, as elements of type `T`; with the
/// factor in the other direction if `IsExchanged`.
template <class Transform, class T, bool IsInverse, bool IsExchanged = false, class X,
          class... Options>
auto transform_line(const X& x, const Options&... options) {
  lazy(x);
  constexpr bool are_right = are_transform_options<X, Options...>;
  static_assert(are_right,
                "tessera::fft(x, options...), and transforms as it: requires options to be one "
                "axis in [-rank, rank) of x, an fft_norm and points(n)");
  constexpr bool is_real = goes_as<T, typename X::value_type>;
  static_assert(is_real,
                "tessera::rfft(x), ihfft: requires elements that are real; fft takes complex ones");
  if constexpr (!are_right || !is_real || !are_operands<X> || !dims_fit<X, Options...>) {
    return x;
  } else if constexpr (have_names<X>) {
    return along_names(
        [](const auto&... args) {
          return transform_line<Transform, T, IsInverse, IsExchanged>(args...);
        },
        x, options...);
  } else {
    transform_options asked;
    (note_transform(asked, options), ...);
    if constexpr (IsExchanged) asked.norm = exchanged(asked.norm);
    const axis_mask lined = line_axis<X::rank, Options...>::of(Transform::name, options...);
    return transform_axis<Transform>(
        converted<T>(x), static_cast<std::size_t>(std::countr_zero(lined)), asked, IsInverse);
  }
}

/// Returns the complex transforms along axes one after the other, the last one first.
template <bool IsInverse, class X>
auto transform_axes(const X& x, const transform_options&, axis_list<>) {
  return x;
}
template <bool IsInverse, class X, int Axis, int... Axes>
auto transform_axes(const X& x, const transform_options& asked, axis_list<Axis, Axes...>) {
  const auto others = transform_axes<IsInverse>(x, asked, axis_list<Axes...>{});
  return transform_axis<op::fft>(others, normalised_axis(Axis, X::rank), asked, IsInverse);
}

template <int... Axes>
axis_list<Axes...> all_of(std::integer_sequence<int, Axes...>);
/// All axes of an array of rank `Rank`.
template <std::size_t Rank>
using all_axes_of = decltype(all_of(std::make_integer_sequence<int, static_cast<int>(Rank)>{}));

/// The last of some axes, and the axes before it.
template <class Before, int... Axes>
struct split_axes;
template <int... Before, int Last>
struct split_axes<axis_list<Before...>, Last> {
  using before = axis_list<Before...>;
  static constexpr int last = Last;
};
template <int... Before, int First, int Next, int... Axes>
struct split_axes<axis_list<Before...>, First, Next, Axes...>
    : split_axes<axis_list<Before..., First>, Next, Axes...> {};
template <class Axes>
struct split_last;
template <int... Axes>
struct split_last<axis_list<Axes...>> : split_axes<axis_list<>, Axes...> {};

/// The axes among the options; `Default` if there are none.
template <class Default, class... Options>
using chosen_axes =
    std::conditional_t<std::is_void_v<axes_of<Options...>>, Default, axes_of<Options...>>;

enum class transform_kind { complex, from_real, to_real };

/// Tells whether options are right for a transform along several axes of `X`.
template <transform_kind Kind, class X, class... Options>
inline constexpr bool are_multi_axis_options =
    ((is_axis_list<Options> || is_dim_list<Options> || std::same_as<Options, fft_norm> ||
      (Kind == transform_kind::to_real && std::same_as<Options, points>)) &&
     ...) &&
    axes_fit<X::rank, axes_of<Options...>>&& axes_differ<X::rank, axes_of<Options...>>;

/// Returns the transform of `x` along several axes.
template <transform_kind Kind, bool IsInverse, class Default, class X, class... Options>
auto multi_axis_transform(const X& x, const Options&... options) {
  lazy(x);
  using axes = chosen_axes<Default, Options...>;
  constexpr bool are_right = are_multi_axis_options<Kind, X, Options...> && axes::size > 0 &&
                             axes_fit<X::rank, axes> && X::rank > 0;
  static_assert(are_right,
                "tessera::fftn(x, options...), and transforms as it: requires options to be axes "
                "in [-rank, rank) of x that differ, and an fft_norm; of irfftn also points(n)");
  using value = typename X::value_type;
  constexpr bool is_real = Kind != transform_kind::from_real || has_order<value>;
  static_assert(is_real,
                "tessera::rfftn(x), rfft2: requires elements that are real; fftn takes complex "
                "ones");
  if constexpr (!are_right || !is_real || !are_operands<X> || !dims_fit<X, Options...>) {
    return x;
  } else if constexpr (have_names<X>) {
    return along_names(
        [](const auto&... args) { return multi_axis_transform<Kind, IsInverse, Default>(args...); },
        x, options...);
  } else {
    using split = split_last<axes>;
    constexpr std::size_t last = normalised_axis(split::last, X::rank);
    transform_options asked;
    (note_transform(asked, options), ...);
    const transform_options of_others{.norm = asked.norm};
    if constexpr (Kind == transform_kind::from_real) {
      const auto half =
          transform_axis<op::rfft>(converted<transformed_real_t<value>>(x), last, asked, false);
      return transform_axes<false>(half, of_others, typename split::before{});
    } else if constexpr (Kind == transform_kind::to_real) {
      const auto half = transform_axes<true>(converted<transformed_t<value>>(x), of_others,
                                             typename split::before{});
      return transform_axis<op::irfft>(half, last, asked, true);
    } else {
      return transform_axes<IsInverse>(converted<transformed_t<value>>(x), of_others, axes{});
    }
  }
}

}  // namespace detail

}  // namespace tessera
