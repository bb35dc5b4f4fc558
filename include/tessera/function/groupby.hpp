// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reductions by groups: the label of an element is the number of its group.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/reduction.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/comparison.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/count.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/function/logical.hpp"
#include "tessera/function/reduction.hpp"
#include "tessera/function/selection.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/kernel/detail/counting.hpp"
#include "tessera/kernel/detail/monoid_common.hpp"
#include "tessera/kernel/monoid_fold.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tessera {

namespace detail {

/// `Fold` by labels, which come behind its operands.
template <class Fold>
struct grouped_fold : Fold {
  static constexpr bool is_labelled = true;
  static constexpr bool needs_elements = false;
  template <class T, class Label>
  using result = typename Fold::template result<T>;

  template <class T, class Label>
  static const fold_kernel& kernel() {
    if constexpr (requires { &Fold::template counted_kernel<T, counting::every_element>; }) {
      return Fold::template counted_kernel<T, counting::every_element>();
    } else {
      return Fold::template kernel<T>();
    }
  }
};

/// The tag of the count of each label.
struct label_count {
  static constexpr bool is_labelled = true;
  static constexpr std::string_view name = "bincount";
  template <class Label>
  using result = std::int64_t;

  template <class Label>
  static const fold_kernel& kernel() {
    return monoid_fold<num_taken>();
  }
};

/// Tells whether `F` is a tag of a reduction; else it is to be a monoid.
template <class F>
inline constexpr bool is_fold_tag = requires {
  { F::rule } -> std::convertible_to<op::fold_rule>;
};

/// Returns the tag of the fold of a group.
template <class F>
auto group_fold(const F& fold) {
  if constexpr (is_fold_tag<F>) {
    return fold;
  } else {
    return op::monoid<F>{};
  }
}

template <class F, class T>
consteval bool folds_groups_of() {
  if constexpr (is_fold_tag<F>) {
    return fold_takes<F, T>;
  } else if constexpr (monoid_of<F, T>) {
    return elements_of<decltype(finished<F>(std::declval<typename F::state>()))>::size == 1;
  } else {
    return false;
  }
}

/// Returns one label of labels of several kinds: their number, counted in row-major order of the
/// groups, or -1 if one is -1.
template <std::size_t I, class... Ls>
auto one_label(const std::tuple<Ls...>& labels, std::span<const index_t> counts) {
  const auto label = astype<std::int64_t>(std::get<I>(labels));
  if constexpr (I == 0) {
    return label;
  } else {
    const auto outer = one_label<I - 1>(labels, counts);
    const std::int64_t count = counts[I];
    const auto is_one = logical_and(outer >= std::int64_t{0}, label < count);
    return where(logical_and(is_one, label >= std::int64_t{0}), outer * count + label,
                 std::int64_t{-1});
  }
}

/// Returns the labels of an array of rank `Rank`: of rank 1 along the one axis that is folded.
template <std::size_t Rank, class L>
auto labels_over(const L& labels, axis_mask reduced) {
  if constexpr (L::rank < Rank) {
    return add_axes<Rank>("groupby_reduce", labels, axis_mask_of<Rank> & ~reduced);
  } else {
    return labels;
  }
}

template <class L>
struct label_list {
  using type = std::tuple<L>;
};
template <class... Ls>
struct label_list<std::tuple<Ls...>> {
  using type = std::tuple<Ls...>;
};

template <class X, class Labels, class... Options>
struct group_rules;
template <class X, class... Ls, class... Options>
struct group_rules<X, std::tuple<Ls...>, Options...> {
  static constexpr bool are_arrays = sizeof...(Ls) > 0 && (array_expression<Ls> && ...);
  static constexpr bool are_integers = [] {
    if constexpr (are_arrays) {
      return (integer_element<typename Ls::value_type> && ...);
    } else {
      return false;
    }
  }();
  static constexpr bool are_options =
      are_reduction_options<Options...> && !(std::same_as<Options, keepdims_t> || ...) &&
      axes_fit<X::rank, axes_of<Options...>> && axes_differ<X::rank, axes_of<Options...>>;
  static constexpr std::size_t num_axes = axes_rule<X::rank, axes_of<Options...>>::count;
  static constexpr bool have_rank = [] {
    if constexpr (are_arrays) {
      return ((Ls::rank == X::rank || (Ls::rank == 1 && num_axes == 1)) && ...);
    } else {
      return false;
    }
  }();
};

/// Returns the node of `fold` of `x` by labels of its rank.
template <std::size_t NumAxes, std::size_t NumOwn, class Fold, class X, class L, class... Options>
auto reduce_groups(const Fold& fold, const X& x, const L& label,
                   const std::array<index_t, NumOwn>& counts, axis_mask reduced,
                   const Options&... options) {
  if constexpr ((is_mask<Options> || ...)) {
    return reduce_groups<NumAxes>(fold, x, where(mask_of(options...), label, std::int64_t{-1}),
                                  counts, reduced);
  } else {
    using op_type = op::reduce<grouped_fold<Fold>, NumAxes, NumOwn>;
    return expression<op_type, X, L>(op_type{{fold}, reduced, counts}, x, label);
  }
}

}  // namespace detail

/// Returns, for each of `counts` groups, `fold` of the elements along some axes whose label is the
/// group's number; elements of other labels, as -1, are left out.
///
/// ```cpp
/// const auto climatology = groupby_reduce(t, month_of_step, op::mean{}, 12, axis<0>);
/// ```
/// `fold` is a tag of a reduction (`op::sum prod mean min max count var stddev first last argmin
/// argmax any all`) or a monoid of the user's. Labels are of rank 1, along the one axis that is
/// folded, or of the rank of `x`. Labels of several kinds are a tuple, with one count for each:
/// `groupby_reduce(x, std::tuple{years, months}, op::mean{}, {40, 12}, axis<0>)`.
///
/// Shape:    that of `x`, with the groups in the place of the first axis that is folded.
/// Chunks:   as `x`; groups are whole, or in several chunks of at most 2^22 elements.
/// Dtype:    as `fold` of `x`. Of no elements: sums are 0, products 1, `count` 0, `any` false,
///           `all` true, `argmin` and `argmax` -1; else NaN, or 0 of integers.
/// Memory:   a task keeps a state for each group and element of its chunk that stays.
/// Requires: labels of integers.
/// Throws:   shape_error <- a count is below 1; labels do not have the extent of their axis.
/// Source:   flox.groupby_reduce; its nanmean and other functions without NaN are `op::mean{}` with
///           the option `where(!isnan(x))`, which leaves out NaN.
template <unnamed_argument X, class Labels, class F, std::size_t N, class... Options>
[[nodiscard]] auto groupby_reduce(const X& x, const Labels& labels, const F& fold,
                                  const index_t (&counts)[N], Options... options) {
  using list = typename detail::label_list<Labels>::type;
  using rules = detail::group_rules<X, list, Options...>;
  static_assert(
      rules::are_integers,
      "tessera::groupby_reduce(x, labels, fold, n, axis<...>): requires labels of integers: "
      "a lazy array, or a std::tuple of them");
  static_assert(
      !rules::are_integers || std::tuple_size_v<list> == N,
      "tessera::groupby_reduce(x, labels, fold, {n, ...}, axis<...>): requires one number of "
      "groups for each array of labels");
  static_assert(
      rules::are_options,
      "tessera::groupby_reduce(x, labels, fold, n, options...): requires each option to be "
      "axis<k>, of axes of x that differ, or where(valid)");
  static_assert(
      !rules::are_integers || !rules::are_options || rules::have_rank,
      "tessera::groupby_reduce(x, labels, fold, n, axis<...>): requires labels of the rank "
      "of x, or of rank 1 and the one axis that they are along");
  static_assert(
      detail::folds_groups_of<F, typename X::value_type>(),
      "tessera::groupby_reduce(x, labels, fold, n, axis<...>): requires fold to be a tag as "
      "op::mean{}, of a reduction that takes elements of x, or a monoid with one result");
  if constexpr (rules::are_integers && rules::are_options && rules::have_rank &&
                std::tuple_size_v<list> == N &&
                detail::folds_groups_of<F, typename X::value_type>()) {
    const auto group_counts = std::to_array(counts);
    require_groups("groupby_reduce", group_counts);
    const axis_mask reduced = detail::reduced_axes<X::rank>("groupby_reduce", options...);
    const auto label = [&]<std::size_t... I>(const list& label_list, std::index_sequence<I...>) {
      return detail::one_label<N - 1>(
          std::tuple(detail::labels_over<X::rank>(std::get<I>(label_list), reduced)...),
          group_counts);
    }
    (list(labels), std::make_index_sequence<N>{});
    return detail::reduce_groups<rules::num_axes>(detail::group_fold(fold), x, label, group_counts,
                                                  reduced, options...);
  } else {
    return x;
  }
}
/// As above, with labels of one kind.
template <unnamed_argument X, class Labels, class F, class... Options>
[[nodiscard]] auto groupby_reduce(const X& x, const Labels& labels, const F& fold, index_t count,
                                  Options... options) {
  const index_t counts[] = {count};
  return groupby_reduce(x, labels, fold, counts, options...);
}

/// Returns the count of each of the numbers below `n` in `x`; other numbers are not counted. With
/// `weights`, the sum of the weights of its elements.
///
/// Shape:    `(n)`. Dtype: int64; with weights that of their sum.
/// Requires: elements that are integers, weights of their rank.
/// Throws:   shape_error <- `n` is below 1.
/// Source:   numpy.bincount, but that `n` is given, as the shape is known before elements are.
template <unnamed_argument X>
[[nodiscard]] auto bincount(const X& x, index_t n) {
  static_assert(integer_element<typename X::value_type>,
                "tessera::bincount(x, n): requires elements that are integers");
  if constexpr (integer_element<typename X::value_type> && X::rank > 0) {
    require_groups("bincount", {&n, 1});
    using op_type = op::reduce<detail::label_count, X::rank, 1>;
    const auto label = astype<std::int64_t>(x);
    return expression<op_type, std::remove_const_t<decltype(label)>>(
        op_type{{}, axis_mask_of<X::rank>, {n}}, label);
  } else {
    return x;
  }
}
template <unnamed_argument X, unnamed_argument W>
[[nodiscard]] auto bincount(const X& x, index_t n, const W& weights) {
  static_assert(integer_element<typename X::value_type>,
                "tessera::bincount(x, n): requires elements that are integers");
  static_assert(W::rank == X::rank,
                "tessera::bincount(x, n, weights): requires a weight for each element of x");
  if constexpr (integer_element<typename X::value_type> && W::rank == X::rank && X::rank > 0) {
    return groupby_reduce(weights, x, op::sum{}, n);
  } else {
    return weights;
  }
}

}  // namespace tessera
