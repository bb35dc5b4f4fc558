// SPDX-License-Identifier: Apache-2.0
#include "codec/chosen.hpp"
#include "codec/number_filter.hpp"
#include "codec/option_reader.hpp"

#include <cmath>

namespace tessera::detail {

namespace {

/// Returns the power of two by which numbers are scaled to keep `digits` decimal digits.
///
/// Source: numcodecs, quantize.py, step by step, as rounding between the steps matters.
double scale_of(int digits) {
  double exponent = std::log10(std::pow(10.0, -digits));
  exponent = exponent < 0 ? std::floor(exponent) : std::ceil(exponent);
  return std::exp2(std::ceil(std::log2(std::pow(10.0, -exponent))));
}

class quantize_codec final : public number_filter {
 public:
  quantize_codec(int digits, number_type decoded, number_type encoded)
      : number_filter("quantize", decoded, encoded), digits_(digits), scale_(scale_of(digits)) {}

  [[nodiscard]] std::string to_json() const override {
    return nlohmann::json{{"id", "quantize"},
                          {"digits", digits_},
                          {"dtype", decoded_.to_text()},
                          {"astype", encoded_.to_text()}}
        .dump();
  }

 private:
  template <class T>
  [[nodiscard]] T rounded(T value) const {
    if constexpr (std::is_same_v<T, float16>) {
      const auto scale = static_cast<float>(scale_);
      return float16(std::nearbyint(float{float16(value * scale)}) / scale);
    } else {
      return std::nearbyint(value * static_cast<T>(scale_)) / static_cast<T>(scale_);
    }
  }

  /// `T` is NumPy's type of the computation: the decoded type, or float if a half cannot hold the
  /// scale.
  template <class T>
  void encode_as(const std::byte* in, std::size_t count, std::byte* out) const {
    for_each_strip<T>(count, [&](std::size_t first, std::span<T> strip) {
      convert_numbers(in + first * decoded_.size, decoded_, strip.size(), native_type<T>(),
                      std::as_writable_bytes(strip).data());
      for (T& value : strip) value = rounded(value);
      convert_numbers(std::as_bytes(strip).data(), native_type<T>(), strip.size(), encoded_,
                      out + first * encoded_.size);
    });
  }

  void encode_numbers(const std::byte* in, std::size_t count, std::byte* out) const override {
    constexpr double greatest_half = 65504;
    if (decoded_.size == 2 && scale_ <= greatest_half) return encode_as<float16>(in, count, out);
    if (decoded_.size <= 4) return encode_as<float>(in, count, out);
    encode_as<double>(in, count, out);
  }

  void decode_numbers(const std::byte* in, std::size_t count, std::byte* out) const override {
    convert_numbers(in, encoded_, count, decoded_, out);
  }

  int digits_;
  double scale_;
};

std::shared_ptr<const byte_codec> make_quantize_codec(std::string_view configuration,
                                                      codec_elements elements) {
  const option_reader options(configuration, {"digits", "dtype", "astype"});
  if (options.raw("digits").is_null()) options.refuse("digits", "an integer");
  const number_type decoded = options.number("dtype", number_type::of(elements));
  const number_type encoded = options.number("astype", decoded);
  if (decoded.kind != 'f') options.refuse("dtype", "a floating-point type");
  if (encoded.kind != 'f') options.refuse("astype", "a floating-point type");
  // With more digits, the scale would overflow the type.
  const int most = decoded.size <= 4 ? 37 : 300;
  const auto digits = static_cast<int>(options.integer("digits", 0, -most, most));
  return std::make_shared<quantize_codec>(digits, decoded, encoded);
}

}  // namespace
}  // namespace tessera::detail

namespace tessera::codec {

const known_codec quantize::known{"quantize", &detail::make_quantize_codec};

configuration quantize::chosen() const {
  return chosen_by({{"id", known.id},
                    {"digits", digits},
                    {"dtype", text_of(dtype)},
                    {"astype", text_of(astype)}},
                   "dtype");
}

}  // namespace tessera::codec
