// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The batches that were handed out and have not been answered.

#include "tessera/scheduler/workload.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera {

/// A batch that was handed out; its ticket is its place in the table.
struct flight {
  task_batch batch;
  int attempt = 1;
  /// The other copy of the batch, while both are under way.
  std::optional<std::size_t> twin = std::nullopt;
  bool is_open = true;
  /// Whether it has, had, or is a backup: there is one for a batch.
  bool has_had_backup = false;
  /// Whether the other copy has ended, so that this one no longer counts.
  bool is_superseded = false;
  /// Whether it was stopped for having run too long.
  bool has_timed_out = false;
};

/// The batches that were handed out and have not been answered.
class flight_table {
 public:
  explicit flight_table(std::size_t most) : flights_(most) {
    for (std::size_t ticket = most; ticket-- > 0;) {
      flights_[ticket].is_open = false;
      free_.push_back(ticket);
    }
  }

  [[nodiscard]] bool empty() const { return free_.size() == flights_.size(); }
  [[nodiscard]] bool full() const { return free_.empty(); }
  [[nodiscard]] std::size_t size() const { return flights_.size() - free_.size(); }

  /// Returns the ticket of a new flight.
  std::size_t open(const task_batch& batch, int attempt) {
    const std::size_t ticket = free_.back();
    free_.pop_back();
    flights_[ticket] = {batch, attempt};
    return ticket;
  }

  /// Ends a flight and returns it; its twin, if it has one, is alone from now on.
  flight close(std::size_t ticket) {
    const flight ended = flights_[ticket];
    flights_[ticket].is_open = false;
    if (ended.twin) flights_[*ended.twin].twin.reset();
    free_.push_back(ticket);
    return ended;
  }

  /// Makes `copy` the backup of `original`.
  void make_twins(std::size_t original, std::size_t copy) {
    flights_[original].twin = copy;
    flights_[copy].twin = original;
    flights_[original].has_had_backup = true;
    flights_[copy].has_had_backup = true;
  }

  [[nodiscard]] flight& operator[](std::size_t ticket) { return flights_[ticket]; }

  /// Returns all places of the table, the open ones and the others.
  [[nodiscard]] const std::vector<flight>& all() const { return flights_; }

 private:
  std::vector<flight> flights_;
  std::vector<std::size_t> free_;
};

}  // namespace tessera
