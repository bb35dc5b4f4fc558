// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Ceph's server of S3, which tests start once for their process.

#include "tessera/store/s3.hpp"

#include <memory>
#include <string>

namespace tessera::testing {

/// Returns the URL of the server's bucket for tests, "s3+http://127.0.0.1:<port>/tessera". The
/// server starts with the first call, and sets the environment's keys of access.
///
/// Throws: std::runtime_error <- the server's programs are missing, or it does not start.
[[nodiscard]] const std::string& radosgw_bucket();

/// Returns an empty store in a new folder of the bucket.
[[nodiscard]] std::shared_ptr<key_value_store> new_radosgw_store(const s3_options& options = {});

}  // namespace tessera::testing
