// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The random durations and outcomes of simulated attempts of tasks.

#include "tessera/executor/simulated.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tessera {

class random_stream;

enum class attempt_end { good, failed, lost };

struct simulated_attempt {
  session_time time{};
  attempt_end end = attempt_end::good;
};

/// The random durations and outcomes of simulated attempts of tasks.
///
/// A draw depends on the seed, the task and the number of its attempt, not on time or worker.
class simulated_tasks {
 public:
  explicit simulated_tasks(const simulated_options& options);

  /// Returns the duration and the outcome of the next attempt of a task.
  [[nodiscard]] simulated_attempt start(const workload_operation& operation, std::size_t number,
                                        index_t task);

  /// Removes the count of a task that has succeeded.
  void end(std::size_t operation, index_t task);

  /// Returns the start-up time of a worker that has ended `num_batches` batches.
  [[nodiscard]] session_time start_up(std::size_t worker, std::uint64_t num_batches) const;

 private:
  [[nodiscard]] double own_time(const workload_operation& operation, random_stream& random) const;

  const simulated_options& options_;
  /// By the label of the operation, by ascending element steps.
  std::unordered_map<std::string_view, std::vector<operation_slowness>> slowness_;
  /// The numbers of attempts of the tasks that have not succeeded.
  std::unordered_map<std::uint64_t, std::uint64_t> num_starts_;
};

}  // namespace tessera
