// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The policy for an array that exists at the path of a new one.

namespace tessera {

/// Whether creating an array may take the place of an array that is already there.
enum class existing : bool {
  keep,     ///< throw zarr_error
  replace,  ///< remove the old array, all its chunks first
};

}  // namespace tessera
