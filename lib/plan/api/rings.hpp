// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Rings: the buffers in which chunks of remote arrays are in flight.

#include "plan/api/planned.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

class remote_source;

/// The most chunks that a window has in flight.
inline constexpr std::size_t most_in_ring = 64;

/// The ring of a window: a buffer of its schedule with places for encoded chunks in flight.
struct planned_ring {
  std::size_t buffer = no_buffer;
  std::size_t num_places = 0;
};

/// Returns the source of `array` if it is far away, else nullptr.
[[nodiscard]] const remote_source* remote_source_of(const planned_array& array);

/// Returns the ring of a window that reads `source`; without a buffer if it has none.
[[nodiscard]] planned_ring ring_of(const planned_operation& planned, const planned_window& window,
                                   const remote_source& source);

[[nodiscard]] bool has_rings(const planned_operation& planned);

/// Returns the ring of a window that reads `array`, for people: " with 7 chunks in flight in 1 MB";
/// "" if it has none.
[[nodiscard]] std::string describe_ring(const planned_operation& planned,
                                        const planned_window& window, const planned_array& array);

/// Returns the places in the ring of each window of an operation of `plan`.
[[nodiscard]] std::vector<std::size_t> ring_sizes(const bounded_plan::implementation& plan,
                                                  const planned_operation& planned);

/// Gives windows of remote arrays rings of `sizes` places, and lays the buffers out anew. Other
/// windows get none.
///
/// Requires: the operation has no rings, and a size for each window.
void add_rings(const bounded_plan::implementation& plan, planned_operation& planned,
               const std::vector<std::size_t>& sizes);

/// Gives the windows of remote arrays rings as large as pays, and as there is memory for. The plan
/// needs no more memory than its limits, and all workers run tasks at once if they do without
/// rings.
void add_rings(bounded_plan::implementation& plan);

}  // namespace tessera
