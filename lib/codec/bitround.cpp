// SPDX-License-Identifier: Apache-2.0
#include "codec/buffer_checks.hpp"
#include "codec/chosen.hpp"
#include "codec/number_filter.hpp"
#include "codec/option_reader.hpp"

namespace tessera::detail {

namespace {

/// Returns the bits of the mantissa of a floating-point number of `size` bytes.
int mantissa_bits(std::size_t size) { return size == 2 ? 10 : size == 4 ? 23 : 52; }

/// Rounds floating-point numbers, half to even, to some bits of the mantissa. Decoding copies, so
/// that elements of any type may be decoded.
class bitround_codec final : public byte_codec {
 public:
  bitround_codec(int keepbits, codec_elements elements)
      : keepbits_(keepbits), elements_(elements) {}

  [[nodiscard]] std::string_view id() const override { return "bitround"; }
  [[nodiscard]] std::string to_json() const override {
    return nlohmann::json{{"id", "bitround"}, {"keepbits", keepbits_}}.dump();
  }
  [[nodiscard]] std::size_t max_encoded_size(std::size_t decoded_size) const override {
    return decoded_size;
  }
  [[nodiscard]] std::size_t workspace_size(std::size_t) const override {
    return std::size_t{16} << 10;  // a strip on the stack
  }
  [[nodiscard]] codec_elements encoded_elements() const override { return elements_; }

  [[nodiscard]] std::size_t encode(std::span<const std::byte> in,
                                   std::span<std::byte> out) const override {
    require_encode_room(id(), in.size(), in.size(), out.size());
    if (elements_.kind != 'f') {
      throw codec_error("codec bitround: only floating-point numbers can be encoded");
    }
    require_whole_elements(id(), in.size(), elements_.itemsize);
    const number_type bits{'u', elements_.itemsize, elements_.byte_order};
    visit_number(bits, [&]<class Number>(Number) {
      using T = bits_of<Number>;
      for_each_strip<T>(in.size() / sizeof(T), [&](std::size_t first, std::span<T> strip) {
        read_numbers(in.data() + first * sizeof(T), bits.is_swapped(), strip);
        for (T& value : strip) value = rounded(value);
        write_numbers(std::span<const T>(strip), bits.is_swapped(), out.data() + first * sizeof(T));
      });
    });
    return in.size();
  }

  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const override {
    require_decode_room(id(), in.size(), out.size());
    if (!in.empty()) std::memcpy(out.data(), in.data(), in.size());
    return in.size();
  }

 private:
  template <class T>
  [[nodiscard]] T rounded(T bits) const {
    const int dropped = mantissa_bits(sizeof(T)) - keepbits_;
    if (dropped == 0) return bits;
    const std::uint64_t wide = bits;
    const std::uint64_t below_half = (std::uint64_t{1} << (dropped - 1)) - 1;
    const std::uint64_t moved = wide + ((wide >> dropped) & 1) + below_half;
    return static_cast<T>(moved & ~((std::uint64_t{1} << dropped) - 1));
  }

  int keepbits_;
  codec_elements elements_;
};

std::shared_ptr<const byte_codec> make_bitround_codec(std::string_view configuration,
                                                      codec_elements elements) {
  const option_reader options(configuration, {"keepbits"});
  if (options.raw("keepbits").is_null()) options.refuse("keepbits", "an integer");
  const bool is_known = elements.kind != codec_elements::unknown;
  const bool is_float = elements.kind == 'f' && (elements.itemsize == 2 || elements.itemsize == 4 ||
                                                 elements.itemsize == 8);
  if (is_known && !is_float) {
    throw codec_error("codec bitround: the elements must be floating-point numbers of 2, 4 or 8 B");
  }
  const int most = mantissa_bits(is_float ? elements.itemsize : 8);
  return std::make_shared<bitround_codec>(static_cast<int>(options.integer("keepbits", 0, 0, most)),
                                          elements);
}

}  // namespace
}  // namespace tessera::detail

namespace tessera::codec {

const known_codec bitround::known{"bitround", &detail::make_bitround_codec};

configuration bitround::chosen() const {
  return chosen_by({{"id", known.id}, {"keepbits", keepbits}});
}

}  // namespace tessera::codec
