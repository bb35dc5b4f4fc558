// SPDX-License-Identifier: Apache-2.0
#include "executor/array/array_executor.hpp"

#include "executor/array/session.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <thread>

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

std::optional<std::string> array_executor::submit_driver(const std::filesystem::path& directory,
                                                         const std::string& location) {
  using namespace std::chrono_literals;
  constexpr bytes memory_of_plan{std::uint64_t{1} << 30U};
  if (!options_.has_queue) return std::nullopt;
  const array_request request{.operation = "driver",
                              .num_elements = 1,
                              .reserved = memory_of_process(),
                              .task_memory = memory_of_plan,
                              .folder = directory,
                              .is_driver = true,
                              .location = location};
  const std::unique_ptr<array_system> system = options_.connect("tessera-driver");
  while (true) {
    try {
      return fmt::format("job {} of {}", system->submit(request), options_.name);
    } catch (const no_answer&) {
      std::this_thread::sleep_for(100ms);
    }
  }
}

}  // namespace tessera::job_arrays
