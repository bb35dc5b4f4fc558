// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The timeline of a run as a figure for papers.

#include "observe/record/run_record.hpp"

#include <string>
#include <vector>

namespace tessera {

/// Returns an SVG of 800 units: workers over time, coloured by operation; the number of busy
/// workers; the memory of the process; a legend. Many workers share a row, and neighbouring batches
/// a rectangle, so that it has at most 23,040 rectangles.
[[nodiscard]] std::string timeline_svg(const run_record& record,
                                       const std::vector<operation_summary>& summaries);

}  // namespace tessera
