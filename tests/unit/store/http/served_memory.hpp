// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A memory store behind a server.

#include "tessera/store/memory_store.hpp"

#include "unit/store/http/http_values.hpp"
#include "unit/store/http/test_server.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::testing {

/// A server of the values of a memory store below "/data".
struct served_memory {
  static constexpr std::string_view folder = "/data/";

  served_memory()
      : values(std::make_shared<memory_store>()), server([this](const received_request& request) {
          if (!token.empty() && request.header("authorization") != "Bearer " + token) {
            return reply{.status = 403};
          }
          if (!request.target.starts_with(folder)) return reply{.status = 404};
          const std::string key = request.target.substr(folder.size());
          const auto value = values->read_all(key, std::size_t{1} << 30);
          return answer_with(request, value ? std::optional(text_of(*value)) : std::nullopt);
        }) {}

  [[nodiscard]] std::string url(const std::string& path) const {
    return server.url() + std::string(folder) + path;
  }

  /// The token that requests must have, or "".
  std::string token = {};
  std::shared_ptr<memory_store> values;
  test_server server;
};

}  // namespace tessera::testing
