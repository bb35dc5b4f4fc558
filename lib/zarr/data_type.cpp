// SPDX-License-Identifier: Apache-2.0
#include "tessera/storage/data_type.hpp"

#include "tessera/core/error.hpp"

#include "json/document.hpp"
#include "json/scanner.hpp"
#include "zarr/array_ports.hpp"
#include "zarr/native_bytes.hpp"
#include "zarr/v2/data_type_json.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <utility>

namespace tessera {

namespace {

constexpr std::array<std::string_view, 14> units{"Y",  "M",  "W",  "D",  "h",  "m",  "s",
                                                 "ms", "us", "ns", "ps", "fs", "as", "generic"};

/// Returns the bytes of `count` values of `size` bytes. Throws zarr_error beyond the limits.
std::size_t checked_size(std::size_t count, std::size_t size) {
  if (count == 0 || count > data_type::max_itemsize / size) {
    throw zarr_error(fmt::format("an element of {} x {} B must have at least 1 and at most {} B",
                                 count, size, data_type::max_itemsize));
  }
  return count * size;
}

/// Returns the bytes of a field. Its shape is not validated yet.
std::size_t checked_size(const data_field& field) {
  std::size_t count = 1;
  for (const index_t extent : field.shape) {
    if (extent < 1) {
      throw zarr_error(fmt::format("field {}: must have extents of at least 1, found shape {}",
                                   detail::quoted(detail::shortened(field.name)),
                                   format_shape(field.shape)));
    }
    count = checked_size(count, static_cast<std::size_t>(extent));
  }
  return checked_size(count, field.type.itemsize());
}

}  // namespace

data_type::data_type(dtype type, std::endian order)
    : kind_(data_kind::numeric),
      element_(type),
      order_(size_of(type) > 1 ? order : std::endian::little),
      itemsize_(size_of(type)) {}

data_type::data_type(data_kind kind, std::size_t itemsize, std::endian order)
    : kind_(kind), order_(order), itemsize_(itemsize) {}

data_type data_type::datetime64(std::string_view unit, index_t multiple, std::endian order) {
  if (std::find(units.begin(), units.end(), unit) == units.end() || multiple < 1 ||
      multiple > std::numeric_limits<std::int32_t>::max()) {
    throw zarr_error(
        fmt::format("the unit of a time must be Y, M, W, D, h, m, s, ms, us, ns, ps, fs, as or "
                    "generic, by a factor in [1, 2^31), found {} by {}",
                    detail::quoted(detail::shortened(unit)), multiple));
  }
  data_type result(data_kind::datetime, sizeof(std::int64_t), order);
  result.unit_ = unit;
  result.multiple_ = multiple;
  return result;
}

data_type data_type::timedelta64(std::string_view unit, index_t multiple, std::endian order) {
  data_type result = datetime64(unit, multiple, order);
  result.kind_ = data_kind::timedelta;
  return result;
}

data_type data_type::fixed_bytes(std::size_t length) {
  return {data_kind::bytes, checked_size(length, 1), std::endian::little};
}

data_type data_type::fixed_text(std::size_t length, std::endian order) {
  return {data_kind::text, checked_size(length, sizeof(char32_t)), order};
}

data_type data_type::raw(std::size_t length) {
  return {data_kind::raw, checked_size(length, 1), std::endian::little};
}

data_type data_type::structured(std::vector<data_field> fields) {
  std::set<std::string_view> names;
  std::size_t itemsize = 0;
  for (data_field& field : fields) {
    const bool is_named = !field.is_padding() || field.type.kind() == data_kind::raw;
    const bool is_new = field.is_padding() || names.insert(field.name).second;
    if (!is_named || !is_new) {
      throw zarr_error(fmt::format(
          "the fields of a record must have names, each another one, found {} {}",
          is_named ? "twice" : "the name", detail::quoted(detail::shortened(field.name))));
    }
    field.offset = itemsize;
    itemsize += checked_size(field);
    checked_size(itemsize, 1);
  }
  data_type result(data_kind::structured, checked_size(itemsize, 1), std::endian::little);
  result.fields_ = std::move(fields);
  return result;
}

std::optional<dtype> data_type::element() const {
  switch (kind_) {
    case data_kind::numeric:
    case data_kind::datetime:
    case data_kind::timedelta:
      return element_;
    default:
      return std::nullopt;
  }
}

char data_type::letter() const {
  switch (kind_) {
    case data_kind::datetime:
      return 'M';
    case data_kind::timedelta:
      return 'm';
    case data_kind::bytes:
      return 'S';
    case data_kind::text:
      return 'U';
    case data_kind::numeric:
      return detail::code_of(element_)[0];
    default:
      return 'V';
  }
}

const data_field& data_type::field(std::string_view name) const {
  for (const data_field& field : fields_) {
    if (!field.is_padding() && field.name == name) return field;
  }
  constexpr std::size_t most = 20;
  std::string names;
  for (std::size_t i = 0; i < std::min(fields_.size(), most); ++i) {
    if (fields_[i].is_padding()) continue;
    names += (names.empty() ? "" : ", ") + detail::quoted(fields_[i].name);
  }
  throw zarr_error(fmt::format("there is no field {}: elements {}", detail::quoted(name),
                               names.empty() ? "are no records" : "have the fields " + names));
}

bool data_type::operator==(const data_type& rhs) const {
  // Spelled out: clang 14 breaks on a default that leads back to itself by way of the fields.
  return kind_ == rhs.kind_ && element_ == rhs.element_ && order_ == rhs.order_ &&
         itemsize_ == rhs.itemsize_ && unit_ == rhs.unit_ && multiple_ == rhs.multiple_ &&
         fields_ == rhs.fields_;
}

namespace detail {

element_type element_type_of(const data_type& type) {
  if (const std::optional<dtype> number = type.element()) return *number;
  return element_type::opaque(with_native_order(type).to_json(), type.itemsize());
}

}  // namespace detail

}  // namespace tessera
