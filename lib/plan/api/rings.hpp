// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Rings: the buffers in which chunks of remote arrays are in flight.

#include "tessera/core/spec.hpp"

#include "core/api/remote_array.hpp"
#include "plan/api/planned.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// Returns the costs of requests for chunks of `array`, or nullopt if it is near.
[[nodiscard]] std::optional<request_cost> requests_of(const planned_array& array);

/// Returns the costs of requests for an intermediate with the chunks of `array`, or nullopt if the
/// work directory is near.
[[nodiscard]] std::optional<request_cost> requests_of_intermediate(const planned_array& array,
                                                                   const spec& limits);

/// Returns the costs of requests that a window of `array` may have in flight, or nullopt if it
/// reads by calls.
[[nodiscard]] std::optional<request_cost> requests_of(const planned_operation& planned,
                                                      const planned_window& window,
                                                      const planned_array& array);

/// Returns the number of requests in flight, of each of `num_workers` workers that share
/// `bandwidth`, that keep the wire full.
[[nodiscard]] double requests_of_full_wire(const request_cost& cost, double bandwidth,
                                           std::size_t num_workers);

/// Returns the bytes a second that are assumed of the network of a host.
[[nodiscard]] double bandwidth_of_host(const costs& figures);

[[nodiscard]] bool has_rings(const planned_operation& planned);

/// Returns the numbers of reads and of writes that a task has in flight at once, on average: the
/// harmonic mean over its requests. It is 1 for requests without a ring.
[[nodiscard]] double reads_in_flight(const planned_operation& planned);
[[nodiscard]] double writes_in_flight(const planned_operation& planned);

/// Returns a ring for people: " with 7 chunks in flight in 1 MB"; "" if it has no places.
[[nodiscard]] std::string describe_ring(const planned_operation& planned, const planned_ring& ring);

/// Returns the places in the ring of each window, and of each output behind them.
[[nodiscard]] std::vector<std::size_t> ring_sizes(const planned_operation& planned);

/// Gives windows and outputs of remote arrays rings of `sizes` places, and lays the buffers out
/// anew. Windows and outputs of near arrays get no ring.
///
/// Requires: the operation has no rings, and a size for each window and each output.
void add_rings(const bounded_plan::implementation& plan, planned_operation& planned,
               const std::vector<std::size_t>& sizes);

/// Gives windows and outputs of remote arrays rings as large as pays, and as there is memory for.
/// The plan needs no more memory than its limits, and all workers run tasks at once if they do
/// without rings.
void add_rings(bounded_plan::implementation& plan);

}  // namespace tessera
