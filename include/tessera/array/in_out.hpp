// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Opens and stores Zarr arrays.

#include "tessera/array/array.hpp"
#include "tessera/array/chunk_lengths.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/codec/configuration.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/store/key_value_store.hpp"
#include "tessera/zarr/attributes.hpp"
#include "tessera/zarr/chunk_policy.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_destination.hpp"
#include "tessera/zarr/zarr_location.hpp"

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

/// A number of any kind, as options take it; null where there is none.
using any_number =
    std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, complex128>;

/// How an array is opened.
struct open_options {
  std::optional<tessera::spec> spec = std::nullopt;
  /// What a chunk that is not stored is: full of the fill value, or an error. By default it is an
  /// error where the array states no fill value, so that nothing says what the chunk would hold.
  /// zarr-python 3 leaves out chunks of zeros there: such arrays are read by `fill`.
  missing_chunks missing = missing_chunks::automatic;
  /// What stands between the numbers in a chunk's key, where the metadata do not tell the truth.
  std::optional<char> dimension_separator = std::nullopt;
};

/// The name of a field of an array of records; of a field within a field "outer.inner".
class field {
 public:
  explicit field(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// How an array is stored.
struct store_options {
  /// Omitted: the chunks of the array itself.
  chunk_lengths chunks = {};
  /// What encodes a chunk, in order, before the compressor does.
  std::vector<codec::configuration> filters = {};
  codec::configuration compressor = {};
  tessera::attributes attributes = {};
  /// The names of the axes, for the attribute `_ARRAY_DIMENSIONS`; none or one for each axis. Where
  /// they are omitted, and `attributes` has none either, they are those of the array itself; an
  /// axis of array "a" that has none, or that of an axis before it, is named "a_dim_0" after its
  /// place.
  std::vector<std::string> dimension_names = {};
  /// What stands between the numbers in a chunk's key: '.' or '/'.
  char dimension_separator = '.';
  /// The layout of a chunk: 'C' (row-major) or 'F' (column-major).
  char order = 'C';
  /// What the elements of missing chunks are. With null the array states nothing, since none of its
  /// chunks will be missing; where empty chunks are omitted, null is 0. Readers such as xarray take
  /// elements that equal a stated fill value for missing data.
  any_number fill_value = nullptr;
  /// Whether chunks that hold the fill value alone are stored.
  empty_chunks empty = empty_chunks::write;
  /// What happens to an array that is there already.
  tessera::existing existing = tessera::existing::replace;
  /// The part of an array that is there already which is written, while the rest stays: for each of
  /// its axes `whole` or a slice of step 1. It begins at a chunk and ends at one, or where the
  /// array does. Chunks, codecs, fill value and attributes are those of the array; an option that
  /// says otherwise is an error. Omitted: the array is made.
  std::vector<std::variant<whole_t, slice>> region = {};
};

namespace detail {

/// Returns what an array shows that is open already, and that people call `name`.
///
/// Throws: dtype_error, shape_error <- it has another dtype or rank; the message names both.
[[nodiscard]] std::shared_ptr<const shown_array> open_shown(zarr_array opened,
                                                            const std::string& name, dtype type,
                                                            std::size_t rank,
                                                            std::shared_ptr<const spec> spec);

/// Returns a field of an array of records as an array.
///
/// Throws: zarr_error <- the elements are no records, or there is no such field.
[[nodiscard]] zarr_array open_field(const zarr_array& records, const field& wanted);

/// Returns where and how an array of `layout` and `type` is stored.
///
/// Throws: shape_error <- chunks or dimension names of another rank. value_error <- a chunk is not
/// positive, or `type` does not have the fill value. zarr_error <- a path with "." or "..". Of a
/// region: as `stored`.
[[nodiscard]] zarr_destination make_destination(zarr_location where, const data_type& type,
                                                const array_layout& layout,
                                                const store_options& options);
/// Returns it as a plan takes it.
[[nodiscard]] std::shared_ptr<const array_destination> destination_of(zarr_location where,
                                                                      dtype type,
                                                                      const array_layout& layout,
                                                                      const store_options& options);

/// Returns a handle that follows the options.
[[nodiscard]] zarr_array with_options(const zarr_array& opened, const open_options& options);

/// Returns the spec of the options; null where they have none.
[[nodiscard]] std::shared_ptr<const spec> spec_of(const open_options& options);

template <element T, std::size_t N>
array<T, N> open_as(zarr_array opened, std::shared_ptr<const spec> spec) {
  const std::string name = opened.name();
  return array<T, N>(open_shown(std::move(opened), name, dtype_of<T>, N, std::move(spec)));
}

template <element T, std::size_t N>
array<T, N> open_field_as(const zarr_array& records, const field& wanted,
                          std::shared_ptr<const spec> spec) {
  return array<T, N>(open_shown(open_field(records, wanted), records.name() + "." + wanted.name(),
                                dtype_of<T>, N, std::move(spec)));
}

}  // namespace detail

/// Opens the Zarr array at `path`, a directory or "scheme://place" (`register_store`), for reading.
///
/// Without a spec, the array follows those that it is computed with. Times (datetime64,
/// timedelta64) are opened as int64, see `stored_type`.
/// Chunks: those of the array.
/// Throws: zarr_error <- no array is there, or it is malformed or not supported.
///         dtype_error, shape_error <- it has another dtype or rank; the message names both.
template <element T, std::size_t N>
[[nodiscard]] array<T, N> open(const std::string& path) {
  return detail::open_as<T, N>(zarr_array::open(path), nullptr);
}
template <element T, std::size_t N>
[[nodiscard]] array<T, N> open(const std::string& path, const spec& limits) {
  return detail::open_as<T, N>(zarr_array::open(path), std::make_shared<const spec>(limits));
}
template <element T, std::size_t N>
[[nodiscard]] array<T, N> open(const std::string& path, const open_options& options) {
  return detail::open_as<T, N>(detail::with_options(zarr_array::open(path), options),
                               detail::spec_of(options));
}
/// Opens the Zarr array at `path` in a store.
template <element T, std::size_t N>
[[nodiscard]] array<T, N> open(std::shared_ptr<key_value_store> store, std::string_view path) {
  return detail::open_as<T, N>(zarr_array::open(std::move(store), path), nullptr);
}
template <element T, std::size_t N>
[[nodiscard]] array<T, N> open(std::shared_ptr<key_value_store> store, std::string_view path,
                               const spec& limits) {
  return detail::open_as<T, N>(zarr_array::open(std::move(store), path),
                               std::make_shared<const spec>(limits));
}
template <element T, std::size_t N>
[[nodiscard]] array<T, N> open(std::shared_ptr<key_value_store> store, std::string_view path,
                               const open_options& options) {
  return detail::open_as<T, N>(
      detail::with_options(zarr_array::open(std::move(store), path), options),
      detail::spec_of(options));
}

/// Opens a field of an array of records, as `open` does an array of numbers.
///
/// The chunks of the records are read whole. An array in the field adds its axes behind the others.
/// Example: `auto x = ts::open<double, 1>("particles.zarr", ts::field("position.x"));`
/// Throws:  as `open`; zarr_error <- the elements are no records, or there is no such field.
template <element T, std::size_t N>
[[nodiscard]] array<T, N> open(const std::string& path, const field& wanted,
                               const open_options& options = {}) {
  return detail::open_field_as<T, N>(detail::with_options(zarr_array::open(path), options), wanted,
                                     detail::spec_of(options));
}
template <element T, std::size_t N>
[[nodiscard]] array<T, N> open(std::shared_ptr<key_value_store> store, std::string_view path,
                               const field& wanted, const open_options& options = {}) {
  return detail::open_field_as<T, N>(
      detail::with_options(zarr_array::open(std::move(store), path), options), wanted,
      detail::spec_of(options));
}

/// An expression that a plan stores instead of computing it into memory; made by `stored`.
template <array_expression E>
class stored_expression {
 public:
  stored_expression(const E& e, std::shared_ptr<const array_destination> destination)
      : layout_(e.layout()), destination_(std::move(destination)) {
    array_ = computed(lower(e, destination_->write_grid().chunks()));
  }
  [[nodiscard]] const array_layout& layout() const { return layout_; }
  [[nodiscard]] plan_output output() const { return {array_, destination_}; }

 private:
  array_layout layout_;
  std::shared_ptr<const array_destination> destination_;
  array_handle array_;
};

namespace detail {

template <array_expression E>
struct request<stored_expression<E>> {
  using result = array<typename E::value_type, E::rank>;

  static const array_layout& layout(const stored_expression<E>& e) { return e.layout(); }
  static plan_output output(const stored_expression<E>& e) { return e.output(); }
  static result receive(const computed_output& output, const array_layout& layout) {
    return open_as<typename E::value_type, E::rank>(*zarr_array_of(*output.stored), layout.spec);
  }
};

}  // namespace detail

/// Returns `x` as something that a plan stores at `path`, a directory or "scheme://place"; nothing
/// is written yet.
///
/// Example: `auto [mean, anomaly] = ts::plan(m, ts::stored(x - m, "r.zarr/anomaly")).compute();`
/// Chunks: those of `options`, or of `x`; `x` is computed in these chunks at once.
/// Throws: shape_error <- chunks or dimension names of another rank; a region of another shape or
///         rank, or one that cuts a chunk. value_error <- a chunk is not positive, or the dtype
///         does not have the fill value; an option that contradicts the array that has the region.
///         zarr_error, dtype_error <- no array is there to have it, or one of another dtype.
template <array_expression X>
[[nodiscard]] auto stored(const X& x, const std::string& path, const store_options& options = {}) {
  return stored_expression<X>(
      x,
      detail::destination_of(locate(path), dtype_of<typename X::value_type>, x.layout(), options));
}
/// Returns `x` as something that a plan stores at `path` in a store.
template <array_expression X>
[[nodiscard]] auto stored(const X& x, std::shared_ptr<key_value_store> store, std::string_view path,
                          const store_options& options = {}) {
  return stored_expression<X>(
      x, detail::destination_of({std::move(store), std::string(path)},
                                dtype_of<typename X::value_type>, x.layout(), options));
}

/// Computes `x` as `how` says and stores it as a Zarr array at `path`, as `stored`, in place of
/// what was there unless `options.existing` keeps it.
///
/// xarray opens the group that holds it: `store(x, "results.zarr/x")` and
/// `xarray.open_zarr("results.zarr")`. For that, its axes have names, see
/// `store_options::dimension_names`, and no other array of the group may have an axis of such a
/// name with another extent, unless the names are given. All of this is checked before anything is
/// computed.
///
/// Of a region, the chunks that are there are removed first, as an array is that is replaced.
///
/// Returns: the stored array, open; with a region, all of it.
/// Memory:  at most the allowed memory for one task.
/// Throws:  as `stored` and `plan::compute`; store_error <- a chunk cannot be written. zarr_error
///          <- an array is there and is kept, or a group is there, or an array is above it.
///          shape_error <- an array of the group has an axis of the same name and another extent.
///          value_error <- `x` is computed from what is stored there.
template <array_expression X>
array<typename X::value_type, X::rank> store(const X& x, const std::string& path,
                                             const store_options& options = {},
                                             const run_with& how = {}) {
  return plan(stored(x, path, options), how).compute();
}
template <array_expression X>
array<typename X::value_type, X::rank> store(const X& x, std::shared_ptr<key_value_store> store,
                                             std::string_view path,
                                             const store_options& options = {},
                                             const run_with& how = {}) {
  return plan(stored(x, std::move(store), path, options), how).compute();
}
/// The same with default options: `store(x, path, ts::run_with{.executor = e})`.
template <array_expression X, std::same_as<run_with> How>
array<typename X::value_type, X::rank> store(const X& x, const std::string& path, const How& how) {
  return store(x, path, store_options{}, how);
}
template <array_expression X, std::same_as<run_with> How>
array<typename X::value_type, X::rank> store(const X& x, std::shared_ptr<key_value_store> store,
                                             std::string_view path, const How& how) {
  return tessera::store(x, std::move(store), path, store_options{}, how);
}

}  // namespace tessera
