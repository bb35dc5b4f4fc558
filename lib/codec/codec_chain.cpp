// SPDX-License-Identifier: Apache-2.0
#include "codec/api/codec_chain.hpp"

#include "codec/error_context.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace tessera {

namespace {

/// A buffer between two codecs.
class middle_buffer {
 public:
  middle_buffer() = default;
  explicit middle_buffer(std::size_t size)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}
  [[nodiscard]] std::span<std::byte> span() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
};

class codec_chain final : public byte_codec {
 public:
  explicit codec_chain(std::vector<std::shared_ptr<const byte_codec>> codecs)
      : codecs_(std::move(codecs)) {}

  [[nodiscard]] std::string_view id() const override { return "chain"; }

  [[nodiscard]] std::string to_json() const override {
    std::string text;
    for (const auto& codec : codecs_) {
      text += text.empty() ? "[" : ",";
      text += codec->to_json();
    }
    return text + "]";
  }

  [[nodiscard]] std::size_t max_encoded_size(std::size_t decoded_size) const override {
    return sizes_from(decoded_size).back();
  }

  [[nodiscard]] codec_elements encoded_elements() const override {
    return codecs_.back()->encoded_elements();
  }

  [[nodiscard]] std::size_t workspace_size(std::size_t decoded_size) const override {
    const std::vector<std::size_t> sizes = sizes_from(decoded_size);
    std::size_t peak = 0;
    for (std::size_t i = 0; i < codecs_.size(); ++i) {
      const std::size_t before = i == 0 ? 0 : sizes[i];
      const std::size_t after = i + 1 == codecs_.size() ? 0 : sizes[i + 1];
      peak = std::max(peak, before + after + codecs_[i]->workspace_size(sizes[i]));
    }
    constexpr std::size_t allocator = 8192;  // rounding by the allocator, and the list of sizes
    return peak + allocator;
  }

  [[nodiscard]] std::size_t encode(std::span<const std::byte> in,
                                   std::span<std::byte> out) const override {
    middle_buffer middle;
    for (std::size_t i = 0; i + 1 < codecs_.size(); ++i) {
      middle_buffer next(codecs_[i]->max_encoded_size(in.size()));
      in = next.span().first(codecs_[i]->encode(in, next.span()));
      middle = std::move(next);
    }
    return codecs_.back()->encode(in, out);
  }

  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const override {
    const std::vector<std::size_t> sizes = sizes_from(out.size());
    middle_buffer middle;
    for (std::size_t i = codecs_.size() - 1; i > 0; --i) {
      middle_buffer next(sizes[i]);
      in = next.span().first(codecs_[i]->decode_at_most(in, next.span()));
      middle = std::move(next);
    }
    return codecs_.front()->decode_at_most(in, out);
  }

 private:
  /// Returns upper bounds of the bytes before each codec and behind the last.
  [[nodiscard]] std::vector<std::size_t> sizes_from(std::size_t decoded_size) const {
    std::vector<std::size_t> sizes{decoded_size};
    sizes.reserve(codecs_.size() + 1);
    for (const auto& codec : codecs_) sizes.push_back(codec->max_encoded_size(sizes.back()));
    return sizes;
  }

  std::vector<std::shared_ptr<const byte_codec>> codecs_;
};

std::shared_ptr<const byte_codec> make_link(const codec::configuration& choice,
                                            codec_elements elements, const std::string& location) {
  return detail::with_error_context([&] { return choice.make(elements); },
                                    [&] { return location; });
}

}  // namespace

std::shared_ptr<const byte_codec> make_codec_chain(std::span<const codec::configuration> filters,
                                                   const codec::configuration& compressor,
                                                   codec_elements elements) {
  std::vector<std::shared_ptr<const byte_codec>> codecs;
  const auto add = [&](const codec::configuration& choice, const std::string& location) {
    auto codec = make_link(choice, elements, location);
    if (codec == nullptr) return;
    elements = codec->encoded_elements();
    codecs.push_back(std::move(codec));
  };
  for (std::size_t i = 0; i < filters.size(); ++i) add(filters[i], fmt::format("filters[{}]", i));
  add(compressor, "compressor");
  return join_codecs(std::move(codecs));
}

std::shared_ptr<const byte_codec> join_codecs(
    std::vector<std::shared_ptr<const byte_codec>> codecs) {
  if (codecs.empty()) return nullptr;
  if (codecs.size() == 1) return codecs.front();
  return std::make_shared<codec_chain>(std::move(codecs));
}

void complete_codec_chain(std::span<codec::configuration> filters, codec::configuration& compressor,
                          codec_elements elements) {
  const auto complete = [&](codec::configuration& choice, const std::string& location) {
    const auto codec = make_link(choice, elements, location);
    if (codec == nullptr) return;
    choice = choice.completed(elements);
    elements = codec->encoded_elements();
  };
  for (std::size_t i = 0; i < filters.size(); ++i) {
    complete(filters[i], fmt::format("filters[{}]", i));
  }
  complete(compressor, "compressor");
}

}  // namespace tessera
