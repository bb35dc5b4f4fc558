// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sockets between processes of a host.

#include "executor/descriptor.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tessera {

/// Throws the error of `errno` unless `is_well`.
///
/// Throws: std::system_error <- not `is_well`; `doing` begins its message.
void check_system(bool is_well, const char* doing);

/// Returns a pair of connected sockets, closed on `exec`. They keep the boundaries of messages.
///
/// Throws: std::system_error <- the system refuses.
[[nodiscard]] std::pair<descriptor, descriptor> connected_sockets();

/// Sends a message with copies of the descriptors `files`. Returns false if the peer is gone.
bool send_message(int socket, std::span<const std::byte> message, std::span<const int> files = {});

/// The size of a received message, and the descriptors that came with it.
struct received_message {
  std::size_t size = 0;
  std::vector<descriptor> files;
};

/// Receives a message into `message`; waits for it. The size is 0 if the peer is gone.
[[nodiscard]] received_message receive_message(int socket, std::span<std::byte> message);

/// Wakes the peer of `socket` with a byte. It does nothing if the peer is gone, or has not taken
/// many earlier rings.
void ring(int socket);

/// Takes all pending rings, and waits for a ring if `is_waiting`. Returns false if the peer is
/// gone.
[[nodiscard]] bool take_rings(int socket, bool is_waiting);

}  // namespace tessera
