// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The identity of the running program and of its build.

#include <string>

namespace tessera {

/// Returns 32 hexadecimal digits that differ between programs, and between builds of one: a hash of
/// the file that this process runs, and of this library's file if it is another one.
///
/// Read once, when first asked for. Threads: may be called from several at the same time.
/// Throws: store_error <- a file cannot be read.
[[nodiscard]] const std::string& program_identity();

}  // namespace tessera
