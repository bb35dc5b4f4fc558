// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The build of this program.

#include <string>
#include <string_view>

namespace tessera {

/// Returns the linker's identifier of this program in hexadecimal digits, and behind it that of the
/// shared library that Tessera is in, if there is one. It is empty if the program was linked
/// without `--build-id`.
///
/// Complexity: some microseconds; no file is read.
[[nodiscard]] std::string build_id();

/// Throws: unfit_worker <- this program is another build than the program of `driver`, a text of
///         `build_id`.
void require_build(std::string_view driver);

}  // namespace tessera
