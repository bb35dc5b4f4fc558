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

/// Checks the result of a system call.
///
/// Throws: std::system_error <- `has_succeeded` is false. Its code is `errno`, and `action` begins
/// its
///         message.
void check_system(bool has_succeeded, const char* action);

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

/// Wakes the peer of `socket` with a byte, a ring. Does nothing if the peer is gone, or if so many
/// rings are pending that the socket is full.
void ring(int socket);

/// Receives all pending rings. With `is_waiting` it waits until there is one. Returns false if the
/// peer is gone.
[[nodiscard]] bool take_rings(int socket, bool is_waiting);

}  // namespace tessera
