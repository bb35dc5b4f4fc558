// SPDX-License-Identifier: Apache-2.0
#include "zarr/native_bytes.hpp"

#include "tessera/core/strided_copy.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace tessera::detail {

namespace {

bool is_boolean(const data_type& type) {
  return type.kind() == data_kind::numeric && type.element() == dtype::boolean;
}

/// Returns the bytes of a component, the unit of swapping: a complex number has two, a text many.
std::size_t component_size(const data_type& type) {
  if (type.kind() == data_kind::text) return sizeof(char32_t);
  return type.letter() == 'c' ? type.itemsize() / 2 : type.itemsize();
}

/// Swaps the components of every element that are not in this machine's order. `f` sees the spans
/// of booleans.
template <class F>
void swap_components(std::span<std::byte> elements, const data_type& type, F f) {
  if (type.kind() == data_kind::structured) {
    // The nesting of fields, and so the recursion, is bounded by the parser of the metadata.
    for (; !elements.empty(); elements = elements.subspan(type.itemsize())) {
      for (const data_field& field : type.fields()) {
        if (is_native(field.type)) continue;
        swap_components(elements.subspan(field.offset, field.size()), field.type, f);
      }
    }
  } else if (is_boolean(type)) {
    f(elements);
  } else if (!is_native(type)) {
    swap_bytes(elements, component_size(type));
  }
}

}  // namespace

bool has_native_order(const data_type& type) {
  switch (type.kind()) {
    case data_kind::bytes:
    case data_kind::raw:
      return true;
    case data_kind::structured:
      return std::all_of(type.fields().begin(), type.fields().end(),
                         [](const data_field& field) { return has_native_order(field.type); });
    default:
      return component_size(type) == 1 || type.byte_order() == std::endian::native;
  }
}

data_type with_native_order(const data_type& type) {
  constexpr std::endian native = std::endian::native;
  switch (type.kind()) {
    case data_kind::numeric:
      return {*type.element(), native};
    case data_kind::datetime:
      return data_type::datetime64(type.unit(), type.multiple(), native);
    case data_kind::timedelta:
      return data_type::timedelta64(type.unit(), type.multiple(), native);
    case data_kind::text:
      return data_type::fixed_text(type.itemsize() / sizeof(char32_t), native);
    case data_kind::structured: {
      std::vector<data_field> fields = type.fields();
      for (data_field& field : fields) field.type = with_native_order(field.type);
      return data_type::structured(std::move(fields));
    }
    case data_kind::bytes:
    case data_kind::raw:
      break;
  }
  return type;
}

bool is_native(const data_type& type) {
  return has_native_order(type) && !is_boolean(type) &&
         std::all_of(type.fields().begin(), type.fields().end(),
                     [](const data_field& field) { return is_native(field.type); });
}

void make_native(std::span<std::byte> elements, const data_type& type) {
  if (is_native(type)) return;
  swap_components(elements, type, [](std::span<std::byte> booleans) {
    // Reading a bool of another value than 0 and 1 is undefined behaviour.
    for (std::byte& value : booleans) value = std::byte{value != std::byte{0}};
  });
}

void make_stored(std::span<std::byte> elements, const data_type& type) {
  if (has_native_order(type)) return;
  swap_components(elements, type, [](std::span<std::byte>) {});
}

}  // namespace tessera::detail
