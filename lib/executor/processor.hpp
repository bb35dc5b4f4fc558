// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The processor that a program was compiled for.

#include <string>

namespace tessera {

/// Returns the members of `features` that this host's processor lacks, separated by commas.
/// `features` is an array of the compiler's names that ends with a null pointer. A name that is
/// unknown here counts as present.
[[nodiscard]] std::string lacking_features(const char* const* features);

}  // namespace tessera

/// Ends the process with `exit_code_of_unfit`, and a message on standard error, if this host's
/// processor lacks one of the features.
///
/// Each program calls it first (program_features.cpp). Without it, such a program would end with
/// "Illegal instruction", maybe before `main`. A program needs the symbol by this name.
extern "C" void tessera_require_processor(const char* const* features);
