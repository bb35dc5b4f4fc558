// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Facts of this build of the library, by CMake.

namespace tessera {

/// Returns the commit as `git describe --always --dirty` prints it; empty outside of a repository.
const char* build_commit();
/// Returns the flags of the compiler.
const char* build_flags();
/// Returns the libraries with their versions.
const char* build_libraries();

}  // namespace tessera
