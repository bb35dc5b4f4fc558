// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/in_out.hpp"

#include "tessera/core/error.hpp"
#include "tessera/meta/promotion.hpp"

#include "array/stored_part.hpp"
#include "array/type_text.hpp"

#include <cmath>
#include <concepts>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace tessera {
namespace detail {
namespace {

/// Returns `value` as a `T`, or nullopt if `T` cannot represent it.
template <class T, class Number>
std::optional<element_bytes> element_of(Number value) {
  if constexpr (complex_element<Number>) {
    if constexpr (complex_element<T>) {
      return element_bytes(static_cast<T>(value));
    } else {
      return std::nullopt;
    }
  } else if constexpr (complex_element<T>) {
    return element_bytes(T(static_cast<real_t<T>>(value)));
  } else if constexpr (floating_element<T>) {
    return element_bytes(static_cast<T>(value));
  } else if constexpr (std::same_as<T, bool>) {
    if (value != Number{0} && value != Number{1}) return std::nullopt;
    return element_bytes(value != Number{0});
  } else {
    if constexpr (std::floating_point<Number>) {
      const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
      const bool fits = value >= (std::is_signed_v<T> ? -end : 0.0) && value < end;
      if (!fits || std::trunc(value) != value) return std::nullopt;
    } else if constexpr (!std::same_as<Number, bool>) {
      if (!std::in_range<T>(value)) return std::nullopt;
    }
    return element_bytes(static_cast<T>(value));
  }
}

}  // namespace

std::optional<element_bytes> fill_of(const store_options& options, const data_type& type) {
  const any_number& fill = options.fill_value;
  if (std::holds_alternative<std::nullptr_t>(fill)) {
    if (options.empty == empty_chunks::write) return std::nullopt;
    return element_bytes{};
  }
  const auto as_number = [&fill]<class T>(type_tag<T>) {
    return std::visit(
        [](auto value) -> std::optional<element_bytes> {
          if constexpr (std::same_as<decltype(value), std::nullptr_t>) {
            return std::nullopt;
          } else {
            return element_of<T>(value);
          }
        },
        fill);
  };
  const std::optional<dtype> number = type.element();
  const auto converted = number ? visit_dtype(*number, as_number) : std::nullopt;
  if (!converted) {
    throw value_error(
        fmt::format("store: no element of dtype {} is the fill value; give one that the array can "
                    "hold, or null",
                    text_of(type)));
  }
  return converted;
}

index_vector chunks_of(const array_destination& to) { return to.write_grid().chunks(); }

shared_state<shown_array> shown_result(const computed_output& output, const array_layout& layout,
                                       dtype type, std::size_t rank) {
  return open_shown(tessera::stored_array_of(*output.stored), type, rank, layout.spec);
}

shared_state<shown_array> store_shown(const store_target& x, const run_with& settings, dtype type,
                                      std::size_t rank) {
  return shown_result(compute_one(x.output(), x.layout(), settings), x.layout(), type, rank);
}

}  // namespace detail

}  // namespace tessera
