// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Requests for chunks of arrays in stores that are far away: their costs, readers and writers.

#include "tessera/core/array_source.hpp"
#include "tessera/store/key_value_store.hpp"

#include "core/api/remote_array.hpp"
#include "zarr/array_state.hpp"

#include <memory>
#include <mutex>
#include <optional>

namespace tessera::detail {

/// The costs of requests for chunks of an array, which are found on first use.
class request_costs {
 public:
  /// Returns the costs in `store`, or nullopt if it is near or has no queue of reads.
  [[nodiscard]] std::optional<request_cost> of(key_value_store& store,
                                               const chunk_cost& chunk) const;

 private:
  mutable std::once_flag is_found_;
  mutable std::optional<request_cost> cost_;
};

/// Returns the store of the work directory `work_dir` if it is far away and can be opened by other
/// processes, else nullptr.
[[nodiscard]] std::shared_ptr<key_value_store> far_store_of(const std::string& work_dir);

/// Returns a reader of `array` with a place for each request in flight.
///
/// Requires: as `reads_ahead`. Boxes of arrays with shards are read by calls.
[[nodiscard]] std::unique_ptr<chunk_reader> make_chunk_reader(
    std::shared_ptr<const zarr_array_state> array, const ring_memory& memory);

/// Returns a writer of `array` with a place for each request in flight.
///
/// Requires: the array has no shards and is no field, and its store has a queue of writes.
[[nodiscard]] std::unique_ptr<chunk_writer> make_chunk_writer(
    std::shared_ptr<const zarr_array_state> array, const ring_memory& memory);

}  // namespace tessera::detail
