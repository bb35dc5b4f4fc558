// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Claims of arrays by writers that are no runs of a plan.

#include "tessera/core/array_sink.hpp"
#include "tessera/store/key_value_store.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// Claims the whole array or group that is or will be at `path`, until the result goes. Other
/// processes cannot claim arrays in a group that is claimed.
///
/// Throws: zarr_error <- another writer has claimed a part of it; the message names the writer.
[[nodiscard]] std::unique_ptr<const array_claim> claim_array(
    const std::shared_ptr<key_value_store>& store, const std::string& path);

/// Throws zarr_error if a writer has claimed one of the arrays at `paths`, which lie in a group
/// that the caller has claimed. `action` begins the message: "copy to".
void refuse_claims_below(key_value_store& store, const std::vector<std::string>& paths,
                         std::string_view action);

}  // namespace tessera::detail
