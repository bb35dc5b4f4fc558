// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The progress mode that `default_observers` obeys.

#include "tessera/observe/progress_bar.hpp"

#include <optional>

namespace tessera {

/// Sets the mode, or unsets it (nullopt: the environment decides); returns the mode that was set
/// before.
std::optional<progress_mode> exchange_default_progress(std::optional<progress_mode> mode);

}  // namespace tessera
