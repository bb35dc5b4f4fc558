// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arrays whose element type and rank are known at run time alone.

#include "tessera/array/array.hpp"
#include "tessera/array/chunk_lengths.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/storage/stored_array.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tessera {

struct zarr_metadata;

/// An array of a dtype and a rank that are known at run time alone: a stored array of a file with
/// unknown contents, or a function of such arrays (`run_time_elementwise.hpp`). Copying is cheap.
class any_array {
 public:
  /// A stored array.
  any_array(std::shared_ptr<const stored_array> opened, std::shared_ptr<const spec> spec);
  /// Makes an array of the elements of `view`, of this layout.
  any_array(array_view view, const array_layout& layout);
  template <element T, std::size_t N>
  any_array(const array<T, N>& x) : any_array(x.view(), x.layout()) {}

  /// Returns the dtype of the numbers, int64 for times.
  ///
  /// Throws: dtype_error <- the elements are no numbers; `stored().stored_type()` is their type.
  [[nodiscard]] tessera::dtype dtype() const;
  [[nodiscard]] std::size_t rank() const { return shape().size(); }
  [[nodiscard]] const index_vector& shape() const;
  /// Returns the chunks of the stored array, or the chunks that `rechunk` gave it.
  [[nodiscard]] const index_vector& chunks() const { return chunks_; }
  [[nodiscard]] bool is_stored() const { return opened_ != nullptr; }
  /// Return the metadata of a Zarr array, and the attributes of any stored array. Throws:
  /// value_error <- the array is not stored.
  [[nodiscard]] const zarr_metadata& metadata() const;
  [[nodiscard]] const tessera::attributes& attributes() const { return stored().attributes(); }
  [[nodiscard]] const stored_array& stored() const;
  [[nodiscard]] const std::shared_ptr<const tessera::spec>& spec() const { return spec_; }
  /// Returns the view and its layout.
  ///
  /// Throws: dtype_error <- the elements are no numbers.
  [[nodiscard]] detail::shown_array shown() const;

  /// Returns a field of an array of records.
  ///
  /// Throws: zarr_error <- the elements are no records, or there is no such field. value_error <-
  /// it is not stored.
  [[nodiscard]] any_array field(const tessera::field& wanted) const;

  /// Returns the array with its type.
  ///
  /// Throws: dtype_error, shape_error <- it has another dtype or rank; the message names both.
  template <element T, std::size_t N>
  [[nodiscard]] array<T, N> as() const {
    return array<T, N>(shown_as(dtype_of<T>, N));
  }

  friend any_array rechunk(const any_array& x, const chunk_lengths& chunks);

 private:
  [[nodiscard]] detail::shared_state<detail::shown_array> shown_as(tessera::dtype type,
                                                                   std::size_t rank) const;

  /// Null if the array is not stored.
  std::shared_ptr<const stored_array> opened_;
  /// The view and the layout of an array that is not stored.
  detail::shared_state<detail::shown_array> shown_;
  std::shared_ptr<const tessera::spec> spec_;
  index_vector chunks_;
};

/// Returns the elements of `x` in other chunks, as `rechunk` of an array of a known type.
///
/// Example: `ts::store(ts::rechunk(ts::open_any("maps.zarr"), {8760, 72, 144}), "series.zarr");`
/// Throws:  as `rechunk` of such an array.
[[nodiscard]] any_array rechunk(const any_array& x, const chunk_lengths& chunks);

/// Opens the array in the directory `path`, of any data type and rank.
///
/// Throws: zarr_error <- no array is there, or it is malformed or not supported.
[[nodiscard]] any_array open_any(const std::string& path, const open_options& options = {});
[[nodiscard]] any_array open_any(const std::string& path, const spec& limits);
/// Opens the array at `path` in a store.
[[nodiscard]] any_array open_any(std::shared_ptr<key_value_store> store, std::string_view path,
                                 const open_options& options = {});

namespace detail {

[[noreturn]] void throw_not_visited(const any_array& x);

/// The type of the parameter of a function that has one type, as a lambda without `auto`; else
/// void.
template <class F>
struct sole_parameter {
  using type = void;
};
template <class F>
requires requires { &F::operator(); }
struct sole_parameter<F> : sole_parameter<decltype(&F::operator())> {};
template <class R, class P, bool E>
struct sole_parameter<R(P) noexcept(E)> {
  using type = std::remove_cvref_t<P>;
};
template <class R, class P, bool E>
struct sole_parameter<R (*)(P) noexcept(E)> : sole_parameter<R(P)> {};
template <class R, class C, class P, bool E>
struct sole_parameter<R (C::*)(P) noexcept(E)> : sole_parameter<R(P)> {};
template <class R, class C, class P, bool E>
struct sole_parameter<R (C::*)(P) const noexcept(E)> : sole_parameter<R(P)> {};

template <class P, class T, std::size_t N>
inline constexpr bool is_another_array = false;
template <class U, std::size_t M, class T, std::size_t N>
inline constexpr bool is_another_array<array<U, M>, T, N> = !std::same_as<array<U, M>, array<T, N>>;

/// Arrays do not become arrays of another type on the way into a function of one type.
template <class F, class T, std::size_t N>
concept takes_array =
    !is_another_array<typename sole_parameter<F>::type, T, N> && std::invocable<F&, array<T, N>>;

/// The result type of `F` for arrays of the first of `Ts` and of the least rank that it takes.
template <class F, std::size_t N, std::size_t MaxRank, class... Ts>
struct visit_result {
  using type = void;
};
template <class F, std::size_t N, std::size_t MaxRank, class T, class... Ts>
struct visit_result<F, N, MaxRank, T, Ts...>
    : std::conditional_t<(N < MaxRank), visit_result<F, N + 1, MaxRank, T, Ts...>,
                         visit_result<F, 0, MaxRank, Ts...>> {};
template <class F, std::size_t N, std::size_t MaxRank, class T, class... Ts>
requires takes_array<F, T, N>
struct visit_result<F, N, MaxRank, T, Ts...> {
  using type = std::invoke_result_t<F&, array<T, N>>;
};

template <class F, std::size_t MaxRank>
using visit_result_t =
    typename visit_result<F, 0, MaxRank, double, float, std::int64_t, std::int32_t, std::int16_t,
                          std::int8_t, std::uint64_t, std::uint32_t, std::uint16_t, std::uint8_t,
                          bool, float16, complex64, complex128>::type;

template <class R, class T, std::size_t N, std::size_t MaxRank, class F>
R visit_rank(const any_array& x, F& f) {
  if constexpr (N > MaxRank) {
    throw_not_visited(x);
  } else {
    if (x.rank() != N) return visit_rank<R, T, N + 1, MaxRank>(x, f);
    if constexpr (takes_array<F, T, N>) {
      return f(x.as<T, N>());
    } else {
      throw_not_visited(x);
    }
  }
}

}  // namespace detail

/// Calls `f` with `x` as an `array<T, N>` of its dtype and rank and returns the result.
///
/// Every array type that `f` accepts is compiled: constrain `f`, or name the greatest rank, to
/// compile fewer types. All of them return one type. A function of one type, as a lambda with the
/// parameter `const ts::array<double, 2>&`, takes arrays of that type alone.
/// Example:
/// ```
/// const double greatest = ts::visit(x, []<ts::real_element T, std::size_t N>(
///                                          const ts::array<T, N>& a) {
///   const T result = ts::max(a).compute();
///   return static_cast<double>(result);
/// });
/// ```
/// Throws:  value_error <- `f` does not take arrays of this dtype and rank. dtype_error <- the
///          elements are no numbers.
template <std::size_t MaxRank = 4, class F>
auto visit(const any_array& x, F&& f) {
  using function = std::remove_reference_t<F>;
  using result = detail::visit_result_t<function, MaxRank>;
  return visit_dtype(x.dtype(), [&]<class T>(type_tag<T>) -> result {
    return detail::visit_rank<result, T, 0, MaxRank>(x, f);
  });
}

/// An array of any data type that a plan stores; the result of `stored`.
class stored_any_array {
 public:
  stored_any_array(const any_array& x, std::shared_ptr<const array_destination> destination);
  [[nodiscard]] const array_layout& layout() const { return layout_; }
  [[nodiscard]] const plan_output& output() const { return output_; }

 private:
  array_layout layout_;
  plan_output output_;
};

namespace detail {

template <>
struct request<stored_any_array> {
  using result = any_array;

  static const array_layout& layout(const stored_any_array& x) { return x.layout(); }
  static plan_output output(const stored_any_array& x) { return x.output(); }
  static any_array receive(const computed_output& output, const array_layout& layout) {
    return {tessera::stored_array_of(*output.stored)->with({}), layout.spec};
  }
};
template <>
inline constexpr bool comes_in_memory<stored_any_array> = false;

}  // namespace detail

/// Returns the options that store a copy of `x` in the format of `x`: chunks, codecs, order,
/// separator, attributes. A copy has the data type and the fill value anyway. For an array that is
/// not stored, only the chunks are set.
[[nodiscard]] store_options as_stored(const any_array& x);

/// Returns `x` as something that a plan copies to `path`, as `store` does; nothing is written yet.
///
/// Example: `ts::plan(ts::stored(ts::rechunk(x, {8760, 72, 144}), "series.zarr")).cost()`
[[nodiscard]] stored_any_array stored(const any_array& x, const std::string& path);
[[nodiscard]] stored_any_array stored(const any_array& x, const std::string& path,
                                      const store_options& options);

/// Stores `x`, an array of any data type, in the directory `path`, in its chunks: a stored array
/// with its metadata and attributes, in place of an older array.
///
/// Returns: the stored array, open.
/// Memory:  at most the allowed memory for one task.
/// Throws:  as `store` of an array of a known type.
any_array store(const any_array& x, const std::string& path, const run_with& settings = {});
any_array store(const any_array& x, std::shared_ptr<key_value_store> store, std::string_view path,
                const run_with& settings = {});
/// Copies `x` in the format of `options`. The copy has the data type of `x`, and by default its
/// attributes and fill value.
any_array store(const any_array& x, const std::string& path, const store_options& options,
                const run_with& settings = {});

}  // namespace tessera
