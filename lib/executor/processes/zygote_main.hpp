// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a process does that was started as a zygote.

#include <string>

namespace tessera {

/// Forks workers as it is asked to through the socket of the number `socket`, until the process
/// that asks is gone; returns the process's exit code.
[[nodiscard]] int zygote_main(const std::string& socket);

}  // namespace tessera
