// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Data types in messages.

#include "tessera/storage/data_type.hpp"

#include <string>

namespace tessera::detail {

/// Returns the common name of a data type: "int16", "datetime64[ns]", "|S3", "records".
[[nodiscard]] std::string text_of(const data_type& type);

}  // namespace tessera::detail
