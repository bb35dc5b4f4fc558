// SPDX-License-Identifier: Apache-2.0
#include "executor/array/array_executor.hpp"

#include "executor/array/session.hpp"

#include <algorithm>
#include <chrono>

namespace tessera::job_arrays {

executor_traits array_executor::traits() const {
  return {.shares_memory = false,
          .shares_host = false,
          .stops_tasks = stops_tasks_,
          .max_batches = std::max(max_batches_, 8 * options_.workers),
          .cost_per_batch = std::chrono::seconds{1}};
}

std::unique_ptr<executor_session> array_executor::start(workload& work) {
  return std::make_unique<session>(work, options_);
}

}  // namespace tessera::job_arrays
