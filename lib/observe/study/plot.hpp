// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Plots of a study as SVG, without a plotting program.

#include "observe/api/study_results.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// The quantity of the vertical axis.
enum class study_plot : std::uint8_t { time, speed_up, efficiency, memory };

[[nodiscard]] std::string_view name_of(study_plot plot);

/// Returns a plot over the number of workers: all repetitions as points, medians as lines with
/// their intervals, simulated ones dashed, ideal lines thin.
[[nodiscard]] std::string svg_of(const study_results& results, study_plot plot);

}  // namespace tessera
