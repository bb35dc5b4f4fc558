// SPDX-License-Identifier: Apache-2.0
#include "codec/chosen.hpp"
#include "codec/number_filter.hpp"
#include "codec/option_reader.hpp"

namespace tessera::detail {

namespace {

class astype_codec final : public number_filter {
 public:
  astype_codec(number_type decoded, number_type encoded)
      : number_filter("astype", decoded, encoded) {}

  [[nodiscard]] std::string to_json() const override {
    return nlohmann::json{{"id", "astype"},
                          {"encode_dtype", encoded_.to_text()},
                          {"decode_dtype", decoded_.to_text()}}
        .dump();
  }

 private:
  void encode_numbers(const std::byte* in, std::size_t count, std::byte* out) const override {
    convert_numbers(in, decoded_, count, encoded_, out);
  }
  void decode_numbers(const std::byte* in, std::size_t count, std::byte* out) const override {
    convert_numbers(in, encoded_, count, decoded_, out);
  }
};

std::shared_ptr<const byte_codec> make_astype_codec(std::string_view configuration,
                                                    codec_elements elements) {
  const option_reader options(configuration, {"encode_dtype", "decode_dtype"});
  return std::make_shared<astype_codec>(options.number("decode_dtype", number_type::of(elements)),
                                        options.number("encode_dtype"));
}

}  // namespace
}  // namespace tessera::detail

namespace tessera::codec {

const known_codec astype::known{"astype", &detail::make_astype_codec};

configuration astype::chosen() const {
  return chosen_by({{"id", known.id},
                    {"encode_dtype", text_of(encode_dtype)},
                    {"decode_dtype", text_of(decode_dtype)}},
                   "decode_dtype");
}

}  // namespace tessera::codec
