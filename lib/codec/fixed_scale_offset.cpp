// SPDX-License-Identifier: Apache-2.0
#include "codec/chosen.hpp"
#include "codec/number_filter.hpp"
#include "codec/option_reader.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace tessera::detail {

namespace {

/// A number of JSON. It keeps its kind: NumPy computes with 10 in integers, with 10.0 in doubles.
struct scalar {
  bool is_integer = false;
  std::int64_t integer = 0;
  double real = 0;
};

/// Encodes x as (x - offset) * scale, rounded half to even, and decodes x / scale + offset.
///
/// NumPy computes with floating-point arrays in their type. Integers wrap in their type up to the
/// first real operand, and are doubles from there on. Division is in double.
class fixed_scale_offset_codec final : public number_filter {
 public:
  fixed_scale_offset_codec(scalar offset, scalar scale, number_type decoded, number_type encoded)
      : number_filter("fixedscaleoffset", decoded, encoded), offset_(offset), scale_(scale) {}

  [[nodiscard]] std::string to_json() const override {
    nlohmann::json object{
        {"id", "fixedscaleoffset"}, {"dtype", decoded_.to_text()}, {"astype", encoded_.to_text()}};
    object["offset"] = json_of(offset_);
    object["scale"] = json_of(scale_);
    return object.dump();
  }

 private:
  static nlohmann::json json_of(const scalar& value) {
    return value.is_integer ? nlohmann::json(value.integer) : nlohmann::json(value.real);
  }

  template <class T>
  static T as(const scalar& value) {
    return value.is_integer ? static_cast<T>(value.integer) : static_cast<T>(value.real);
  }

  template <class T>
  [[nodiscard]] T encoded(T value) const {
    return std::nearbyint((value - as<T>(offset_)) * as<T>(scale_));
  }
  [[nodiscard]] float16 encoded(float16 value) const {
    const float16 scaled = (value - float16(offset_.real)) * float16(scale_.real);
    return float16(std::nearbyint(float{scaled}));
  }
  template <class T>
  [[nodiscard]] T decoded(T value) const {
    return value / as<T>(scale_) + as<T>(offset_);
  }
  [[nodiscard]] float16 decoded(float16 value) const {
    return value / float16(scale_.real) + float16(offset_.real);
  }

  /// Reads numbers as `T`, computes, and writes them.
  template <class T, class F>
  static void transform(const std::byte* in, const number_type& from, std::size_t count,
                        const number_type& to, std::byte* out, F f) {
    for_each_strip<T>(count, [&](std::size_t first, std::span<T> strip) {
      convert_numbers(in + first * from.size, from, strip.size(), native_type<T>(),
                      std::as_writable_bytes(strip).data());
      for (T& value : strip) value = f(value);
      convert_numbers(std::as_bytes(strip).data(), native_type<T>(), strip.size(), to,
                      out + first * to.size);
    });
  }

  /// Encodes integers with an integer offset, modulo the size of the type.
  void encode_integers(const std::byte* in, std::size_t count, std::byte* out) const {
    number_type wide = decoded_;
    wide.byte_order = std::endian::native;
    visit_number(wide, [&]<class T>(T) {
      if constexpr (std::is_integral_v<T>) {
        const auto moved = [this](T value) {
          return static_cast<T>(static_cast<std::uint64_t>(value) -
                                static_cast<std::uint64_t>(offset_.integer));
        };
        if (scale_.is_integer) {
          return transform<T>(in, decoded_, count, encoded_, out, [&](T value) {
            return static_cast<T>(static_cast<std::uint64_t>(moved(value)) *
                                  static_cast<std::uint64_t>(scale_.integer));
          });
        }
        encode_moved<T>(in, count, out, moved);
      }
    });
  }

  template <class T, class F>
  void encode_moved(const std::byte* in, std::size_t count, std::byte* out, F moved) const {
    std::array<double, numbers_at_a_time> results;
    for_each_strip<T>(count, [&](std::size_t first, std::span<T> strip) {
      read_numbers(in + first * sizeof(T), decoded_.is_swapped(), strip);
      for (std::size_t i = 0; i < strip.size(); ++i) {
        results[i] = std::nearbyint(static_cast<double>(moved(strip[i])) * scale_.real);
      }
      convert_numbers(std::as_bytes(std::span(results)).data(), native_type<double>(), strip.size(),
                      encoded_, out + first * encoded_.size);
    });
  }

  void encode_numbers(const std::byte* in, std::size_t count, std::byte* out) const override {
    const auto by = [this](auto value) { return encoded(value); };
    if (decoded_.kind == 'f' && decoded_.size == 2) {
      transform<float16>(in, decoded_, count, encoded_, out, by);
    } else if (decoded_.kind == 'f' && decoded_.size == 4) {
      transform<float>(in, decoded_, count, encoded_, out, by);
    } else if (decoded_.kind == 'f' || !offset_.is_integer) {
      transform<double>(in, decoded_, count, encoded_, out, by);
    } else {
      encode_integers(in, count, out);
    }
  }

  void decode_numbers(const std::byte* in, std::size_t count, std::byte* out) const override {
    const auto by = [this](auto value) { return decoded(value); };
    if (encoded_.kind == 'f' && encoded_.size == 2) {
      transform<float16>(in, encoded_, count, decoded_, out, by);
    } else if (encoded_.kind == 'f' && encoded_.size == 4) {
      transform<float>(in, encoded_, count, decoded_, out, by);
    } else {
      transform<double>(in, encoded_, count, decoded_, out, by);
    }
  }

  scalar offset_;
  scalar scale_;
};

scalar read_scalar(const option_reader& options, const char* name) {
  const nlohmann::json& value = options.raw(name);
  if (!value.is_number()) options.refuse(name, "a number");
  scalar result{.real = value.get<double>()};
  if (value.is_number_unsigned()) {
    result.is_integer = value.get<std::uint64_t>() <= std::uint64_t{1} << 62;
  } else {
    result.is_integer = value.is_number_integer();
  }
  if (result.is_integer) result.integer = value.get<std::int64_t>();
  return result;
}

/// As std::in_range, for bool as well.
template <class T>
bool fits_in(std::int64_t value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value == 0 || value == 1;
  } else {
    return std::in_range<T>(value);
  }
}

/// Throws codec_error unless `value` fits in `type`: NumPy would widen the type for a greater
/// value.
void require_fits(const option_reader& options, const char* name, const scalar& value,
                  const number_type& type) {
  const bool fits = visit_number(type, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, float16> || std::is_floating_point_v<T>) {
      // The text of the greatest value of a narrower type may be above it, and rounds to it.
      return std::isfinite(static_cast<double>(static_cast<T>(value.real)));
    } else {
      return !value.is_integer || fits_in<T>(value.integer);
    }
  });
  if (!fits) options.refuse(name, "a number that its types can hold");
}

std::shared_ptr<const byte_codec> make_fixed_scale_offset_codec(std::string_view configuration,
                                                                codec_elements elements) {
  const option_reader options(configuration, {"offset", "scale", "dtype", "astype"});
  const number_type decoded = options.number("dtype", number_type::of(elements));
  const number_type encoded = options.number("astype", decoded);
  if (decoded.kind == 'b') options.refuse("dtype", "a type of numbers");
  if (encoded.kind == 'b') options.refuse("astype", "a type of numbers");
  const scalar offset = read_scalar(options, "offset");
  const scalar scale = read_scalar(options, "scale");
  for (const auto& [name, value] : {std::pair("offset", offset), std::pair("scale", scale)}) {
    require_fits(options, name, value, decoded);
    if (encoded.kind == 'f') require_fits(options, name, value, encoded);
  }
  if (scale.real == 0) options.refuse("scale", "a number other than 0");
  return std::make_shared<fixed_scale_offset_codec>(offset, scale, decoded, encoded);
}

}  // namespace
}  // namespace tessera::detail

namespace tessera::codec {

const known_codec fixedscaleoffset::known{"fixedscaleoffset",
                                          &detail::make_fixed_scale_offset_codec};

configuration fixedscaleoffset::chosen() const {
  return chosen_by({{"id", known.id},
                    {"offset", offset},
                    {"scale", scale},
                    {"dtype", text_of(dtype)},
                    {"astype", text_of(astype)}},
                   "dtype");
}

}  // namespace tessera::codec
