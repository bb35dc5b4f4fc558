// SPDX-License-Identifier: Apache-2.0
#include "codec/buffer_checks.hpp"
#include "codec/checksum.hpp"
#include "codec/chosen.hpp"
#include "codec/option_reader.hpp"

#include <cstring>
#include <functional>
#include <limits>
#include <zlib.h>

namespace tessera::detail {

namespace {

constexpr std::size_t check_size = 4;

using check_function = std::function<std::uint32_t(std::span<const std::byte>)>;

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t adler32_of(std::span<const std::byte> bytes) {
  constexpr uLong start = 1;  // without a buffer, zlib would return the start of the check
  return static_cast<std::uint32_t>(
      ::adler32_z(start, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// The payload with its check before or behind it, little-endian.
class checksum_codec final : public byte_codec {
 public:
  checksum_codec(std::string_view id, check_function check, bool is_at_start, std::string text)
      : id_(id), check_(std::move(check)), is_at_start_(is_at_start), text_(std::move(text)) {}

  [[nodiscard]] std::string_view id() const override { return id_; }
  [[nodiscard]] std::string to_json() const override { return text_; }
  [[nodiscard]] std::size_t max_encoded_size(std::size_t decoded_size) const override {
    return decoded_size + check_size;
  }
  [[nodiscard]] std::size_t workspace_size(std::size_t) const override { return 1024; }

  [[nodiscard]] std::size_t encode(std::span<const std::byte> in,
                                   std::span<std::byte> out) const override {
    require_encode_room(id_, in.size(), in.size() + check_size, out.size());
    const std::uint32_t check = check_(in);
    std::byte* const stored_check = out.data() + (is_at_start_ ? 0 : in.size());
    for (std::size_t i = 0; i < check_size; ++i) {
      stored_check[i] = static_cast<std::byte>(check >> (8 * i) & 0xFF);
    }
    if (!in.empty())
      std::memcpy(out.data() + (is_at_start_ ? check_size : 0), in.data(), in.size());
    return in.size() + check_size;
  }

  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const override {
    if (in.size() < check_size) {
      throw codec_error(fmt::format("codec {}: {} B are too short for a check of {} B", id_,
                                    in.size(), check_size));
    }
    const std::size_t size = in.size() - check_size;
    require_decode_room(id_, size, out.size());
    const auto payload = in.subspan(is_at_start_ ? check_size : 0, size);
    const auto stored_check = in.subspan(is_at_start_ ? 0 : size, check_size);
    std::uint32_t stored = 0;
    for (std::size_t i = 0; i < check_size; ++i) {
      stored |= std::to_integer<std::uint32_t>(stored_check[i]) << (8 * i);
    }
    const std::uint32_t computed = check_(payload);
    if (computed != stored) {
      throw codec_error(
          fmt::format("codec {}: {} B are damaged: their check must be {:08x}, found "
                      "{:08x}",
                      id_, in.size(), stored, computed));
    }
    if (size > 0) std::memcpy(out.data(), payload.data(), size);
    return size;
  }

 private:
  std::string_view id_;
  check_function check_;
  bool is_at_start_;
  std::string text_;
};

/// Returns a codec whose check is at the option "location". The option is written only if it
/// differs from the default, because older readers do not know it.
std::shared_ptr<const byte_codec> make_located(const char* id, check_function check,
                                               const char* usual, std::string_view configuration) {
  const option_reader options(configuration, {"location"});
  const std::string location =
      options.raw("location").is_null() ? usual : options.string("location", usual);
  if (location != "start" && location != "end") {
    options.refuse("location", "\"start\" or \"end\"");
  }
  nlohmann::json object{{"id", id}};
  if (location != usual) object["location"] = location;
  return std::make_shared<checksum_codec>(id, check, location == "start", object.dump());
}

std::shared_ptr<const byte_codec> make_crc32_codec(std::string_view configuration, codec_elements) {
  return make_located("crc32", &crc32_of, "start", configuration);
}

std::shared_ptr<const byte_codec> make_adler32_codec(std::string_view configuration,
                                                     codec_elements) {
  return make_located("adler32", &adler32_of, "start", configuration);
}

std::shared_ptr<const byte_codec> make_crc32c_codec(std::string_view configuration,
                                                    codec_elements) {
  return make_located("crc32c", &crc32c_of, "end", configuration);
}

std::shared_ptr<const byte_codec> make_fletcher32_codec(std::string_view configuration,
                                                        codec_elements) {
  const option_reader options(configuration, {});
  return std::make_shared<checksum_codec>("fletcher32", &fletcher32_of, false,
                                          R"({"id":"fletcher32"})");
}

std::shared_ptr<const byte_codec> make_lookup3_codec(std::string_view configuration,
                                                     codec_elements) {
  const option_reader options(configuration, {"initval", "prefix"});
  // A prefix is a bytes object of Python, which JSON cannot state.
  if (!options.raw("prefix").is_null()) options.refuse("prefix", "null");
  const auto start = static_cast<std::uint32_t>(
      options.integer("initval", 0, 0, std::numeric_limits<std::uint32_t>::max()));
  return std::make_shared<checksum_codec>(
      "jenkins_lookup3",
      [start](std::span<const std::byte> bytes) { return lookup3_of(bytes, start); }, false,
      nlohmann::json{{"id", "jenkins_lookup3"}, {"initval", start}}.dump());
}

}  // namespace
}  // namespace tessera::detail

namespace tessera::codec {

const known_codec crc32::known{"crc32", &detail::make_crc32_codec};

configuration crc32::chosen() const {
  return chosen_by({{"id", known.id}, {"location", location}});
}

const known_codec adler32::known{"adler32", &detail::make_adler32_codec};

configuration adler32::chosen() const {
  return chosen_by({{"id", known.id}, {"location", location}});
}

const known_codec crc32c::known{"crc32c", &detail::make_crc32c_codec};

configuration crc32c::chosen() const {
  return chosen_by({{"id", known.id}, {"location", location}});
}

const known_codec fletcher32::known{"fletcher32", &detail::make_fletcher32_codec};

configuration fletcher32::chosen() const { return chosen_by({{"id", known.id}}); }

const known_codec jenkins_lookup3::known{"jenkins_lookup3", &detail::make_lookup3_codec};

configuration jenkins_lookup3::chosen() const {
  return chosen_by({{"id", known.id}, {"initval", initval}});
}

}  // namespace tessera::codec
