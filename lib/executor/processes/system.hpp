// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sockets between processes of one host, and what their calls say.

#include "executor/descriptor.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tessera {

/// Throws what `errno` says unless `is_well`.
///
/// Throws: std::system_error <- not `is_well`; `doing` begins its message.
void check_system(bool is_well, const char* doing);

/// Returns two sockets that are connected, which no program inherits. Each message that is sent
/// through one is received as a whole.
///
/// Throws: std::system_error <- the system refuses.
[[nodiscard]] std::pair<descriptor, descriptor> connected_sockets();

/// Sends a message, and copies of `files` with it; returns false if the other end is gone.
bool send_message(int socket, std::span<const std::byte> message, std::span<const int> files = {});

/// A message that has come, of as many bytes as were asked for, with the files that came along.
struct received_message {
  std::size_t size = 0;
  std::vector<descriptor> files;
};

/// Waits for a message and puts it into `message`; returns a size of zero once the other end is
/// gone.
[[nodiscard]] received_message receive_message(int socket, std::span<std::byte> message);

/// Says through `socket` that there is something to see; whether the other end is gone, or has not
/// looked yet at what was said before, does not matter.
void ring(int socket);

/// Takes what was said by `ring`; returns false once the other end is gone. Waits for it only if
/// `is_waiting`.
[[nodiscard]] bool take_rings(int socket, bool is_waiting);

}  // namespace tessera
