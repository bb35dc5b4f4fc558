// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which build of which program this is.

#include <string>

namespace tessera {

/// Returns 32 hexadecimal digits that differ between programs, and between builds of one: a hash of
/// the file that this process runs, and of this library's where it is a file of its own.
///
/// Read once, when first asked for. Threads: may be called from several at the same time.
/// Throws: store_error <- a file cannot be read.
[[nodiscard]] const std::string& program_identity();

}  // namespace tessera
