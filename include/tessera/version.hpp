// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The version of Tessera, for the preprocessor and for the linker.

#define TESSERA_VERSION_MAJOR 0
#define TESSERA_VERSION_MINOR 1
#define TESSERA_VERSION_PATCH 0

/// Grows with each version: 10000 * major + 100 * minor + patch.
#define TESSERA_VERSION \
  (TESSERA_VERSION_MAJOR * 10000 + TESSERA_VERSION_MINOR * 100 + TESSERA_VERSION_PATCH)

/// The symbol of the library's binary interface, `tessera_abi_<major>_<minor>`. Each program refers
/// to it, so that the linker refuses a library of another version than the headers.
#define TESSERA_ABI TESSERA_ABI_OF(TESSERA_VERSION_MAJOR, TESSERA_VERSION_MINOR)
#define TESSERA_ABI_OF(major, minor) TESSERA_ABI_NAMED(major, minor)
#define TESSERA_ABI_NAMED(major, minor) tessera_abi_##major##_##minor

extern "C" const int TESSERA_ABI;

namespace tessera::detail {
[[gnu::used]] inline const int* const abi_of_program = &TESSERA_ABI;
}  // namespace tessera::detail
