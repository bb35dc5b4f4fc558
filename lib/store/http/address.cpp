// SPDX-License-Identifier: Apache-2.0
#include "store/http/address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
#include <span>
#include <sys/socket.h>

namespace tessera::http {

namespace {

struct network {
  std::uint32_t address;
  int prefix;
};

/// RFC 6890: this network, private, shared, loopback, link, private, private.
constexpr std::array<network, 7> private_networks{{{0x00000000, 8},
                                                   {0x0A000000, 8},
                                                   {0x64400000, 10},
                                                   {0x7F000000, 8},
                                                   {0xA9FE0000, 16},
                                                   {0xAC100000, 12},
                                                   {0xC0A80000, 16}}};

bool is_private_v4(std::uint32_t address) {
  return std::ranges::any_of(private_networks, [&](const network& net) {
    return (address ^ net.address) >> (32 - net.prefix) == 0;
  });
}

bool is_private_v6(std::span<const std::uint8_t, 16> a) {
  constexpr std::array<std::uint8_t, 12> nat64{0x00, 0x64, 0xFF, 0x9B};
  constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  const auto v4 = std::uint32_t{a[12]} << 24 | std::uint32_t{a[13]} << 16 |
                  std::uint32_t{a[14]} << 8 | std::uint32_t{a[15]};
  const auto front = a.first<12>();
  if (std::ranges::equal(front, nat64) || std::ranges::equal(front, mapped)) {
    return is_private_v4(v4);
  }
  // "::" and "::1" are among the addresses whose front is zero.
  if (std::ranges::all_of(front, [](std::uint8_t byte) { return byte == 0; })) return true;
  const bool is_link = a[0] == 0xFE && (a[1] & 0xC0) == 0x80;
  const bool is_unique_local = (a[0] & 0xFE) == 0xFC;
  return is_link || is_unique_local;
}

}  // namespace

std::string text_of(const sockaddr& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof(v4));
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
  } else if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof(v6));
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
  }
  return text;
}

bool is_private(const std::string& address) {
  in_addr v4{};
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) return is_private_v4(ntohl(v4.s_addr));
  in6_addr v6{};
  // A zone, "fe80::1%eth0", is of this host.
  if (inet_pton(AF_INET6, address.c_str(), &v6) != 1) return true;
  return is_private_v6(std::span<const std::uint8_t, 16>(v6.s6_addr));
}

}  // namespace tessera::http
