// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The files of a study, and the comparison of two.

#include "observe/api/study_results.hpp"

#include <string>

namespace tessera {

/// Writes the files of a study into `folder`: study.csv, study.json, study.jsonl (for Extra-P),
/// study.md, and the plots time.svg, speed-up.svg, efficiency.svg, memory.svg.
///
/// Throws: store_error <- a file cannot be written.
void write_study(const study_results& results, const std::string& folder);

/// Reads a study.json, or that of a folder.
///
/// Throws: store_error <- the file cannot be read. value_error <- it is no study.
[[nodiscard]] study_results read_study(const std::string& path);

/// Returns a table of the points that both studies have: medians with intervals, and the time of
/// `second` over that of `first`, from the least to the greatest that the intervals allow. Below,
/// the circumstances that differ.
[[nodiscard]] std::string comparison_of(const study_results& first, const study_results& second);

/// Returns the comparison as JSON: a list of the points that both studies have, with `first` and
/// `second` (median, low, high, in seconds) and `verdict`.
[[nodiscard]] std::string comparison_json_of(const study_results& first,
                                             const study_results& second);

}  // namespace tessera
