// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The starts of workers, and their hosts.

#include "observe/record/run_record.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// A start of a worker. In a job array, each batch has a worker of its own, which takes the number
/// of one that has ended.
struct start_up {
  std::size_t worker = 0;
  /// The number of its host in the order of names.
  std::size_t host = 0;
  session_time asked{};
  session_time ready{};
  /// The time from which the number does nothing but start: not before `asked`, nor before the end
  /// of the attempts of its earlier workers.
  session_time began{};
};

/// The starts of a run. A log of version 3 has none.
class worker_starts {
 public:
  explicit worker_starts(const run_record& record);

  /// Returns the starts, sorted by worker and the time at which they were ready.
  [[nodiscard]] const std::vector<start_up>& list() const { return starts_; }
  [[nodiscard]] std::span<const start_up> of(std::size_t worker) const;
  /// Returns the time of all starts.
  [[nodiscard]] session_time total() const;

  /// Returns the number of the host of a worker, by its first start or by its last start until
  /// `time`; the number behind the last host if the host is not known.
  [[nodiscard]] std::size_t host_of(std::size_t worker) const;
  [[nodiscard]] std::size_t host_of(std::size_t worker, session_time time) const;

  /// Returns the name of a host; "" if `host` is behind the last one.
  [[nodiscard]] const std::string& name_of_host(std::size_t host) const;
  [[nodiscard]] std::size_t num_hosts() const { return hosts_.size(); }

 private:
  void set_begins(const run_record& record);

  std::vector<std::string> hosts_;
  std::vector<start_up> starts_;
};

/// Returns the attempts of batches, sorted by host, worker and begin.
[[nodiscard]] std::vector<const run_event*> attempts_by_host(const run_record& record,
                                                             const worker_starts& starts);

}  // namespace tessera
