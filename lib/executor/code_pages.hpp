// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The pages of the program's code, which count as memory of the process once they are resident.

namespace tessera {

/// Makes the code of the program and its libraries resident, once.
///
/// Code pages become resident on their first use. Without this call they would count as memory of
/// the task that runs them first. The BLAS library is left out, because it has code for every
/// processor. Its resident part counts as the workspace of products.
///
/// Complexity: about 0.1 ms for each megabyte in the page cache.
void map_code();

}  // namespace tessera
