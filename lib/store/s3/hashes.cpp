// SPDX-License-Identifier: Apache-2.0
#include "store/s3/hashes.hpp"

#include "tessera/core/error.hpp"

#include "store/http/small_thread.hpp"

#include <array>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>

namespace tessera::s3 {

namespace {

/// The block of SHA-256 in bytes.
constexpr std::size_t block_size = 64;

void* start_openssl(void* has_started) {
  *static_cast<bool*>(has_started) = OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, nullptr) == 1;
  return nullptr;
}

/// Starts OpenSSL in a thread of its own, which ends at once. Throws: store_error <- it fails.
///
/// The first call of OpenSSL keeps state for its thread. A caller's thread that ends at the same
/// time as the program would free its state twice.
[[nodiscard]] bool start_openssl_apart() {
  bool has_started = false;
  pthread_t thread{};
  if (http::start_small_thread(thread, &start_openssl, &has_started)) {
    pthread_join(thread, nullptr);
  }
  if (!has_started) throw store_error("OpenSSL cannot start", store_failure::passing);
  return true;
}

/// Returns a hash by a function of OpenSSL that keeps no state for the thread.
std::string digest(const EVP_MD* function, const void* bytes, std::size_t size) {
  [[maybe_unused]] static const bool has_started = start_openssl_apart();
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned length = 0;
  if (EVP_Digest(bytes, size, hash.data(), &length, function, nullptr) != 1) {
    throw store_error("OpenSSL cannot hash: the function is not available");
  }
  return {reinterpret_cast<const char*>(hash.data()), length};
}

std::string sha256(std::string_view bytes) {
  return digest(EVP_sha256(), bytes.data(), bytes.size());
}

/// Returns `text` with the key in front, each of whose bytes is combined with `pad`.
std::string padded(std::string key, unsigned char pad, std::string_view text) {
  for (char& byte : key) byte = static_cast<char>(static_cast<unsigned char>(byte) ^ pad);
  return key.append(text);
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

// By digests alone: HMAC() of OpenSSL keeps state for each thread that calls it.
std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::string block = key.size() > block_size ? sha256(key) : std::string(key);
  block.resize(block_size);
  return sha256(padded(block, 0x5c, sha256(padded(block, 0x36, text))));
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
