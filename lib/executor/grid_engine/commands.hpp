// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Parsers of the output of Grid Engine's commands, and descriptions of its jobs.

#include "tessera/core/bytes.hpp"

#include "executor/array/array_system.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::grid_engine {

/// Tells whether a failed command may succeed later: the master does not answer, or takes no
/// further jobs of this user at present. `complaint` is the text that it printed.
[[nodiscard]] bool is_outage(std::string_view complaint);

/// Returns the number of a job from the output of `qsub -terse`: "7.1-100:1".
[[nodiscard]] std::string parse_job(std::string_view text);

/// An element in the list of `qstat -g d`.
struct listed_task {
  std::string job;
  /// From 1.
  std::size_t number = 0;
  std::string state;
};

/// Parses the output of `qstat -g d`. Skips jobs that are not job arrays.
[[nodiscard]] std::vector<listed_task> parse_queue(const std::string& text);

/// Returns the value of a line of `qconf -sconf`, "max_aj_tasks    75000".
[[nodiscard]] std::optional<std::size_t> parse_config(const std::string& text,
                                                      std::string_view key);

/// The states of elements that Grid Engine no longer lists: an `ended` element's script has left an
/// exit status, a `gone` element's has not.
inline constexpr const char* ended = "ended";
inline constexpr const char* gone = "gone";

/// Tells whether an element waits for its first start, and may be deleted without a loss.
[[nodiscard]] bool is_waiting(std::string_view state);

/// Returns the reason for which a listed element never runs.
[[nodiscard]] std::optional<job_arrays::hindrance> find_hindrance(std::string_view state);

/// Describes the end of an element without a report, for a message. `printed` is the end of the
/// output of the element.
[[nodiscard]] std::string describe_loss(const job_arrays::queued_element& element,
                                        std::string_view printed = {});

/// Returns the memory that an element requests by `resource`: "h_vmem" and "s_vmem" count its
/// address space, "h_data" and "s_data" its data segment, any other resource its resident memory.
[[nodiscard]] bytes memory_for(std::string_view resource, const job_arrays::array_request& request);

/// The extension of the file with the exit status of an element's program.
inline constexpr const char* exit_extension = ".exit";

/// Returns the batch script of the elements of an array.
[[nodiscard]] std::string batch_script(const job_arrays::array_request& request);

/// Returns the elements of a job, numbered from zero and in order, as `qdel` takes them: "7.1-4".
[[nodiscard]] std::vector<std::string> task_ranges(const std::string& job,
                                                   const std::vector<std::size_t>& elements);

}  // namespace tessera::grid_engine
