// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Checks of 32 bits that zlib does not provide.

#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera::detail {

/// Returns the CRC of Castagnoli's polynomial (RFC 3720, appendix B.4).
[[nodiscard]] std::uint32_t crc32c_of(std::span<const std::byte> bytes);

/// Returns Fletcher's check as HDF5 computes it: over big-endian words, the sums modulo 65535 but
/// not reduced from 65535 to 0 (H5checksum.c, H5_checksum_fletcher32).
[[nodiscard]] std::uint32_t fletcher32_of(std::span<const std::byte> bytes);

/// Returns Jenkins' hash of `bytes` (hashlittle in lookup3.c, May 2006).
[[nodiscard]] std::uint32_t lookup3_of(std::span<const std::byte> bytes, std::uint32_t start);

}  // namespace tessera::detail
