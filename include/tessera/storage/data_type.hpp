// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The data types of stored arrays: numbers, times, strings, records; of either byte order.

#include "tessera/codec/codec_elements.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The kinds of stored elements, with their letters in Zarr's metadata.
enum class data_kind : std::uint8_t {
  numeric,     ///< b i u f c: a `tessera::dtype`
  datetime,    ///< M: ticks since 1970 as int64; "not a time" is the least of them
  timedelta,   ///< m: a number of ticks as int64
  bytes,       ///< S: a string of bytes, padded by NULs behind
  text,        ///< U: a string of UTF-32 code units, padded by NULs behind
  raw,         ///< V: bytes without meaning
  structured,  ///< a record of fields
};

struct data_field;

/// The data type of a stored array, as a value: the meaning and the bytes of an element.
///
/// Source: the Zarr v2 specification, "Data type encoding"; NumPy's `dtype.str` and `dtype.descr`.
class data_type {
 public:
  /// The greatest size of an element. It bounds the memory of an array that is only opened, such
  /// as its fill value; NumPy would allow 2^31 - 1.
  static constexpr std::size_t max_itemsize = std::size_t{1} << 24;

  /// A number. Of elements without byte order `order` says nothing.
  data_type(dtype type, std::endian order = std::endian::little);

  /// A point in time, counted in ticks of `multiple` units: Y M W D h m s ms us ns ps fs as, or
  /// generic.
  ///
  /// Throws: zarr_error <- another unit, or `multiple` is not in [1, 2^31).
  [[nodiscard]] static data_type datetime64(std::string_view unit, index_t multiple = 1,
                                            std::endian order = std::endian::little);
  /// A span of time, counted as for `datetime64`.
  [[nodiscard]] static data_type timedelta64(std::string_view unit, index_t multiple = 1,
                                             std::endian order = std::endian::little);

  /// A string of `length` bytes. Throws: zarr_error <- `length` is 0 or above `max_itemsize`.
  [[nodiscard]] static data_type fixed_bytes(std::size_t length);
  /// A string of `length` code units of 4 bytes each. Throws: as `fixed_bytes`.
  [[nodiscard]] static data_type fixed_text(std::size_t length,
                                            std::endian order = std::endian::little);
  /// `length` bytes without meaning. Throws: as `fixed_bytes`.
  [[nodiscard]] static data_type raw(std::size_t length);

  /// A record of `fields`, packed one behind the other; their offsets are set here. A field of kind
  /// raw with an empty name is padding.
  ///
  /// Throws: zarr_error <- there are none, a name is empty or occurs twice, the record is too
  /// large.
  [[nodiscard]] static data_type structured(std::vector<data_field> fields);

  /// Returns the data type that `json` states: a string such as "<f8", or a list of fields.
  ///
  /// Throws: zarr_error <- it is malformed or not supported; the message names the place.
  [[nodiscard]] static data_type parse(std::string_view json);

  /// Returns the JSON that states this data type.
  [[nodiscard]] std::string to_json() const;

  [[nodiscard]] data_kind kind() const { return kind_; }
  /// Returns the bytes of one element, at least 1.
  [[nodiscard]] std::size_t itemsize() const { return itemsize_; }
  /// Returns the byte order of stored elements; little for elements without one, and for records.
  [[nodiscard]] std::endian byte_order() const { return order_; }
  /// Returns the dtype of numbers, int64 for times, or nullopt for other kinds.
  [[nodiscard]] std::optional<dtype> element() const;
  /// Returns NumPy's letter for the kind; records are V.
  [[nodiscard]] char letter() const;
  /// Returns the description of the elements for codecs.
  [[nodiscard]] codec_elements stored_elements() const { return {itemsize_, letter(), order_}; }

  /// Returns the unit of a time; "" for other kinds.
  [[nodiscard]] const std::string& unit() const { return unit_; }
  /// Returns how many units a tick has.
  [[nodiscard]] index_t multiple() const { return multiple_; }

  /// Returns the fields of a record, padding included; none for other kinds.
  [[nodiscard]] const std::vector<data_field>& fields() const { return fields_; }
  /// Returns the field `name` of a record.
  ///
  /// Throws: zarr_error <- there is none.
  [[nodiscard]] const data_field& field(std::string_view name) const;

  [[nodiscard]] bool operator==(const data_type& rhs) const;

 private:
  data_type(data_kind kind, std::size_t itemsize, std::endian order);

  data_kind kind_;
  dtype element_ = dtype::int64;
  std::endian order_ = std::endian::little;
  std::size_t itemsize_;
  std::string unit_;
  index_t multiple_ = 1;
  std::vector<data_field> fields_;
};

/// A field of a record: a value, or a dense row-major array of values.
struct data_field {
  std::string name;
  data_type type;
  /// The extents of an array of values; none for one value.
  index_vector shape = {};
  /// The bytes before the field.
  std::size_t offset = 0;

  /// Returns the number of values.
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(num_elements(shape)); }
  /// Returns the bytes of all its values.
  [[nodiscard]] std::size_t size() const { return count() * type.itemsize(); }
  [[nodiscard]] bool is_padding() const { return name.empty(); }
  [[nodiscard]] bool operator==(const data_field&) const = default;
};

}  // namespace tessera
