// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Stores of other writers. Element [i, j] of an array of n columns is n i + j.

#include <span>

namespace tessera::testing::zarr {

/// A file: its key, and its bytes in hexadecimal digits.
struct foreign_file {
  const char* key;
  const char* bytes;
};

/// Written by zarr-python 3.1.6.
std::span<const foreign_file> zarr_python_store();

/// Written by TensorStore 0.1.86.
std::span<const foreign_file> tensorstore_array();

}  // namespace tessera::testing::zarr
