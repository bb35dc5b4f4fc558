// SPDX-License-Identifier: Apache-2.0
#include "executor/processes/system.hpp"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/types.h>
#include <system_error>

namespace tessera {

namespace {

constexpr std::size_t max_files = 2;

/// Repeats a system call while a signal interrupts it (EINTR).
template <class Call>
ssize_t retry_interrupted(Call call) {
  ssize_t result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace

void check_system(bool has_succeeded, const char* action) {
  if (!has_succeeded) throw std::system_error(errno, std::generic_category(), action);
}

std::pair<descriptor, descriptor> connected_sockets() {
  std::array<int, 2> ends{};
  check_system(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0,
               "connecting a worker process");
  return {descriptor(ends[0]), descriptor(ends[1])};
}

bool send_message(int socket, std::span<const std::byte> message, std::span<const int> files) {
  iovec part{const_cast<std::byte*>(message.data()), message.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(max_files * sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!files.empty()) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(files.size_bytes());
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(files.size_bytes());
    std::memcpy(CMSG_DATA(rights), files.data(), files.size_bytes());
  }
  return retry_interrupted([&] { return sendmsg(socket, &header, MSG_NOSIGNAL); }) >= 0;
}

received_message receive_message(int socket, std::span<std::byte> message) {
  iovec part{message.data(), message.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(max_files * sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t size =
      retry_interrupted([&] { return recvmsg(socket, &header, MSG_CMSG_CLOEXEC); });
  received_message received{size > 0 ? static_cast<std::size_t>(size) : 0, {}};
  for (cmsghdr* control_message = CMSG_FIRSTHDR(&header); control_message != nullptr;
       control_message = CMSG_NXTHDR(&header, control_message)) {
    if (control_message->cmsg_level != SOL_SOCKET || control_message->cmsg_type != SCM_RIGHTS)
      continue;
    const std::size_t count = (control_message->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int file = -1;
      std::memcpy(&file, CMSG_DATA(control_message) + i * sizeof(int), sizeof(int));
      received.files.emplace_back(file);
    }
  }
  return received;
}

void ring(int socket) {
  const char bell = 0;
  (void)retry_interrupted([&] { return send(socket, &bell, 1, MSG_NOSIGNAL | MSG_DONTWAIT); });
}

bool take_rings(int socket, bool is_waiting) {
  char bell = 0;
  ssize_t size =
      retry_interrupted([&] { return recv(socket, &bell, 1, is_waiting ? 0 : MSG_DONTWAIT); });
  while (size > 0) size = retry_interrupted([&] { return recv(socket, &bell, 1, MSG_DONTWAIT); });
  return size < 0 && errno == EAGAIN;
}

}  // namespace tessera
