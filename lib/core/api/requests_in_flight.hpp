// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The interface of workloads with several requests of a task to storage in flight.

#include <cstddef>

namespace tessera {

/// The requests of a task in flight at once, on average.
struct requests_in_flight {
  double reads = 1;
  double writes = 1;
};

/// A workload with such tasks.
class overlapping_workload {
 public:
  [[nodiscard]] virtual requests_in_flight in_flight(std::size_t operation) const = 0;

 protected:
  ~overlapping_workload() = default;
};

}  // namespace tessera
