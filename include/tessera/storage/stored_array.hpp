// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The port of stored arrays: the properties that every format states of an array.

#include "tessera/core/array_source.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/storage/attributes.hpp"
#include "tessera/storage/chunk_policy.hpp"
#include "tessera/storage/data_type.hpp"
#include "tessera/storage/element_bytes.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// An array in storage, of any format, open for reading.
///
/// Plans and tasks read it as an `array_source`. Functions that open, decode, copy and describe
/// arrays ask for the properties below. A format derives one class from it.
///
/// Threads: as `array_source`; the properties are those of the time when the array was opened.
class stored_array : public array_source {
 public:
  /// Returns the data type in storage; `type()` is the type in memory.
  [[nodiscard]] virtual const data_type& stored_type() const = 0;
  /// Returns the extents of the units in which the array is stored: shards, or else chunks.
  [[nodiscard]] virtual const index_vector& shards() const = 0;
  /// Returns the element of missing chunks that the array states, or nullopt if it states none.
  [[nodiscard]] virtual const std::optional<element_bytes>& fill_value() const = 0;
  [[nodiscard]] virtual const tessera::attributes& attributes() const = 0;
  /// Returns the name of each axis, or no names. An axis without a name has the name "".
  [[nodiscard]] virtual const std::vector<std::string>& dimension_names() const = 0;

  /// Returns the field `name` of an array of records. The axes of an array in the field come last.
  ///
  /// Throws: zarr_error <- the elements are no records, or there is no such field.
  [[nodiscard]] virtual std::shared_ptr<const stored_array> field(std::string_view name) const = 0;

  /// Returns the same array, read by another policy. Throws: as `zarr_array::with`.
  [[nodiscard]] virtual std::shared_ptr<const stored_array> with(
      const chunk_policy& policy) const = 0;

  /// Returns the array as it was before a run began to overwrite it, or the same array if no run
  /// did.
  ///
  /// Throws: zarr_error <- the note of that run is malformed.
  [[nodiscard]] virtual std::shared_ptr<const stored_array> before_overwriting() const = 0;

  /// Returns the extents of the chunks that are read.
  [[nodiscard]] const index_vector& chunks() const { return read_grid().chunks(); }
  [[nodiscard]] std::size_t rank() const { return shape().size(); }
  /// Returns the dtype of an array of numbers, int64 for times.
  ///
  /// Throws: dtype_error <- the elements are no numbers; `stored_type()` is their type.
  [[nodiscard]] virtual tessera::dtype dtype() const = 0;
};

/// A source or a sink of a stored array, or of a part of one.
class stored_array_part {
 public:
  /// Returns the whole array, open for reading.
  [[nodiscard]] virtual std::shared_ptr<const stored_array> whole() const = 0;

 protected:
  ~stored_array_part() = default;
};

/// Returns the stored array of which `source` has the elements, or nullptr if it has none.
[[nodiscard]] std::shared_ptr<const stored_array> stored_array_of(const array_source& source);

}  // namespace tessera
