// SPDX-License-Identifier: Apache-2.0
#include "codec/buffer_checks.hpp"
#include "codec/chosen.hpp"
#include "codec/option_reader.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::detail {

namespace {

/// Transposes the bytes of elements: all first bytes, then all second bytes, and so on.
class shuffle_codec final : public byte_codec {
 public:
  explicit shuffle_codec(std::size_t itemsize) : itemsize_(itemsize) {}

  [[nodiscard]] std::string_view id() const override { return "shuffle"; }
  [[nodiscard]] std::string to_json() const override {
    return nlohmann::json{{"id", "shuffle"}, {"elementsize", itemsize_}}.dump();
  }
  [[nodiscard]] std::size_t max_encoded_size(std::size_t decoded_size) const override {
    return decoded_size;
  }
  [[nodiscard]] std::size_t workspace_size(std::size_t) const override { return 1024; }

  [[nodiscard]] std::size_t encode(std::span<const std::byte> in,
                                   std::span<std::byte> out) const override {
    require_encode_room(id(), in.size(), in.size(), out.size());
    for_each_block(in, out, [&](std::size_t first, std::size_t last, std::size_t count) {
      for (std::size_t byte = 0; byte < itemsize_; ++byte) {
        for (std::size_t i = first; i < last; ++i) {
          out[byte * count + i] = in[i * itemsize_ + byte];
        }
      }
    });
    return in.size();
  }

  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const override {
    require_decode_room(id(), in.size(), out.size());
    for_each_block(in, out, [&](std::size_t first, std::size_t last, std::size_t count) {
      for (std::size_t byte = 0; byte < itemsize_; ++byte) {
        for (std::size_t i = first; i < last; ++i) {
          out[i * itemsize_ + byte] = in[byte * count + i];
        }
      }
    });
    return in.size();
  }

 private:
  /// Calls `f` for blocks of elements that fit in the first-level cache: a block is read once for
  /// each byte of an element.
  template <class F>
  void for_each_block(std::span<const std::byte> in, std::span<std::byte> out, F f) const {
    if (itemsize_ <= 1) {
      if (!in.empty()) std::memcpy(out.data(), in.data(), in.size());
      return;
    }
    require_whole_elements(id(), in.size(), itemsize_);
    const std::size_t count = in.size() / itemsize_;
    const std::size_t block = std::max<std::size_t>(64, 8192 / itemsize_);
    for (std::size_t first = 0; first < count; first += block) {
      f(first, std::min(first + block, count), count);
    }
  }

  std::size_t itemsize_;
};

std::shared_ptr<const byte_codec> make_shuffle_codec(std::string_view configuration,
                                                     codec_elements) {
  const option_reader options(configuration, {"elementsize"});
  constexpr std::int64_t most = std::int64_t{1} << 31;
  return std::make_shared<shuffle_codec>(
      static_cast<std::size_t>(options.integer("elementsize", 4, 0, most)));
}

}  // namespace
}  // namespace tessera::detail

namespace tessera::codec {

const known_codec shuffle::known{"shuffle", &detail::make_shuffle_codec};

configuration shuffle::chosen() const {
  return chosen_by({{"id", known.id}, {"elementsize", elementsize}});
}

}  // namespace tessera::codec
