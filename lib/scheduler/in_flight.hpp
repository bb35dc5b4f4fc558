// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The batches that were submitted and have no completion yet.

#include "tessera/scheduler/workload.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera {

/// A batch that was submitted. Its ticket is its index in the table.
struct submitted_batch {
  task_batch batch;
  int attempt = 1;
  /// The ticket of the second copy of the batch, while the two copies are in flight.
  std::optional<std::size_t> backup = std::nullopt;
  bool is_open = true;
  /// Whether the batch has had a backup, or is a backup. A batch gets at most a single backup.
  bool has_had_backup = false;
  /// Whether the second copy has ended, so that the result of this copy is ignored.
  bool is_superseded = false;
  /// Whether the batch was stopped after its time-out.
  bool has_timed_out = false;
};

/// The batches that were submitted and have no completion yet.
class in_flight_table {
 public:
  explicit in_flight_table(std::size_t most) : in_flight_(most) {
    for (std::size_t ticket = most; ticket-- > 0;) {
      in_flight_[ticket].is_open = false;
      free_.push_back(ticket);
    }
  }

  [[nodiscard]] bool empty() const { return free_.size() == in_flight_.size(); }
  [[nodiscard]] bool full() const { return free_.empty(); }
  [[nodiscard]] std::size_t size() const { return in_flight_.size() - free_.size(); }

  /// Adds a batch and returns its ticket. Requires: the table is not full.
  std::size_t open(const task_batch& batch, int attempt) {
    const std::size_t ticket = free_.back();
    free_.pop_back();
    in_flight_[ticket] = {batch, attempt};
    return ticket;
  }

  /// Removes a batch and returns it. Its backup, if it has one, remains without a second copy.
  submitted_batch close(std::size_t ticket) {
    const submitted_batch ended = in_flight_[ticket];
    in_flight_[ticket].is_open = false;
    if (ended.backup) in_flight_[*ended.backup].backup.reset();
    free_.push_back(ticket);
    return ended;
  }

  /// Marks `copy` as the backup of `original`.
  void link_backup(std::size_t original, std::size_t copy) {
    in_flight_[original].backup = copy;
    in_flight_[copy].backup = original;
    in_flight_[original].has_had_backup = true;
    in_flight_[copy].has_had_backup = true;
  }

  [[nodiscard]] submitted_batch& operator[](std::size_t ticket) { return in_flight_[ticket]; }

  /// Returns the entries of the table by ticket, open or not.
  [[nodiscard]] const std::vector<submitted_batch>& entries() const { return in_flight_; }

 private:
  std::vector<submitted_batch> in_flight_;
  std::vector<std::size_t> free_;
};

}  // namespace tessera
