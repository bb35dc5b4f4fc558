// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The jobs of a run, through Slurm's commands.

#include "tessera/executor/slurm.hpp"

#include "executor/array/array_system.hpp"
#include "executor/array/system_commands.hpp"
#include "executor/slurm/commands.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::slurm {

/// The jobs of a run, which share a name.
///
/// During an outage of Slurm's controller, a command throws until the pause is over.
class job_queue final : public job_arrays::array_system {
 public:
  job_queue(const slurm_options& options, std::string name)
      : options_(options),
        name_(std::move(name)),
        commands_({"slurm", "sbatch", is_outage}, options.timing.patience) {}

  [[nodiscard]] std::size_t max_elements() override;
  [[nodiscard]] std::string submit(const job_arrays::array_request& request) override;
  [[nodiscard]] std::vector<queued_element> list() override;
  [[nodiscard]] job_arrays::element_verdict judge(const queued_element& element) const override;
  [[nodiscard]] std::string describe_loss(const queued_element& element,
                                          std::string_view printed) const override;
  void cancel_waiting() override;
  void cancel_element(const std::string& job, std::size_t element) override;
  bool cancel_all() override;
  void end_all() override;

 private:
  [[nodiscard]] std::vector<std::string> submission(const job_arrays::array_request& request) const;

  const slurm_options& options_;
  std::string name_;
  job_arrays::system_commands commands_;
  std::optional<std::size_t> max_elements_;
};

}  // namespace tessera::slurm
