// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The HTTP client of a process: one thread, which carries out all requests.
///
/// The thread begins with the first request. It copies bodies into the callers' memory, and takes
/// no lock but that of the list of new requests. A child process after `fork` has a client of its
/// own. At the end of the program the thread is stopped before OpenSSL frees its tables.

#include "store/http/request.hpp"

#include <memory>
#include <span>

namespace tessera::http {

/// Hands a request to the client, and starts the client if the process has none.
///
/// Throws: store_error <- the client cannot be started, or the program is ending.
void begin(const std::shared_ptr<request>& asked);

/// Tells whether a request has ended.
[[nodiscard]] bool has_ended(const request& asked);

/// Waits for the end of a request.
///
/// Throws: store_error <- the process was forked since the request began: it is the parent's.
void wait_for(const request& asked);

/// Ends requests without results. The memory of their callers is not written to afterwards.
void give_up(std::span<const std::shared_ptr<request>> requests);

}  // namespace tessera::http
