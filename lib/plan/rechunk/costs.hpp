// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The costs of a rechunk: of single blocks, and of pairs of consecutive blocks.

#include "plan/rechunk/route.hpp"

#include <limits>
#include <vector>

namespace tessera::rechunking {

/// The cost of a route that does not exist.
inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// The objective: wall time on `num_workers`, plus `theta` times the work per worker.
struct weights {
  double num_workers = 1;
  double theta = 0;

  /// Returns the factor of the work of a copy with `num_tasks` in the objective.
  [[nodiscard]] double share(double num_tasks) const;
};

/// The costs of blocks, as products over the axes.
class block_costs {
 public:
  explicit block_costs(const problem& of);

  [[nodiscard]] const problem& of() const { return *of_; }
  [[nodiscard]] double bytes_of(const index_vector& block) const;
  [[nodiscard]] double num_tasks(const index_vector& block) const;
  /// Return seconds of one worker.
  [[nodiscard]] double to_read(double bytes, double num_requests) const {
    return of_->costs.to_read(bytes, num_requests).count();
  }
  [[nodiscard]] double to_write(double bytes, double num_requests) const {
    return of_->costs.to_write(bytes, num_requests).count();
  }
  /// Tells whether a block and the copies of a chunk fit into a task.
  [[nodiscard]] bool fits(double block_bytes, double chunk_bytes) const {
    return block_bytes + static_cast<double>(of_->chunk_copies) * chunk_bytes <=
           static_cast<double>(of_->memory);
  }
  [[nodiscard]] double array_bytes() const { return array_bytes_; }
  /// Return seconds of all tasks, or infinity if one does not fit.
  [[nodiscard]] double read_source(const index_vector& block) const;
  [[nodiscard]] double write_target(const index_vector& block) const;
  /// Adds the bytes and requests with which the first copy reads its sources in blocks of `block`.
  void add_reads(const index_vector& block, double& bytes_read, double& num_reads) const;
  /// Returns the bytes of the largest chunk that the first copy reads.
  [[nodiscard]] double source_bytes() const { return source_bytes_; }
  /// Returns the objective of a route of blocks, or infinity if one of its copies does not fit.
  [[nodiscard]] double route(const std::vector<index_vector>& blocks, const weights& by,
                             double tolerance) const;
  /// Returns the copies of a route.
  [[nodiscard]] std::vector<copy> copies(const std::vector<index_vector>& blocks,
                                         double tolerance) const;

 private:
  /// Returns the bytes of a block in a task with `itemsize` bytes for each element; 0: the size of
  /// an element.
  [[nodiscard]] double in_task(const index_vector& block, std::size_t itemsize) const;

  const problem* of_;
  std::vector<array_read> sources_;
  double array_bytes_;
  double source_bytes_ = 0;
  double target_bytes_;
};

/// Returns the candidate blocks of routes; with all lengths if `is_thorough`.
[[nodiscard]] std::vector<index_vector> candidates(const block_costs& costs, bool is_thorough);

}  // namespace tessera::rechunking
