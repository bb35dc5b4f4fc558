// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What can go to other processes.

#include "tessera/kernel/parameters.hpp"

#include <string>

namespace tessera::detail {

/// Throws value_error where the parameters of a kernel of `operation` are those of a function
/// object that cannot go to other processes.
void require_portable(const kernel_parameters& parameters, const std::string& operation,
                      const std::string& label);

}  // namespace tessera::detail
