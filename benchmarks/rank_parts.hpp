// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An array that lies in parts on the ranks of an MPI program, and what is made of it there.

#include "hand_written.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tessera/scheduler/executor.hpp>
#include <vector>

namespace programs {

/// A float64 array of 1 GiB, of which each rank holds as many rows. Collective, as all functions
/// here.
class rank_parts {
 public:
  rank_parts();

  /// Returns the array like which both store the anomaly: in chunks of 8 MiB within the parts.
  [[nodiscard]] hand_written::zarr_array stored_like() const;

  /// Returns the mean, and stores what is left where that of each column is taken away.
  [[nodiscard]] double mean_beside_anomaly(const std::shared_ptr<tessera::executor>& engine,
                                           const std::string& path) const;
  /// Does the same by a loop: sums of columns are added up by all ranks, then each writes its rows.
  [[nodiscard]] double mean_beside_anomaly(const hand_written::zarr_array& out) const;
  /// Returns what tells the elements of all parts from others, by which a run knows whether what an
  /// earlier one has made is of the same.
  [[nodiscard]] std::array<std::uint64_t, 2> digest() const;

 private:
  int rank_ = 0;
  int num_ranks_ = 1;
  std::size_t num_rows_ = 0;
  std::vector<double> part_;
};

}  // namespace programs
