// SPDX-License-Identifier: Apache-2.0
/// \file
/// The codec "cast_value" of Zarr version 3: numbers as numbers of another type.
///
/// Each element is replaced by the map of scalars, or converted with a rounding; a number outside
/// of the other type is an error, clamped, or wrapped. Decoding does the same from the other type
/// to the first.
///
/// Source: zarr-extensions, `codecs/cast_value`.
#include "tessera/core/error.hpp"

#include "codec/api/v3_filters.hpp"
#include "codec/exact_number.hpp"
#include "codec/number_filter.hpp"
#include "codec/option_reader.hpp"
#include "codec/scalar_json.hpp"

#include <fmt/format.h>
#include <utility>
#include <vector>

namespace tessera::detail {

namespace {

using json = nlohmann::json;

enum class out_of_range : std::uint8_t { error, clamp, wrap };

constexpr std::array<std::pair<std::string_view, rounding>, 5> roundings{
    {{"nearest-even", rounding::nearest_even},
     {"towards-zero", rounding::towards_zero},
     {"towards-positive", rounding::towards_positive},
     {"towards-negative", rounding::towards_negative},
     {"nearest-away", rounding::nearest_away}}};

/// Replacements of numbers; the first of equal keys counts.
using scalar_map = std::vector<std::pair<exact_number, exact_number>>;

struct cast_rules {
  rounding mode = rounding::nearest_even;
  out_of_range beyond = out_of_range::error;
  scalar_map encode = {};
  scalar_map decode = {};
};

/// Returns a finite number in decimals, for messages.
double shown(const exact_number& number) {
  const double size = std::ldexp(static_cast<double>(number.magnitude), number.exponent);
  return number.is_negative ? -size : size;
}

std::string name_of(const number_type& type) {
  const char* const kind = type.kind == 'f' ? "float" : type.kind == 'i' ? "int" : "uint";
  return fmt::format("{}{}", kind, 8 * type.size);
}

[[noreturn]] void throw_beyond(const exact_number& number, const number_type& to) {
  throw codec_error(
      fmt::format("codec cast_value: {} is no value of {}: set \"out_of_range\" to clamp{}, or map "
                  "it by \"scalar_map\"",
                  shown(number), name_of(to), to.kind == 'f' ? "" : " or wrap"));
}

[[noreturn]] void throw_not_finite(const exact_number& number, const number_type& to) {
  const bool is_nan = number.category == exact_number::kind::not_a_number;
  throw codec_error(fmt::format("codec cast_value: {} is no value of {}: map it by \"scalar_map\"",
                                is_nan               ? "NaN"
                                : number.is_negative ? "-Infinity"
                                                     : "Infinity",
                                name_of(to)));
}

template <class T>
T converted_to_float(const exact_number& number, const cast_rules& rules, const number_type& to) {
  using limits = std::numeric_limits<T>;
  if (number.category == exact_number::kind::not_a_number) return limits::quiet_NaN();
  const T infinity = number.is_negative ? static_cast<T>(-limits::infinity()) : limits::infinity();
  if (number.category == exact_number::kind::infinite) return infinity;
  if (const auto value = to_float<T>(number, rules.mode)) return *value;
  if (rules.beyond == out_of_range::error) throw_beyond(number, to);
  return infinity;
}

template <class T>
T converted_to_integer(const exact_number& number, const cast_rules& rules, const number_type& to) {
  using limits = std::numeric_limits<T>;
  if (number.category != exact_number::kind::finite) throw_not_finite(number, to);
  const rounded_integer value = nearest_integer(number, rules.mode);
  const auto greatest = static_cast<std::uint64_t>(limits::max());
  const std::uint64_t bound = !number.is_negative   ? greatest
                              : std::is_signed_v<T> ? greatest + 1
                                                    : 0;
  const bool fits = !value.is_beyond && value.magnitude <= bound;
  if (fits || rules.beyond == out_of_range::wrap) {
    return static_cast<T>(number.is_negative ? 0 - value.magnitude : value.magnitude);
  }
  if (rules.beyond == out_of_range::error) throw_beyond(number, to);
  return number.is_negative ? limits::min() : limits::max();
}

template <class T>
T converted(const exact_number& number, const cast_rules& rules, const number_type& to) {
  if constexpr (std::is_integral_v<T>) {
    return converted_to_integer<T>(number, rules, to);
  } else {
    return converted_to_float<T>(number, rules, to);
  }
}

exact_number replaced(const exact_number& number, const scalar_map& map) {
  for (const auto& [key, value] : map) {
    if (key == number) return value;
  }
  return number;
}

/// Reads `count` numbers of `from` and writes them as numbers of `to`.
void cast_numbers(const std::byte* in, const number_type& from, std::size_t count,
                  const number_type& to, std::byte* out, const cast_rules& rules,
                  const scalar_map& map) {
  constexpr std::size_t at_a_time = 256;
  std::array<exact_number, at_a_time> numbers;
  for (std::size_t done = 0; done < count; done += at_a_time) {
    const std::span<exact_number> strip =
        std::span(numbers).first(std::min(at_a_time, count - done));
    visit_scalar(from, [&]<class T>(T value) {
      const std::byte* next = in + done * sizeof(T);
      for (exact_number& number : strip) {
        read_numbers(next, from.is_swapped(), std::span(&value, 1));
        next += sizeof(T);
        number = replaced(exact(value), map);
      }
    });
    visit_scalar(to, [&]<class T>(T) {
      std::byte* next = out + done * sizeof(T);
      for (const exact_number& number : strip) {
        const T value = converted<T>(number, rules, to);
        write_numbers(std::span<const T>(&value, 1), to.is_swapped(), next);
        next += sizeof(T);
      }
    });
  }
}

class cast_value_codec final : public number_filter {
 public:
  cast_value_codec(number_type decoded, number_type encoded, cast_rules rules, std::string text)
      : number_filter("cast_value", decoded, encoded),
        rules_(std::move(rules)),
        text_(std::move(text)) {}

  [[nodiscard]] std::string to_json() const override { return text_; }

 private:
  void encode_numbers(const std::byte* in, std::size_t count, std::byte* out) const override {
    cast_numbers(in, decoded_, count, encoded_, out, rules_, rules_.encode);
  }
  void decode_numbers(const std::byte* in, std::size_t count, std::byte* out) const override {
    cast_numbers(in, encoded_, count, decoded_, out, cast_back(), rules_.decode);
  }

  /// Returns the rules of decoding: floating-point numbers do not wrap.
  [[nodiscard]] cast_rules cast_back() const {
    cast_rules rules{.mode = rules_.mode, .beyond = rules_.beyond};
    const bool wraps = rules.beyond == out_of_range::wrap;
    if (wraps && decoded_.kind == 'f') rules.beyond = out_of_range::error;
    return rules;
  }

  cast_rules rules_;
  std::string text_;
};

exact_number read_scalar(const option_reader& options, const json& value, const number_type& type) {
  return visit_scalar(type, [&]<class T>(T) {
    const auto number = scalar_from<T>(value);
    if (!number) {
      options.refuse("scalar_map", fmt::format("pairs of numbers, here one of {}", name_of(type)));
    }
    return exact(*number);
  });
}

scalar_map read_map(const option_reader& options, const char* direction, const number_type& from,
                    const number_type& to) {
  const json& maps = options.raw("scalar_map");
  if (maps.is_null()) return {};
  constexpr std::string_view expected = "an object of \"encode\" and \"decode\", lists of pairs";
  if (!maps.is_object()) options.refuse("scalar_map", expected);
  for (const auto& [name, value] : maps.items()) {
    if (name != "encode" && name != "decode") options.refuse("scalar_map", expected);
  }
  const json pairs = maps.value(direction, json::array());
  if (!pairs.is_array()) options.refuse("scalar_map", expected);
  // Each element is compared with each pair.
  constexpr std::size_t most_pairs = 1024;
  if (pairs.size() > most_pairs) options.refuse("scalar_map", "lists of at most 1024 pairs");
  scalar_map map;
  for (const json& pair : pairs) {
    if (!pair.is_array() || pair.size() != 2) options.refuse("scalar_map", expected);
    map.emplace_back(read_scalar(options, pair[0], from), read_scalar(options, pair[1], to));
  }
  return map;
}

/// Returns the rules but for the maps, which depend on the type of the elements.
cast_rules read_rules(const option_reader& options, const number_type& encoded) {
  cast_rules rules;
  const std::string mode = options.string("rounding", "nearest-even");
  const auto match =
      std::ranges::find_if(roundings, [&](const auto& entry) { return entry.first == mode; });
  if (match == roundings.end()) {
    options.refuse("rounding",
                   "nearest-even, towards-zero, towards-positive, towards-negative or "
                   "nearest-away");
  }
  rules.mode = match->second;
  if (!options.raw("out_of_range").is_null()) {
    const std::string beyond = options.string("out_of_range", "");
    const bool wraps = beyond == "wrap" && encoded.kind != 'f';
    if (beyond != "clamp" && !wraps) {
      options.refuse("out_of_range", "clamp, or wrap for a data type of integers");
    }
    rules.beyond = wraps ? out_of_range::wrap : out_of_range::clamp;
  }
  return rules;
}

/// Returns the options without their defaults.
std::string canonical_text(const option_reader& options) {
  json object{{"id", options.id()}, {"data_type", options.raw("data_type")}};
  for (const char* const member : {"rounding", "out_of_range", "scalar_map"}) {
    const json& value = options.raw(member);
    if (!value.is_null() && value != "nearest-even") object[member] = value;
  }
  return object.dump(-1, ' ', true, json::error_handler_t::replace);
}

}  // namespace

std::shared_ptr<const byte_codec> make_cast_value_codec(std::string_view configuration,
                                                        codec_elements elements) {
  const option_reader options(configuration,
                              {"data_type", "rounding", "out_of_range", "scalar_map"});
  number_type encoded = options.number("data_type");
  const std::string name = options.raw("data_type").get<std::string>();
  if (encoded.kind == 'b' || name != name_of(encoded)) {
    options.refuse("data_type", "int8 to int64, uint8 to uint64, float16, float32 or float64");
  }
  if (encoded.size > 1) encoded.byte_order = elements.byte_order;
  cast_rules rules = read_rules(options, encoded);
  if (elements.kind == codec_elements::unknown) {
    return std::make_shared<cast_value_codec>(encoded, encoded, rules, canonical_text(options));
  }
  const auto decoded = number_type::of(elements);
  if (!decoded || elements.kind != decoded->kind || decoded->kind == 'b') {
    throw codec_error("codec cast_value: the elements must be integers or floating-point numbers");
  }
  rules.encode = read_map(options, "encode", *decoded, encoded);
  rules.decode = read_map(options, "decode", encoded, *decoded);
  return std::make_shared<cast_value_codec>(*decoded, encoded, std::move(rules),
                                            canonical_text(options));
}

}  // namespace tessera::detail
