// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The folders of records.

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::tool {

/// Returns `folder` if it is a record, else the records in it by their numbers.
///
/// Throws: value_error <- there is none; the message begins with `command`.
[[nodiscard]] std::vector<std::filesystem::path> records_in(const std::string& folder,
                                                            const std::string& command);

}  // namespace tessera::tool
