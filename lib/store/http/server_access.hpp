// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The token and the certificates of a store, from its options and the environment.

#include "tessera/store/http.hpp"

#include "store/http/request.hpp"
#include "store/http/url.hpp"

#include <memory>

namespace tessera::http {

/// Throws: as `open_http_store`.
[[nodiscard]] std::shared_ptr<const server_access> make_access(const url_parts& url,
                                                               const http_options& options);

}  // namespace tessera::http
