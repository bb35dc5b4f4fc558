// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The common part of filters that map each number to a number.

#include "tessera/codec/byte_codec.hpp"

#include "codec/number_type.hpp"

namespace tessera::detail {

/// A codec from numbers of a type to numbers of another type, in one pass over strips.
class number_filter : public byte_codec {
 public:
  number_filter(std::string_view id, number_type decoded, number_type encoded);

  [[nodiscard]] std::string_view id() const final { return id_; }
  [[nodiscard]] std::size_t max_encoded_size(std::size_t decoded_size) const final;
  [[nodiscard]] std::size_t workspace_size(std::size_t decoded_size) const final;
  [[nodiscard]] codec_elements encoded_elements() const final { return encoded_.elements(); }
  [[nodiscard]] std::size_t encode(std::span<const std::byte> in,
                                   std::span<std::byte> out) const final;
  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const final;

 protected:
  number_type decoded_;
  number_type encoded_;

 private:
  virtual void encode_numbers(const std::byte* in, std::size_t count, std::byte* out) const = 0;
  virtual void decode_numbers(const std::byte* in, std::size_t count, std::byte* out) const = 0;

  std::string_view id_;
};

}  // namespace tessera::detail
