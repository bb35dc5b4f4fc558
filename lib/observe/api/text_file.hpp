// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Text files of reports and studies.

#include <string>
#include <string_view>

namespace tessera {

/// Writes a text file, whole or not at all: to a file beside it that is renamed.
///
/// Throws: store_error <- the file cannot be written; the message names it and the reason.
void write_text_file(const std::string& path, std::string_view text);

}  // namespace tessera
