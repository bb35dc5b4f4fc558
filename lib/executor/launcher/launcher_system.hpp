// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A launcher as a system of job arrays.

#include "tessera/executor/launcher.hpp"
#include "tessera/scheduler/run_batch.hpp"

#include "executor/array/array_system.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace tessera::launchers {

/// The environment variable with the number of an element.
inline constexpr auto index_variable = "TESSERA_INDEX";

/// The launchers of a run: a process for each array.
///
/// The elements of an array run as long as its launcher, and have its exit code.
class launcher_system final : public job_arrays::array_system {
 public:
  launcher_system(const launcher_options& options, std::string run)
      : options_(options), run_(std::move(run)) {}
  /// Ends all launchers.
  ~launcher_system() override;

  [[nodiscard]] std::size_t max_elements() override { return options_.max_elements; }
  [[nodiscard]] std::string submit(const job_arrays::array_request& request) override;
  [[nodiscard]] std::vector<job_arrays::queued_element> list() override;
  [[nodiscard]] job_arrays::element_verdict judge(
      const job_arrays::queued_element& element) const override;
  [[nodiscard]] std::string describe_loss(const job_arrays::queued_element& element,
                                          std::string_view printed) const override;
  /// Ends all launchers after a pause, and kills them after another. Elements end with their tasks
  /// meanwhile.
  void cancel_waiting() override;
  /// A launcher cancels no single element: it ends if the element is its only one.
  void cancel_element(const std::string& job, std::size_t element) override;
  bool cancel_all() override;
  void end_all() override;

 private:
  struct launched_array {
    std::size_t array = 0;
    std::size_t num_elements = 0;
    std::filesystem::path folder;
    pid_t process = 0;
    /// As of `waitpid`; nullopt while the launcher runs.
    std::optional<int> status = std::nullopt;
    bool is_cancelled = false;
    /// After the end of its programs on this host.
    bool is_waited_for = false;
  };

  [[nodiscard]] std::vector<std::string> command(const job_arrays::array_request& request) const;
  void look();
  static void look(launched_array& launched);
  void terminate(launched_array& launched);
  /// Ends launchers that ignore SIGTERM, and programs of launchers.
  void kill_all();
  [[nodiscard]] bool have_ended_within(session_time longest);

  const launcher_options& options_;
  std::string run_;
  session_clock clock_;
  std::vector<launched_array> launched_;
  std::optional<session_time> cancelled_since_;
  std::optional<session_time> terminated_since_;
};

}  // namespace tessera::launchers
