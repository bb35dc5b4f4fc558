// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"

#include "codec/chosen.hpp"
#include "codec/number_filter.hpp"
#include "codec/option_reader.hpp"

namespace tessera::detail {

namespace {

/// Adds or subtracts as in NumPy: integers wrap.
template <class T>
T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return a + b;
  }
}

template <class T>
T difference(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  } else {
    return a - b;
  }
}

/// Returns the type of sums: NumPy's promotion of `decoded` and `encoded`.
///
/// NumPy promotes int64 and uint64 to float64, which loses digits. Here integers wrap, so that
/// decoding returns the original values. A sum of booleans is true from the first true value on.
number_type sum_type(const number_type& decoded, const number_type& encoded) {
  if (decoded.kind != 'f' && encoded.kind != 'f') return decoded.kind == 'b' ? encoded : decoded;
  const auto float_size = [](const number_type& type) {
    if (type.kind == 'f') return type.size;
    return std::min<std::size_t>(2 * type.size, 8);
  };
  return {'f', std::max(float_size(decoded), float_size(encoded)), std::endian::native};
}

/// Encodes x[0], and then the differences x[i] - x[i - 1].
class delta_codec final : public number_filter {
 public:
  delta_codec(number_type decoded, number_type encoded)
      : number_filter("delta", decoded, encoded), sum_(sum_type(decoded, encoded)) {}

  [[nodiscard]] std::string to_json() const override {
    return nlohmann::json{
        {"id", "delta"}, {"dtype", decoded_.to_text()}, {"astype", encoded_.to_text()}}
        .dump();
  }

 private:
  void encode_numbers(const std::byte* in, std::size_t count, std::byte* out) const override {
    if (decoded_.kind == 'b' || encoded_.kind == 'b') {
      throw codec_error(
          "codec delta: booleans are decoded as numcodecs does, but not encoded, since their "
          "differences lose what they were; leave the filter out");
    }
    visit_number(decoded_, [&]<class T>(T) {
      T before{};
      for_each_strip<T>(count, [&](std::size_t first, std::span<T> strip) {
        read_numbers(in + first * sizeof(T), decoded_.is_swapped(), strip);
        for (std::size_t i = 0; i < strip.size(); ++i) {
          const T value = strip[i];
          if (first + i > 0) strip[i] = difference(value, before);
          before = value;
        }
        convert_numbers(std::as_bytes(strip).data(), native_type<T>(), strip.size(), encoded_,
                        out + first * encoded_.size);
      });
    });
  }

  void decode_numbers(const std::byte* in, std::size_t count, std::byte* out) const override {
    visit_number(sum_, [&]<class T>(T) {
      T total{};
      for_each_strip<T>(count, [&](std::size_t first, std::span<T> strip) {
        convert_numbers(in + first * encoded_.size, encoded_, strip.size(), native_type<T>(),
                        std::as_writable_bytes(strip).data());
        for (std::size_t i = 0; i < strip.size(); ++i) {
          total = first + i > 0 ? sum(total, strip[i]) : strip[i];
          strip[i] = total;
        }
        convert_numbers(std::as_bytes(strip).data(), native_type<T>(), strip.size(), decoded_,
                        out + first * decoded_.size);
      });
    });
  }

  number_type sum_;
};

std::shared_ptr<const byte_codec> make_delta_codec(std::string_view configuration,
                                                   codec_elements elements) {
  const option_reader options(configuration, {"dtype", "astype"});
  const number_type decoded = options.number("dtype", number_type::of(elements));
  const number_type encoded = options.number("astype", decoded);
  if (decoded.kind == 'b' && options.raw("dtype").is_null()) {
    throw codec_error(
        "codec delta: the differences of booleans lose what they were; leave the filter out");
  }
  return std::make_shared<delta_codec>(decoded, encoded);
}

}  // namespace
}  // namespace tessera::detail

namespace tessera::codec {

const known_codec delta::known{"delta", &detail::make_delta_codec};

configuration delta::chosen() const {
  if (dtype == tessera::dtype::boolean || astype == tessera::dtype::boolean) {
    throw codec_error(
        "codec delta: the differences of booleans lose what they were; leave the filter out");
  }
  return chosen_by({{"id", known.id}, {"dtype", text_of(dtype)}, {"astype", text_of(astype)}},
                   "dtype");
}

}  // namespace tessera::codec
