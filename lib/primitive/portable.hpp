// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The check that kernel parameters can be sent to other processes.

#include "tessera/kernel/parameters.hpp"

#include <string>

namespace tessera::detail {

/// Throws value_error if `parameters`, of a kernel of `operation`, hold a function object that
/// cannot be sent to other processes.
void require_portable(const kernel_parameters& parameters, const std::string& operation,
                      const std::string& label);

}  // namespace tessera::detail
