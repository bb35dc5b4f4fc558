// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Opens stored arrays.

#include "tessera/array/array.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/storage/chunk_policy.hpp"
#include "tessera/storage/stored_array.hpp"
#include "tessera/store/key_value_store.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tessera {

/// Options of `open`.
struct open_options {
  std::optional<tessera::spec> spec = std::nullopt;
  /// The content of a chunk that is not stored: the fill value, or an error. By default it is an
  /// error if the array states no fill value, because the content is unknown then. zarr-python 3
  /// omits chunks of zeros in such arrays: they are read by `fill`.
  missing_chunks missing = missing_chunks::automatic;
  /// The separator of the numbers in a chunk's key, if the metadata are wrong.
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

namespace detail {

/// Returns the view of an array that is open already; messages call it `name`.
///
/// Throws: dtype_error, shape_error <- it has another dtype or rank; the message names both.
[[nodiscard]] shared_state<shown_array> open_shown(std::shared_ptr<const stored_array> opened,
                                                   const std::string& name, dtype type,
                                                   std::size_t rank,
                                                   std::shared_ptr<const spec> spec);

/// As above; its own name is the one that people call it by.
[[nodiscard]] shared_state<shown_array> open_shown(std::shared_ptr<const stored_array> opened,
                                                   dtype type, std::size_t rank,
                                                   std::shared_ptr<const spec> spec);

/// Returns a field of an array of records as an array.
///
/// Throws: zarr_error <- the elements are no records, or there is no such field.
[[nodiscard]] std::shared_ptr<const stored_array> open_field(
    const std::shared_ptr<const stored_array>& records, const field& wanted);

/// Opens the array at `path`, of any format, for reading by the options.
///
/// Throws: zarr_error <- no array is there, or it is malformed or not supported.
[[nodiscard]] std::shared_ptr<const stored_array> open_stored(const std::string& path,
                                                              const open_options& options = {});
[[nodiscard]] std::shared_ptr<const stored_array> open_stored(
    std::shared_ptr<key_value_store> store, std::string_view path,
    const open_options& options = {});

/// Returns the spec of the options; null if they have none.
[[nodiscard]] std::shared_ptr<const spec> spec_of(const open_options& options);

template <element T, std::size_t N>
array<T, N> open_as(std::shared_ptr<const stored_array> opened, std::shared_ptr<const spec> spec) {
  return array<T, N>(open_shown(std::move(opened), dtype_of<T>, N, std::move(spec)));
}

template <element T, std::size_t N>
array<T, N> open_field_as(const std::shared_ptr<const stored_array>& records, const field& wanted,
                          std::shared_ptr<const spec> spec) {
  return array<T, N>(open_shown(open_field(records, wanted), records->name() + "." + wanted.name(),
                                dtype_of<T>, N, std::move(spec)));
}

}  // namespace detail

/// Opens the Zarr array at `path`, a directory or "scheme://place" (`register_store`), for reading.
///
/// Without a spec, the array follows the arrays that it is computed with. Times (datetime64,
/// timedelta64) are opened as int64, see `stored_type`.
/// Chunks: the chunks of the stored array.
/// Throws: zarr_error <- no array is there, or it is malformed or not supported.
///         dtype_error, shape_error <- it has another dtype or rank; the message names both.
template <element T, std::size_t N>
[[nodiscard]] array<T, N> open(const std::string& path) {
  return detail::open_as<T, N>(detail::open_stored(path), nullptr);
}
template <element T, std::size_t N>
[[nodiscard]] array<T, N> open(const std::string& path, const spec& limits) {
  return detail::open_as<T, N>(detail::open_stored(path), std::make_shared<const spec>(limits));
}
template <element T, std::size_t N>
[[nodiscard]] array<T, N> open(const std::string& path, const open_options& options) {
  return detail::open_as<T, N>(detail::open_stored(path, options), detail::spec_of(options));
}
/// Opens the Zarr array at `path` in a store.
template <element T, std::size_t N>
[[nodiscard]] array<T, N> open(std::shared_ptr<key_value_store> store, std::string_view path) {
  return detail::open_as<T, N>(detail::open_stored(std::move(store), path), nullptr);
}
template <element T, std::size_t N>
[[nodiscard]] array<T, N> open(std::shared_ptr<key_value_store> store, std::string_view path,
                               const spec& limits) {
  return detail::open_as<T, N>(detail::open_stored(std::move(store), path),
                               std::make_shared<const spec>(limits));
}
template <element T, std::size_t N>
[[nodiscard]] array<T, N> open(std::shared_ptr<key_value_store> store, std::string_view path,
                               const open_options& options) {
  return detail::open_as<T, N>(detail::open_stored(std::move(store), path, options),
                               detail::spec_of(options));
}

/// Opens a field of an array of records, as `open` does an array of numbers.
///
/// The chunks of the records are read whole. The axes of an array in the field come last.
/// Example: `auto x = ts::open<double, 1>("particles.zarr", ts::field("position.x"));`
/// Throws:  as `open`; zarr_error <- the elements are no records, or there is no such field.
template <element T, std::size_t N>
[[nodiscard]] array<T, N> open(const std::string& path, const field& wanted,
                               const open_options& options = {}) {
  return detail::open_field_as<T, N>(detail::open_stored(path, options), wanted,
                                     detail::spec_of(options));
}
template <element T, std::size_t N>
[[nodiscard]] array<T, N> open(std::shared_ptr<key_value_store> store, std::string_view path,
                               const field& wanted, const open_options& options = {}) {
  return detail::open_field_as<T, N>(detail::open_stored(std::move(store), path, options), wanted,
                                     detail::spec_of(options));
}

}  // namespace tessera
