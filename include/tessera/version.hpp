// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The version of Tessera, for the preprocessor.

#define TESSERA_VERSION_MAJOR 0
#define TESSERA_VERSION_MINOR 1
#define TESSERA_VERSION_PATCH 0

/// Grows with each version: 10000 * major + 100 * minor + patch.
#define TESSERA_VERSION \
  (TESSERA_VERSION_MAJOR * 10000 + TESSERA_VERSION_MINOR * 100 + TESSERA_VERSION_PATCH)
