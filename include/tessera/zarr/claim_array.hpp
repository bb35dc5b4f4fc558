// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Claims of arrays by writers that are no runs of a plan.

#include "tessera/core/array_sink.hpp"
#include "tessera/store/key_value_store.hpp"

#include <memory>
#include <string>

namespace tessera::detail {

/// Claims the whole array that is or will be at `path`, until the result goes.
///
/// Throws: zarr_error <- another writer has claimed a part of it; the message names the writer.
[[nodiscard]] std::unique_ptr<const array_claim> claim_array(
    const std::shared_ptr<key_value_store>& store, const std::string& path);

}  // namespace tessera::detail
