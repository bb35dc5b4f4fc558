// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The jobs of a run, through Grid Engine's commands.

#include "tessera/executor/grid_engine.hpp"

#include "executor/array/array_system.hpp"
#include "executor/array/system_commands.hpp"
#include "executor/grid_engine/commands.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::grid_engine {

/// The jobs of a run, which share a name.
///
/// Grid Engine lists the elements that have not ended. The queue knows all elements that it has
/// submitted, so that an element that is not listed has ended.
class job_queue final : public job_arrays::array_system {
 public:
  job_queue(const grid_engine_options& options, std::string name)
      : options_(options),
        name_(std::move(name)),
        commands_({"grid_engine", "qsub", is_outage}, options.timing.patience) {}

  [[nodiscard]] std::size_t max_elements() override;
  [[nodiscard]] std::string submit(const job_arrays::array_request& request) override;
  [[nodiscard]] std::vector<job_arrays::queued_element> list() override;
  [[nodiscard]] job_arrays::element_verdict judge(
      const job_arrays::queued_element& element) const override;
  [[nodiscard]] std::string describe_loss(const job_arrays::queued_element& element,
                                          std::string_view printed) const override;
  void cancel_waiting() override;
  void cancel_element(const std::string& job, std::size_t element) override;
  bool cancel_all() override;
  void end_all() override;

 private:
  struct submitted_array {
    std::size_t array = 0;
    std::string job;
    std::size_t num_elements = 0;
    std::filesystem::path folder;
  };

  [[nodiscard]] std::vector<std::string> submission(const job_arrays::array_request& request) const;
  [[nodiscard]] std::vector<listed_task> ask_tasks();

  const grid_engine_options& options_;
  std::string name_;
  job_arrays::system_commands commands_;
  std::optional<std::size_t> max_elements_;
  std::vector<submitted_array> submitted_;
  bool is_cancelled_ = false;
};

}  // namespace tessera::grid_engine
