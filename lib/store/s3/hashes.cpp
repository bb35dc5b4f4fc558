// SPDX-License-Identifier: Apache-2.0
#include "store/s3/hashes.hpp"

#include "tessera/core/error.hpp"

#include <array>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace tessera::s3 {

namespace {

std::string digest(const EVP_MD* function, const void* bytes, std::size_t size) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned length = 0;
  if (EVP_Digest(bytes, size, hash.data(), &length, function, nullptr) != 1) {
    throw store_error("OpenSSL cannot hash: the function is not available");
  }
  return {reinterpret_cast<const char*>(hash.data()), length};
}

}  // namespace

std::string hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

std::string sha256_hex(std::span<const std::byte> bytes) {
  return hex(digest(EVP_sha256(), bytes.data(), bytes.size()));
}

std::string sha256_hex(std::string_view bytes) {
  return sha256_hex(std::as_bytes(std::span(bytes)));
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned length = 0;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, text.size(), hash.data(),
           &length) == nullptr) {
    throw store_error("OpenSSL cannot sign: the function is not available");
  }
  return {reinterpret_cast<const char*>(hash.data()), length};
}

std::string md5_base64(std::string_view text) {
  const std::string hash = digest(EVP_md5(), text.data(), text.size());
  std::array<unsigned char, 25> encoded{};
  const int length =
      EVP_EncodeBlock(encoded.data(), reinterpret_cast<const unsigned char*>(hash.data()),
                      static_cast<int>(hash.size()));
  return {reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(length)};
}

}  // namespace tessera::s3
