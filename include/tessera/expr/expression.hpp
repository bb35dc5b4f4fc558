// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Typed nodes: a function and its operands, with element type and rank known to the compiler.

#include "tessera/core/default_spec.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/shape_array.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/expr/refused_foreign_members.hpp"
#include "tessera/expr/refused_index.hpp"
#include "tessera/meta/promotion.hpp"

#include <algorithm>
#include <array>
#include <boost/hana/tuple.hpp>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

template <element T, std::size_t N>
class ndarray;

template <class T, std::size_t N>
class ndarray_view;

struct run_with;

namespace detail {

struct expression_tag : refused_foreign_members {};

/// Tells whether `X` is a computed array, which takes no part in expressions.
template <class X>
inline constexpr bool is_computed = false;
template <element T, std::size_t N>
inline constexpr bool is_computed<ndarray<T, N>> = N > 0;
template <class T, std::size_t N>
inline constexpr bool is_computed<ndarray_view<T, N>> = N > 0;

/// The type of an argument without the names of its axes: `E` for a `labelled<E, Dims>`.
template <class X>
struct unnamed {
  using type = X;
};
template <class X>
using unnamed_t = typename unnamed<X>::type;

/// The number that an array of `T` is taken for by those who forget to compute it.
template <element T>
using mistaken_for = std::conditional_t<complex_element<T>, T, double>;

template <std::size_t N>
std::array<index_t, N> to_array(const index_vector& values) {
  std::array<index_t, N> result{};
  std::copy_n(values.begin(), N, result.begin());
  return result;
}

}  // namespace detail

/// Arrays and expressions: lazy arrays of a static element type and rank.
template <class E>
concept array_expression = std::derived_from<E, detail::expression_tag> && requires(const E& e) {
  typename E::value_type;
  { E::rank } -> std::convertible_to<std::size_t>;
  { e.layout() } -> std::same_as<const array_layout&>;
};

/// The common interface of arrays and expressions: `Self` derives from it and has `layout()`.
template <class Self, element V, std::size_t N>
class array_interface : public detail::expression_tag {
 public:
  using value_type = V;
  static constexpr std::size_t rank = N;
  /// NumPy's words: the number of axes, and the bytes of an element.
  static constexpr std::size_t ndim = N;
  static constexpr std::size_t itemsize = sizeof(V);
  static_assert(rank_at_most<N, max_rank>, "tessera::array: requires a rank of at most 32");

  [[nodiscard]] shape_array<N> shape() const {
    return shape_array<N>(detail::to_array<N>(self().layout().shape));
  }
  /// Refused, with the remedy.
  [[nodiscard]] index_t shape(index_t /*axis*/) const {
    static_assert(detail::is_allowed<Self>,
                  "tessera: x.shape(): requires no axis: x.shape()[0] is the extent of axis 0");
    return 0;
  }
  /// Returns the extents of a chunk.
  [[nodiscard]] shape_array<N> chunks() const {
    return shape_array<N>(detail::to_array<N>(self().layout().chunks));
  }
  /// Returns the names of the axes, "" for an axis without one: those of the stored arrays that it
  /// is computed from, see `array_layout`.
  [[nodiscard]] std::vector<std::string> dimension_names() const {
    return self().layout().names.list(N);
  }
  /// Returns the number of elements.
  [[nodiscard]] index_t size() const { return num_elements(self().layout().shape); }
  /// Returns the bytes of all elements, at most 2^63 - 1.
  [[nodiscard]] index_t nbytes() const {
    constexpr index_t most = std::numeric_limits<index_t>::max() / sizeof(V);
    return size() > most ? std::numeric_limits<index_t>::max() : size() * index_t{sizeof(V)};
  }
  /// Returns the spec, or the present default one if none was given.
  [[nodiscard]] tessera::spec spec() const {
    const auto& given_spec = self().layout().spec;
    return given_spec ? *given_spec : default_spec();
  }

  /// Computes the elements. See `tessera::compute`.
  [[nodiscard]] ndarray<V, N> compute() const;
  [[nodiscard]] ndarray<V, N> compute(const run_with& settings) const;

  /// Returns the plan that `compute` runs. See `tessera::plan`.
  [[nodiscard]] auto plan() const { return make_plan(self()); }
  [[nodiscard]] auto plan(const run_with& settings) const { return make_plan(self(), settings); }

  /// Returns a part of the array, seen along axes in the order of the indices.
  ///
  /// Indices: an integer (drops its axis), `slice(...)`, `whole`, `newaxis`, at most one
  /// `ellipsis`. Axes without an index are whole. Negative integers count from the end.
  ///          `index({3, 1, 1})` lists indices along an axis; several lists are orthogonal, as with
  ///          NumPy's `ix_`; a list may be a lazy array of integers, as for `take`. One array of
  ///          bool of the rank of `x` selects the elements at which it is true, as `extract` does:
  ///          it is computed at once, the elements are not.
  /// Shape:   as in Python.
  /// Memory:  with lists: the block, one chunk and its encoding, and 8 bytes for each index of the
  ///          block; a task reads each chunk once.
  /// Throws:  shape_error <- an integer is out of range. value_error <- a step is zero.
  template <class... Indices>
  [[nodiscard]] auto operator()(Indices... indices) const {
    return index_array(self(), indices...);
  }
  /// Refused, with the remedy: braces are neither a range nor a list of indices, `all` no index.
  [[nodiscard]] Self operator()(detail::refused_index, detail::adjacent_index = 0,
                                detail::adjacent_index = 0, detail::adjacent_index = 0) const {
    return detail::refuse_as_index(self());
  }
  template <class First>
  [[nodiscard]] Self operator()(const First&, detail::refused_index, detail::adjacent_index = 0,
                                detail::adjacent_index = 0) const {
    return detail::refuse_as_index(self());
  }
  template <class First, class Second>
  [[nodiscard]] Self operator()(const First&, const Second&, detail::refused_index,
                                detail::adjacent_index = 0) const {
    return detail::refuse_as_index(self());
  }
  /// Returns the part at one index of the first axis, as `x(index)` does.
  template <class Index>
  [[nodiscard]] auto operator[](const Index& index) const {
    return index_array(self(), index);
  }
  /// Refused, as `x({0, 1})` is.
  [[nodiscard]] Self operator[](std::initializer_list<index_t>) const {
    return detail::refuse_as_index(self());
  }
  /// Returns the elements at some points: `x.at(rows, columns)` has the elements
  /// `x(rows[i], columns[i])`, as NumPy's `x[rows, columns]`; dask and xarray say `vindex`.
  ///
  /// Requires: a list, span, `std::vector` or computed array of integers for each axis, all of one
  ///           length; or for each a lazy array, which are broadcast: a task then holds their
  ///           blocks, its own and one chunk, and reads all of `x`. Negative integers count from
  ///           the end.
  /// Throws:   shape_error <- lengths differ, or an integer is out of range. task_error <- one of a
  ///           lazy array is.
  template <class... Lists>
  [[nodiscard]] auto at(const Lists&... lists) const {
    return index_points(self(), lists...);
  }

  /// Returns whole chunks: those that `indices` select of the grid of chunks.
  ///
  /// Indices: integers and slices of step 1 that count chunks, `whole`, `ellipsis`; each keeps its
  ///          axis, as in Dask: `x.blocks(0, slice(1, 3))`.
  /// Throws:  shape_error <- an integer is out of range. value_error <- another step.
  template <class... Indices>
  [[nodiscard]] auto blocks(Indices... indices) const {
    return index_blocks(self(), indices...);
  }

  /// Returns the array with its axes in reverse order. See `transpose`.
  [[nodiscard]] auto T() const { return detail::call_transpose(self()); }
  /// Returns the array with its last two axes exchanged. See `matrix_transpose`.
  [[nodiscard]] auto mT() const { return matrix_transpose(self()); }

  /// Refused: nothing is computed before `compute` asks for it. Without these conversions,
  /// compilers would not say so, but list every function that takes a number.
  operator detail::mistaken_for<V>() const {
    static_assert(detail::is_allowed<Self>,
                  "tessera: a lazy array is no number: mean(x).compute() is one, and "
                  "tessera::sqrt(x), not std::sqrt(x), is the function of its elements");
    return {};
  }
  template <std::same_as<bool> B>
  operator B() const {
    static_assert(detail::is_allowed<Self>,
                  "tessera: a lazy array is neither true nor false: all(a == b).compute() is, and "
                  "where(condition, a, b) chooses elements");
    return {};
  }

  /// Refused likewise: there are no elements yet to iterate over.
  const V* begin() const {
    static_assert(detail::is_allowed<Self>,
                  "tessera: for (... : x): a lazy array has no elements to iterate over; those of "
                  "x.compute() are there, and x(i) is a lazy row");
    return nullptr;
  }
  const V* end() const { return nullptr; }

 private:
  [[nodiscard]] const Self& self() const { return static_cast<const Self&>(*this); }
};

/// A C++ scalar as an operand, of the dtype that it takes.
template <element T>
struct scalar {
  using value_type = T;
  static constexpr std::size_t rank = 0;
  T value;
};

/// The rule of a family of nodes: `value_type`, `rank` and `lay_out(op, operands...)`.
template <class Op, class... Operands>
struct node_rule;

/// A typed node: the function `Op` of some operands, which it owns by value.
///
/// Extents and chunks are computed when the node is made; so is every check.
/// Example: `matmul(a, b)` of matrices is an
/// `expression<op::contraction<2>, array<double, 2>, array<double, 2>>`.
template <class Op, class... Operands>
class expression final : public array_interface<expression<Op, Operands...>,
                                                typename node_rule<Op, Operands...>::value_type,
                                                node_rule<Op, Operands...>::rank> {
 public:
  using op_type = Op;

  /// Throws: as the function does.
  explicit expression(Op op, Operands... operands)
      : layout_(detail::shared(node_rule<Op, Operands...>::lay_out(op, operands...))),
        op_(std::move(op)),
        operands_(std::move(operands)...) {}

  expression(const expression&) = default;
  expression(expression&&) = default;
  expression& operator=(const expression&) & = default;
  expression& operator=(expression&&) & = default;
  ~expression() = default;

  /// Refused: `r = r * 2` would change the type of `r`.
  template <class E>
  expression& operator=(const E&) & {
    static_assert(
        detail::is_allowed<E>,
        "tessera: r = ...: the type of an expression says how it is computed, so it takes "
        "no other; declare r as tessera::array<T, N>, as loops need it");
    return *this;
  }
  /// Refused: arrays are immutable.
  template <class E>
  expression& operator=(const E&) && {
    static_assert(detail::is_allowed<E>,
                  "tessera: x(...) = ...: elements of a lazy array cannot be assigned; "
                  "where(condition, a, b) chooses them, and those of x.compute() can be");
    return *this;
  }

  [[nodiscard]] const Op& op() const { return op_; }
  [[nodiscard]] const boost::hana::tuple<Operands...>& operands() const { return operands_; }
  [[nodiscard]] const array_layout& layout() const { return *layout_; }

 private:
  detail::shared_state<array_layout> layout_;
  [[no_unique_address]] Op op_;
  boost::hana::tuple<Operands...> operands_;
};

}  // namespace tessera
