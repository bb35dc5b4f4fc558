// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the scheduler makes of the failure of a task.

#include <exception>
#include <string>

namespace tessera {

/// Returns the cause of a failure for people.
[[nodiscard]] std::string describe_cause(const std::exception_ptr& failure);

/// Tells whether a batch ended without its worker saying how far it had come.
[[nodiscard]] bool is_loss(const std::exception_ptr& failure);

}  // namespace tessera
