// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Stores arrays, and opens them.

#include "tessera/array/array.hpp"
#include "tessera/array/chunk_lengths.hpp"
#include "tessera/array/open.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/codec/configuration.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/storage/attributes.hpp"
#include "tessera/storage/chunk_policy.hpp"
#include "tessera/storage/existing.hpp"
#include "tessera/store/key_value_store.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

/// A number of any kind as the value of an option; null if it is not set.
using any_number =
    std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, complex128>;

/// Options of a stored array.
struct store_options {
  /// Omitted: the chunks of the array itself.
  chunk_lengths chunks = {};
  /// The extents of a shard, which is stored under one key; its chunks are encoded one by one.
  /// Omitted: each chunk is stored under its own key. For version 3 of the format.
  std::vector<index_t> shards = {};
  /// The version of the Zarr format, 2 or 3. Omitted: the version of the group above, or 2.
  std::optional<int> format = std::nullopt;
  /// The codecs that encode a chunk, in order, before the compressor.
  std::vector<codec::configuration> filters = {};
  codec::configuration compressor = {};
  tessera::attributes attributes = {};
  /// The names of the axes; none or one for each axis. Version 2 has them in `_ARRAY_DIMENSIONS`.
  /// If they are omitted, and `attributes` has none either, the names of the array itself are
  /// written. An axis of array "a" without a name, or with the name of an axis before it, is named
  /// "a_dim_0" after its position.
  std::vector<std::string> dimension_names = {};
  /// The path or "scheme://place" of a group. Its coordinates are stored beside the result: for
  /// each axis of the result, the array of one axis that has the name and the extent of that axis.
  /// Arrays that are there already stay. Elements of coordinates are copied unchanged: if an axis
  /// is flipped or rolled, store its coordinate by itself.
  std::string coordinates = {};
  /// The character between the indices in a chunk's key: '.' or '/'. Version 3 has '/'.
  char dimension_separator = '.';
  /// The layout of a chunk: 'C' (row-major) or 'F' (column-major).
  char order = 'C';
  /// The elements of missing chunks. With null the array states nothing, since none of its
  /// chunks will be missing; if empty chunks are omitted, null is 0. Readers such as xarray take
  /// elements that equal a stated fill value for missing data.
  any_number fill_value = nullptr;
  /// Whether chunks that hold the fill value alone are stored.
  empty_chunks empty = empty_chunks::write;
  /// Whether an existing array is kept or replaced.
  tessera::existing existing = tessera::existing::replace;
  /// The part of an existing array to write, while the rest stays: for each of its axes `whole` or
  /// a slice of step 1. It begins at a chunk and ends at a chunk or at the end of the array.
  /// Chunks, codecs, fill value and attributes of the existing array hold; an option that
  /// contradicts them is an error. Omitted: a new array is written.
  std::vector<slice> region = {};
};

namespace detail {

/// Returns the destination of an array of `layout` and `type`: location and format.
///
/// Throws: shape_error <- chunks or dimension names of another rank. value_error <- a chunk is not
/// positive, or `type` does not have the fill value; the group of coordinates has none of an axis.
/// zarr_error <- a path with "." or "..". Of a region: as `stored`.
[[nodiscard]] std::shared_ptr<const array_destination> destination_of(const std::string& path,
                                                                      dtype type,
                                                                      const array_layout& layout,
                                                                      const store_options& options);
[[nodiscard]] std::shared_ptr<const array_destination> destination_of(
    std::shared_ptr<key_value_store> store, std::string_view path, dtype type,
    const array_layout& layout, const store_options& options);

/// Returns the chunks in which it is written.
[[nodiscard]] index_vector chunks_of(const array_destination& to);

}  // namespace detail

/// An array that a plan stores instead of computing it into memory, its type forgotten.
class store_target {
 public:
  store_target(const array_layout& layout, const array_handle& array,
               std::shared_ptr<const array_destination> destination);
  store_target(const store_target& target);
  store_target& operator=(const store_target& target);
  ~store_target();

  [[nodiscard]] const array_layout& layout() const { return layout_; }
  [[nodiscard]] const plan_output& output() const { return output_; }

 private:
  array_layout layout_;
  plan_output output_;
};

/// The result of `stored`: one type for each dtype and rank, whatever the expression. So each store
/// of a program compiles anew no more than its expression.
template <element T, std::size_t N>
class stored_expression : public store_target {
 public:
  using store_target::store_target;
};

namespace detail {

/// Returns the view of a result of `type` and `rank` that has been stored.
[[nodiscard]] shared_state<shown_array> shown_result(const computed_output& output,
                                                     const array_layout& layout, dtype type,
                                                     std::size_t rank);
/// Computes and stores one array, and returns its view.
[[nodiscard]] shared_state<shown_array> store_shown(const store_target& x, const run_with& settings,
                                                    dtype type, std::size_t rank);

template <element T, std::size_t N>
struct request<stored_expression<T, N>> {
  using result = array<T, N>;

  static const array_layout& layout(const store_target& e) { return e.layout(); }
  static plan_output output(const store_target& e) { return e.output(); }
  static result receive(const computed_output& output, const array_layout& layout) {
    return result(shown_result(output, layout, dtype_of<T>, N));
  }
};

/// Returns `x` as an output that a plan stores at `to`; it is computed in the chunks of `to`.
template <array_expression X>
auto stored_at(const X& x, const std::shared_ptr<const array_destination>& to) {
  return stored_expression<typename X::value_type, X::rank>(x.layout(), lower(x, chunks_of(*to)),
                                                            to);
}

/// Computes and stores one array.
template <element T, std::size_t N>
array<T, N> store_one(const stored_expression<T, N>& x, const run_with& settings) {
  return array<T, N>(store_shown(x, settings, dtype_of<T>, N));
}

}  // namespace detail

/// Returns `x` as something that a plan stores at `path`, a directory or "scheme://place"; nothing
/// is written yet.
///
/// Example: `auto [mean, anomaly] = ts::plan(m, ts::stored(x - m, "r.zarr/anomaly")).compute();`
/// Chunks: the chunks of `options`, or of `x`; `x` is computed in these chunks at once.
/// Throws: shape_error <- chunks or dimension names of another rank; a region of another shape or
///         rank, or one beyond its end. value_error <- a chunk is not positive, or the dtype
///         does not have the fill value; an option that contradicts the array that has the region.
///         zarr_error, dtype_error <- no array is there to have it, or one of another dtype.
template <array_expression X>
[[nodiscard]] auto stored(const X& x, const std::string& path, const store_options& options = {}) {
  return detail::stored_at(
      x, detail::destination_of(path, dtype_of<typename X::value_type>, x.layout(), options));
}
/// Returns `x` as something that a plan stores at `path` in a store.
template <array_expression X>
[[nodiscard]] auto stored(const X& x, std::shared_ptr<key_value_store> store, std::string_view path,
                          const store_options& options = {}) {
  return detail::stored_at(
      x, detail::destination_of(std::move(store), path, dtype_of<typename X::value_type>,
                                x.layout(), options));
}

/// Computes `x` with the options `settings` and stores it as a Zarr array at `path`, as `stored`.
/// It replaces an older array unless `options.existing` keeps that.
///
/// xarray opens the group that holds it: `store(x, "results.zarr/x")` and
/// `xarray.open_zarr("results.zarr")`. For that, its axes have names, see
/// `store_options::dimension_names`. Unless the names are given, no other array of the group may
/// have an axis of the same name and another extent. All of this is checked before anything is
/// computed.
///
/// Chunks that are replaced are removed first; files that no Zarr writer has made stay.
///
/// `x` may be computed from the array that is stored there, or from another region of it. Its
/// elements are complete in the work directory before the array changes, and a run that was stopped
/// goes on when it is begun again. Until it has ended, other programs are refused the array.
///
/// Returns: the stored array, open; with a region, all of it.
/// Memory:  at most the allowed memory for one task.
/// Throws:  as `stored` and `plan::compute`; store_error <- a chunk cannot be written. zarr_error
///          <- an array is kept, a group or a folder of files is there, or another run writes it.
///          shape_error <- an array of the group has an axis of the same name and another extent.
///          A run that reads an array while another one computes it from itself: zarr_error.
template <array_expression X>
array<typename X::value_type, X::rank> store(const X& x, const std::string& path,
                                             const store_options& options = {},
                                             const run_with& settings = {}) {
  return detail::store_one(stored(x, path, options), settings);
}
template <array_expression X>
array<typename X::value_type, X::rank> store(const X& x, std::shared_ptr<key_value_store> store,
                                             std::string_view path,
                                             const store_options& options = {},
                                             const run_with& settings = {}) {
  return detail::store_one(stored(x, std::move(store), path, options), settings);
}
/// The same with default options: `store(x, path, ts::run_with{.executor = e})`.
template <array_expression X, std::same_as<run_with> Settings>
array<typename X::value_type, X::rank> store(const X& x, const std::string& path,
                                             const Settings& settings) {
  return store(x, path, store_options{}, settings);
}
template <array_expression X, std::same_as<run_with> Settings>
array<typename X::value_type, X::rank> store(const X& x, std::shared_ptr<key_value_store> store,
                                             std::string_view path, const Settings& settings) {
  return tessera::store(x, std::move(store), path, store_options{}, settings);
}

}  // namespace tessera
