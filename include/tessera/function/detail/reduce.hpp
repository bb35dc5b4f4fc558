// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Options, rules and nodes of reductions.

#include "tessera/expr/reduction.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/function/counted_where.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/function/logical.hpp"
#include "tessera/function/predicates.hpp"
#include "tessera/function/selection.hpp"
#include "tessera/kernel/detail/counting.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/meta/axes.hpp"
#include "tessera/meta/dims.hpp"
#include "tessera/meta/fixed_string.hpp"

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace tessera {

namespace detail {

template <std::size_t Rank, class Axes>
struct axes_rule {
  static constexpr bool in_range = true;
  static constexpr bool distinct = true;
  static constexpr axis_mask mask = axis_mask_of<Rank>;
  static constexpr std::size_t count = Rank;
};
/// The axis is checked when the program runs.
template <std::size_t Rank>
struct axes_rule<Rank, run_time_axis> {
  static constexpr bool in_range = Rank > 0;
  static constexpr bool distinct = true;
  static constexpr std::size_t count = 1;
};
/// The rule `dims_fit` tells whether the array has the dimensions.
template <std::size_t Rank, fixed_string... Names>
struct axes_rule<Rank, dim_list<Names...>> {
  static constexpr bool in_range = true;
  static constexpr bool distinct = are_distinct(dims<Names...>::names);
  static constexpr std::size_t count = sizeof...(Names);
};
template <std::size_t Rank, int... Axes>
struct axes_rule<Rank, axis_list<Axes...>> {
  static constexpr bool in_range = axes_in_range<Rank, Axes...>;
  static constexpr bool distinct = !in_range || axes_distinct<Rank, Axes...>;
  static constexpr axis_mask mask = [] {
    if constexpr (sizeof...(Axes) == 0 || !in_range) {
      return axis_mask{0};
    } else {
      return axis_mask_of<Rank, Axes...>;
    }
  }();
  static constexpr std::size_t count = sizeof...(Axes);
};

}  // namespace detail

namespace detail {

template <class Option>
inline constexpr bool is_axes =
    is_axis_list<Option> || is_dim_list<Option> || std::same_as<Option, run_time_axis>;
template <class Option>
inline constexpr bool is_mask = false;
/// The option that only elements count that are no NaN.
struct numbers_only {};
template <class E>
inline constexpr bool is_mask<counted_where<E>> = true;

}  // namespace detail

/// Tells whether each of `Options` is one of a reduction: axes, `keepdims` or `where(valid)`.
template <class... Options>
inline constexpr bool are_reduction_options = ((detail::is_axes<Options> ||
                                                detail::is_mask<Options> ||
                                                std::same_as<Options, detail::numbers_only> ||
                                                std::same_as<Options, keepdims_t>)&&...);

/// Tells whether each axis is in `[-Rank, Rank)`.
template <std::size_t Rank, class Axes>
inline constexpr bool axes_fit = detail::axes_rule<Rank, Axes>::in_range;

/// Tells whether no axis is named twice.
template <std::size_t Rank, class Axes>
inline constexpr bool axes_differ = detail::axes_rule<Rank, Axes>::distinct;

namespace detail {

/// Tells whether a mask can be broadcast to the shape of `X`.
template <class X, class Option>
inline constexpr bool fits_as_mask = true;
template <class X, class E>
inline constexpr bool fits_as_mask<X, counted_where<E>> =
    !std::same_as<typename E::value_type, bool> || E::rank <= X::rank;
template <class Option>
inline constexpr bool is_condition = true;
template <class E>
inline constexpr bool is_condition<counted_where<E>> = std::same_as<typename E::value_type, bool>;
template <class... Options>
inline constexpr bool are_conditions = (is_condition<Options> && ...);
template <class X, class... Options>
inline constexpr bool are_masks = (fits_as_mask<X, Options> && ...);

/// Returns the axes of `x` that options name; all if none does.
template <std::size_t Rank, class... Options>
axis_mask reduced_axes(std::string_view function, const Options&... options) {
  using axes = axes_of<Options...>;
  if constexpr (std::same_as<axes, run_time_axis>) {
    axis_mask mask = 0;
    const auto note = [&](const auto& option) {
      if constexpr (std::same_as<std::remove_cvref_t<decltype(option)>, run_time_axis>) {
        mask = axis_mask{1} << checked_axis(function, option.value, Rank);
      }
    };
    (note(options), ...);
    return mask;
  } else {
    return axes_rule<Rank, axes>::mask;
  }
}

/// Returns the mask of the elements that all masks among the options let count.
template <class Option, class... Options>
auto mask_of(const Option& option, const Options&... options) {
  if constexpr (!is_mask<Option>) {
    return mask_of(options...);
  } else if constexpr ((is_mask<Options> || ...)) {
    return make_elementwise(op::logical_and{}, option.valid, mask_of(options...));
  } else {
    return option.valid;
  }
}

/// `Fold` of the elements that a first operand, a mask, says to count.
template <class Fold>
struct masked_fold : Fold {
  template <class, class T>
  using result = typename Fold::template result<T>;

  template <class, class T>
  static const fold_kernel& kernel() {
    return Fold::template counted_kernel<T, counting::masked>();
  }
};

/// Returns the node of `fold` of operands, the first of which may be a mask.
template <std::size_t Count, class Fold, class... Xs>
auto make_reduction(const Fold& fold, axis_mask reduced, const Xs&... xs) {
  using op_type = op::reduce<Fold, Count>;
  return expression<op_type, Xs...>(op_type{fold, reduced}, xs...);
}

/// `Fold` of the elements that are no NaN.
template <class Fold>
struct numbers_fold : Fold {
  template <class T>
  using result = typename Fold::template result<T>;

  template <class T>
  static const fold_kernel& kernel() {
    return Fold::template counted_kernel<T, counting::numbers>();
  }
};

/// As `make_reduction` of the elements of `x` that options let count. A fold that counts its
/// elements skips the rest; to a fold that does not count, the rest are `neutral`.
template <std::size_t Count, class Fold, class X, class... Options>
auto reduce_counted(const Fold& fold, axis_mask reduced, const X& x, const Options&... options) {
  using T = typename X::value_type;
  constexpr bool counts = requires { &Fold::template counted_kernel<T, counting::masked>; };
  constexpr bool is_masked = (is_mask<Options> || ...);
  constexpr bool are_numbers = (std::same_as<Options, numbers_only> || ...);
  if constexpr (!is_masked && !are_numbers) {
    return make_reduction<Count>(fold, reduced, x);
  } else if constexpr (!is_masked && counts) {
    return make_reduction<Count>(numbers_fold<Fold>{fold}, reduced, x);
  } else if constexpr (are_numbers) {
    const auto is_number = make_elementwise(op::logical_not{}, make_elementwise(op::isnan{}, x));
    return reduce_counted<Count>(fold, reduced, x,
                                 counted_where{mask_of(options..., counted_where{is_number})});
  } else if constexpr (counts) {
    return make_reduction<Count>(masked_fold<Fold>{fold}, reduced, mask_of(options...), x);
  } else {
    return make_reduction<Count>(
        fold, reduced,
        make_elementwise(op::where{}, mask_of(options...), x, Fold::template neutral<T>()));
  }
}

/// Returns the node of a reduction, with names if `x` has names; `x` itself if a rule is broken.
template <class Fold, class X, class... Options>
auto reduce(const Fold& fold, const X& x, const Options&... options) {
  using rule = axes_rule<X::rank, axes_of<Options...>>;
  lazy(x);
  static_assert(are_masks<X, Options...>,
                "tessera: where(valid): requires valid to have the shape of x, or one that is "
                "broadcast to it: a rank of at most that of x");
  if constexpr (!are_operands<X>) {
    return x;
  } else if constexpr (!dims_fit<X, Options...> || !rule::in_range || !rule::distinct ||
                       !are_masks<X, Options...> || !are_conditions<Options...> ||
                       !fold_takes<Fold, typename X::value_type>) {
    return x;
  } else if constexpr (have_names<X>) {
    return along_names([&fold](const auto&... args) { return reduce(fold, args...); }, x,
                       options...);
  } else if constexpr (rule::count == 0) {
    // A fold needs an axis: one of extent 1 changes nothing.
    const auto row = add_axes<X::rank + 1>(Fold::name, x, axis_mask{1} << X::rank);
    if constexpr ((is_mask<Options> || ...) && (std::same_as<Options, numbers_only> || ...)) {
      return reduce(fold, row, axis<-1>, counted_where{mask_of(options...)}, numbers_only{});
    } else if constexpr ((is_mask<Options> || ...)) {
      return reduce(fold, row, axis<-1>, counted_where{mask_of(options...)});
    } else if constexpr ((std::same_as<Options, numbers_only> || ...)) {
      return reduce(fold, row, axis<-1>, numbers_only{});
    } else {
      return reduce(fold, row, axis<-1>);
    }
  } else {
    const axis_mask reduced = reduced_axes<X::rank>(Fold::name, options...);
    const auto folded = reduce_counted<rule::count>(fold, reduced, x, options...);
    if constexpr ((std::same_as<Options, keepdims_t> || ...)) {
      return add_axes<X::rank>(Fold::name, folded, reduced);
    } else {
      return folded;
    }
  }
}

/// Tells whether options are right for a reduction of `X`: their kinds, and the axes.
template <class X, class... Options>
inline constexpr bool are_right_options = are_reduction_options<Options...>&&
    axes_fit<X::rank, axes_of<Options...>>&& axes_differ<X::rank, axes_of<Options...>>;

/// Tells whether options are right, and dimensions among them are dimensions of `X`.
template <class X, class... Options>
inline constexpr bool options_fit = are_right_options<X, Options...>&& dims_fit<X, Options...>;

/// As `reduce`; `x` itself if options are wrong.
template <class Fold, class X, class... Options>
auto reduce_right(const Fold& fold, const X& x, const Options&... options) {
  if constexpr (are_right_options<X, Options...>) {
    return reduce(fold, x, options...);
  } else {
    return x;
  }
}

}  // namespace detail
}  // namespace tessera
