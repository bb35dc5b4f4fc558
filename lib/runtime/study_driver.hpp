// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Scaling studies of a program that knows nothing of them: the option --tessera-study.
///
/// The program is started again for each repetition of each point, with another executor; its times
/// are in the logs of its computations. A first run, without a time of its own, makes data that the
/// program keeps, and warms caches.

#include "observe/api/study_results.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The value of --tessera-study: "workers=1,2,4;repeat=5".
struct study_request {
  /// "workers=1,2,4": the workers of real points.
  std::vector<std::size_t> workers;
  /// "simulated=10,1000": the workers of simulated points, with the costs of the default
  /// spec.
  std::vector<std::size_t> simulated;
  /// "repeat=5"; not set: until intervals are narrow.
  std::optional<std::size_t> repetitions;
  /// "engine=processes": the engine of real points. "{workers}" stands for their number; without it
  /// ":<number>" is appended.
  std::string engine = "threads";
  /// "launch=srun -n {workers}": the command that starts the program, on the engine "mpi".
  std::string launch;
  /// "out=study": the folder of the study's files.
  std::string folder = "study";
};

/// Throws: value_error <- `text` is no request.
[[nodiscard]] study_request parse_study_request(std::string_view text);

/// Returns the command of a run: `words` of the program, without options of Tessera that a
/// point sets, and with the options of the point. The record goes to `report`.
[[nodiscard]] std::vector<std::string> command_of_point(const std::vector<std::string>& words,
                                                        const study_request& request,
                                                        std::size_t workers, bool is_simulated,
                                                        const std::string& report);

/// Adds the computations by their records in `folder` to a point, as one repetition. `seconds` is
/// the time of the whole program.
///
/// Throws: value_error <- there is no record of a computation that ended well.
void add_repetition(point_result& point, const std::string& folder, double seconds);

/// Studies the program with the command `words`. Prints a table and writes the files of the study.
///
/// Throws: value_error <- a real point of the program failed.
void run_study_of_program(const study_request& request, const std::vector<std::string>& words);

}  // namespace tessera
