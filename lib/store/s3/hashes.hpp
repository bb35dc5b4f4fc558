// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The hashes of S3's protocol.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tessera::s3 {

/// Returns bytes as lower-case hexadecimal digits.
[[nodiscard]] std::string hex(std::string_view bytes);

/// Returns the SHA-256 hash of bytes, as 64 hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::span<const std::byte> bytes);
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

/// Returns the HMAC of `text` by SHA-256, as 32 bytes (RFC 2104).
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view text);

/// Returns the MD5 hash of `text` in base64, as the header Content-MD5 has it (RFC 1864).
[[nodiscard]] std::string md5_base64(std::string_view text);

}  // namespace tessera::s3
