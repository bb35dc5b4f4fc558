// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The critical path of a run: the chain of attempts that determined its time.

#include "observe/record/run_record.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Attempts of the path that follow each other: of one operation, on one worker.
struct critical_span {
  std::size_t operation = 0;
  std::size_t worker = 0;
  std::size_t num_attempts = 0;
  session_time started{};
  session_time ended{};
  /// The sum of the times of the attempts.
  session_time busy{};
};

/// Returns the critical path, from its first attempt to its last.
///
/// It ends with the last end of an attempt. The predecessor of an attempt stands before it.
/// Candidates are attempts of the same worker, attempts of operations that it reads, and failed
/// attempts of its task. The predecessor is the candidate with the last end before the attempt
/// began. Between two attempts the path waits: for a worker, the scheduler, or the pause of a
/// retry.
///
/// Complexity: n log n of the attempts.
[[nodiscard]] std::vector<critical_span> critical_path_of(const run_record& record);

}  // namespace tessera
