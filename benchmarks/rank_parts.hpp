// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An array in parts on the ranks of an MPI program, and its mean and anomaly.

#include "hand_written.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tessera/scheduler/executor.hpp>
#include <vector>

namespace programs {

/// A float64 array of 1 GiB with an equal number of rows on each rank. All functions are
/// collective.
class rank_parts {
 public:
  rank_parts();

  /// Returns the layout of the stored anomaly: in chunks of 8 MiB within the parts.
  [[nodiscard]] hand_written::zarr_array stored_like() const;

  /// Returns the mean, and stores the anomaly from the mean of each column.
  [[nodiscard]] double mean_beside_anomaly(const std::shared_ptr<tessera::executor>& engine,
                                           const std::string& path) const;
  /// As above, by a loop: all ranks add up the sums of columns, then each writes its rows.
  [[nodiscard]] double mean_beside_anomaly(const hand_written::zarr_array& out) const;
  /// Returns a checksum of the elements of all parts, by which a run recognises the results of an
  /// earlier run.
  [[nodiscard]] std::array<std::uint64_t, 2> digest() const;

 private:
  int rank_ = 0;
  int num_ranks_ = 1;
  std::size_t num_rows_ = 0;
  std::vector<double> part_;
};

}  // namespace programs
