// SPDX-License-Identifier: Apache-2.0
/// \file
/// The codec "scale_offset" of Zarr version 3.
///
/// Floating-point numbers are computed in their type. Integers are exact: each value that the type
/// does not hold is an error, and so is a quotient with a remainder.
///
/// Source: zarr-extensions, `codecs/scale_offset`.
#include "tessera/core/error.hpp"

#include "codec/api/v3_filters.hpp"
#include "codec/number_filter.hpp"
#include "codec/option_reader.hpp"
#include "codec/scalar_json.hpp"
#include "core/api/wide_integer.hpp"

#include <fmt/format.h>
#include <utility>

namespace tessera::detail {

namespace {

using json = nlohmann::json;

template <class T>
T fitting(wide_integer value, std::string_view operation) {
  using limits = std::numeric_limits<T>;
  if (value >= limits::min() && value <= limits::max()) return static_cast<T>(value);
  throw codec_error(
      fmt::format("codec scale_offset: a value leaves the integers of {} B when it is {}: choose "
                  "other parameters",
                  sizeof(T), operation));
}

/// Returns the quotient. It is computed in wide integers, because the least integer of a type
/// divided by -1 leaves the type.
template <class T>
T divided(T value, T scale) {
  if (wide_integer{value} % scale != 0) {
    throw codec_error(fmt::format(
        "codec scale_offset: {} is no multiple of the scale {}, and has no integer quotient", value,
        scale));
  }
  return fitting<T>(wide_integer{value} / scale, "divided");
}

class scale_offset_codec final : public number_filter {
 public:
  scale_offset_codec(number_type type, json offset, json scale, std::string text)
      : number_filter("scale_offset", type, type),
        offset_(std::move(offset)),
        scale_(std::move(scale)),
        text_(std::move(text)) {}

  [[nodiscard]] std::string to_json() const override { return text_; }

 private:
  void encode_numbers(const std::byte* in, std::size_t count, std::byte* out) const override {
    transform(in, count, out, []<class T>(T value, T offset, T scale) {
      if constexpr (std::is_integral_v<T>) {
        const T moved = fitting<T>(wide_integer{value} - offset, "moved");
        // Products of unsigned integers of 64 bits exceed wide integers.
        T scaled{};
        if (!__builtin_mul_overflow(moved, scale, &scaled)) return scaled;
        return fitting<T>(wide_integer{std::numeric_limits<T>::max()} + 1, "multiplied");
      } else {
        return (value - offset) * scale;
      }
    });
  }

  void decode_numbers(const std::byte* in, std::size_t count, std::byte* out) const override {
    transform(in, count, out, []<class T>(T value, T offset, T scale) {
      if constexpr (std::is_integral_v<T>) {
        return fitting<T>(wide_integer{divided(value, scale)} + offset, "moved");
      } else {
        return value / scale + offset;
      }
    });
  }

  template <class F>
  void transform(const std::byte* in, std::size_t count, std::byte* out, F f) const {
    visit_scalar(decoded_, [&]<class T>(T) {
      const T offset = scalar_from<T>(offset_).value_or(T{});
      const T scale = scalar_from<T>(scale_).value_or(static_cast<T>(1));
      for_each_strip<T>(count, [&](std::size_t first, std::span<T> strip) {
        read_numbers(in + first * sizeof(T), decoded_.is_swapped(), strip);
        for (T& value : strip) value = f(value, offset, scale);
        write_numbers(std::span<const T>(strip), decoded_.is_swapped(), out + first * sizeof(T));
      });
    });
  }

  json offset_;
  json scale_;
  std::string text_;
};

/// Throws codec_error unless an option is absent or a number of `type`.
void require_number(const option_reader& options, const char* name, const number_type& type,
                    bool may_be_zero) {
  const json& value = options.raw(name);
  if (value.is_null()) return;
  const bool is_valid = visit_scalar(type, [&]<class T>(T) {
    const auto number = scalar_from<T>(value);
    return number && (may_be_zero || *number != T{});
  });
  if (is_valid) return;
  options.refuse(name, may_be_zero ? "a number of the type of the elements"
                                   : "a number of the type of the elements, other than 0");
}

}  // namespace

std::shared_ptr<const byte_codec> make_scale_offset_codec(std::string_view configuration,
                                                          codec_elements elements) {
  const option_reader options(configuration, {"offset", "scale"});
  json object{{"id", options.id()}};
  for (const char* const member : {"offset", "scale"}) {
    if (!options.raw(member).is_null()) object[member] = options.raw(member);
  }
  std::string text = object.dump(-1, ' ', true, json::error_handler_t::replace);
  if (elements.kind == codec_elements::unknown) {
    return std::make_shared<scale_offset_codec>(number_type{'f', 8}, json(), json(),
                                                std::move(text));
  }
  const auto type = number_type::of(elements);
  if (!type || elements.kind != type->kind || type->kind == 'b') {
    throw codec_error(
        "codec scale_offset: the elements must be integers or floating-point numbers");
  }
  require_number(options, "offset", *type, true);
  require_number(options, "scale", *type, false);
  return std::make_shared<scale_offset_codec>(*type, options.raw("offset"), options.raw("scale"),
                                              std::move(text));
}

bool is_of_version_3(std::string_view id) { return id == "scale_offset" || id == "cast_value"; }

}  // namespace tessera::detail
