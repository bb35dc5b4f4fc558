// SPDX-License-Identifier: Apache-2.0
#include "codec/number_type.hpp"

#include "tessera/core/to_integer.hpp"

#include <fmt/format.h>
#include <utility>

namespace tessera::detail {

namespace {

/// Returns the kind and the bits, "f" and "32", of a name such as "float32", or nullopt.
std::optional<std::pair<char, std::string_view>> split_name(std::string_view text) {
  for (const std::string_view name : {"int", "uint", "float"}) {
    if (text.starts_with(name)) return std::pair(name[0], text.substr(name.size()));
  }
  return std::nullopt;
}

std::size_t size_of_bits(std::string_view digits) {
  if (digits == "8") return 1;
  if (digits == "16") return 2;
  if (digits == "32") return 4;
  return digits == "64" ? 8 : 0;
}

bool exists(char kind, std::size_t size) {
  if (kind == 'b') return size == 1;
  if (kind == 'f') return size == 2 || size == 4 || size == 8;
  return (kind == 'i' || kind == 'u') && std::has_single_bit(size) && size <= 8;
}

/// Converts `value` as NumPy's `astype` does.
template <class To, class From>
[[nodiscard]] To converted(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<From, float16>) {
    return converted<To>(float{value});
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return to_integer<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class From>
void convert_from(const std::byte* in, bool is_swapped, std::size_t count, const number_type& to,
                  std::byte* out) {
  visit_number(to, [&]<class To>(To) {
    std::array<To, numbers_at_a_time> results;
    for_each_strip<From>(count, [&](std::size_t first, std::span<From> strip) {
      read_numbers(in + first * sizeof(From), is_swapped, strip);
      for (std::size_t i = 0; i < strip.size(); ++i) results[i] = converted<To>(strip[i]);
      write_numbers(std::span<const To>(results).first(strip.size()), to.is_swapped(),
                    out + first * sizeof(To));
    });
  });
}

}  // namespace

void convert_numbers(const std::byte* in, const number_type& from, std::size_t count,
                     const number_type& to, std::byte* out) {
  if (count == 0) return;
  if (from == to && from.kind != 'b') {
    std::memcpy(out, in, count * from.size);
    return;
  }
  visit_number(
      from, [&]<class From>(From) { convert_from<From>(in, from.is_swapped(), count, to, out); });
}

std::optional<number_type> number_type::parse(std::string_view text) {
  number_type type;
  if (text == "bool") return number_type{'b', 1};
  if (const auto name = split_name(text)) {
    type = {name->first, size_of_bits(name->second)};
  } else {
    char order = '<';
    if (!text.empty() && std::string_view("<>|=").find(text.front()) != text.npos) {
      order = text.front();
      text.remove_prefix(1);
    }
    if (text.size() != 2 || text[1] < '1' || text[1] > '8') return std::nullopt;
    type = {text[0], static_cast<std::size_t>(text[1] - '0')};
    if (order == '|' && type.size > 1) return std::nullopt;
    if (order == '>' && type.size > 1) type.byte_order = std::endian::big;
  }
  return exists(type.kind, type.size) ? std::optional(type) : std::nullopt;
}

std::optional<number_type> number_type::of(const codec_elements& elements) {
  const bool is_time = elements.kind == 'm' || elements.kind == 'M';
  const char letter = is_time ? 'i' : elements.kind;
  if (!exists(letter, elements.itemsize)) return std::nullopt;
  const std::endian order = elements.itemsize > 1 ? elements.byte_order : std::endian::little;
  return number_type{letter, elements.itemsize, order};
}

std::string number_type::to_text() const {
  const char order = size == 1 ? '|' : byte_order == std::endian::big ? '>' : '<';
  return fmt::format("{}{}{}", order, kind, size);
}

}  // namespace tessera::detail
