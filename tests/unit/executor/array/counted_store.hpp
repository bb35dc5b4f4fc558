// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The stores "counted://<directory>/store": files that all processes of a test see, with a count
/// of their requests.

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::testing {

/// Returns the location of a store below `directory`.
[[nodiscard]] std::string counted_location(const std::filesystem::path& directory);

/// Returns the requests of all processes to the stores below `directory`, such as "GET run/build",
/// as a server of S3 counts them: lists and removals have pages of 1000 keys.
[[nodiscard]] std::vector<std::string> requests_of(const std::filesystem::path& directory);

}  // namespace tessera::testing
