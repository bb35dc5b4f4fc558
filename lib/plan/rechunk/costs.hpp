// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What blocks of a rechunk cost, one by one and in pairs.

#include "plan/rechunk/route.hpp"

#include <vector>

namespace tessera::rechunking {

/// What is made least: seconds of wall on `num_workers`, and `theta` of their share of the work.
struct weights {
  double num_workers = 1;
  double theta = 0;

  /// Returns what of a copy's work counts that has so many tasks.
  [[nodiscard]] double share(double num_tasks) const;
};

/// The products over all axes that costs are made of.
class block_costs {
 public:
  explicit block_costs(const problem& of);

  [[nodiscard]] const problem& of() const { return *of_; }
  [[nodiscard]] double bytes_of(const index_vector& block) const;
  [[nodiscard]] double num_tasks(const index_vector& block) const;
  /// Return the seconds of one worker.
  [[nodiscard]] double to_read(double bytes, double num_requests) const {
    return of_->costs.to_read(bytes, num_requests).count();
  }
  [[nodiscard]] double to_write(double bytes, double num_requests) const {
    return of_->costs.to_write(bytes, num_requests).count();
  }
  /// Tells whether a task may have such a block and such a chunk.
  [[nodiscard]] bool fits(double block_bytes, double chunk_bytes) const {
    return block_bytes + static_cast<double>(of_->chunk_copies) * chunk_bytes <=
           static_cast<double>(of_->memory);
  }
  [[nodiscard]] double array_bytes() const { return array_bytes_; }
  /// Return the seconds of all tasks; infinite where one does not fit.
  [[nodiscard]] double read_source(const index_vector& block) const;
  [[nodiscard]] double write_target(const index_vector& block) const;
  /// Adds what tasks on `block` read of what the first copy reads: bytes, and requests.
  void add_reads(const index_vector& block, double& bytes_read, double& num_reads) const;
  /// Returns the bytes of the largest chunk that the first copy reads.
  [[nodiscard]] double source_bytes() const { return source_bytes_; }
  /// Returns what a route of blocks costs; infinite where one of its copies does not fit.
  [[nodiscard]] double route(const std::vector<index_vector>& blocks, const weights& by,
                             double tolerance) const;
  /// Returns the copies of a route.
  [[nodiscard]] std::vector<copy> copies(const std::vector<index_vector>& blocks,
                                         double tolerance) const;

 private:
  /// Returns the bytes that a task has of a block where it has `itemsize` of each element; 0: those
  /// of the element.
  [[nodiscard]] double in_task(const index_vector& block, std::size_t itemsize) const;

  const problem* of_;
  std::vector<array_read> sources_;
  double array_bytes_;
  double source_bytes_ = 0;
  double target_bytes_;
};

/// The least of the bytes that a copy may read twice along an axis, over all of it, for the sake of
/// longer chunks.
inline constexpr double usual_tolerance = 1.2;

/// Returns blocks that a route may lead over; all lengths where `is_thorough`.
[[nodiscard]] std::vector<index_vector> candidates(const block_costs& costs, bool is_thorough);

}  // namespace tessera::rechunking
