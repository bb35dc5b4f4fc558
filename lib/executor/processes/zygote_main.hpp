// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The loop of a zygote.

#include <string>

namespace tessera {

/// Serves the requests through a socket until the peer is gone. Returns the exit code of the
/// process. `argument` is the number of the socket, a colon, and the names of the libraries that
/// workers are to find ready, separated by commas.
[[nodiscard]] int zygote_main(const std::string& argument);

}  // namespace tessera
