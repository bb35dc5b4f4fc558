// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The executors for job arrays.

#include "tessera/scheduler/executor.hpp"

#include "executor/api/driver_host.hpp"
#include "executor/array/array_system.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::job_arrays {

/// An executor for job arrays on a system.
class array_executor final : public executor, public driver_host {
 public:
  /// `name` is the executor's name with its options. A plan has at most `max_batches` batches for
  /// each operation. `stops_tasks` tells whether the system ends single elements.
  array_executor(std::string name, std::size_t max_batches, bool stops_tasks, array_options options)
      : name_(std::move(name)),
        max_batches_(max_batches),
        stops_tasks_(stops_tasks),
        options_(std::move(options)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::size_t num_workers() const override { return options_.workers; }
  [[nodiscard]] executor_traits traits() const override;
  [[nodiscard]] std::unique_ptr<executor_session> start(workload& work) override;
  [[nodiscard]] std::optional<std::string> submit_driver(const std::filesystem::path& directory,
                                                         const std::string& location) override;

 private:
  std::string name_;
  std::size_t max_batches_;
  bool stops_tasks_;
  array_options options_;
};

}  // namespace tessera::job_arrays
