// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The data that the benchmarks read: made once, kept for the next run.

#include "hand_written.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace data {

/// Returns the directory of all data: TESSERA_BENCHMARK_DIR, or one in the build tree.
[[nodiscard]] std::filesystem::path directory();

/// Returns a float64 array of 1 GiB, the `index`-th of its kind; makes it if it is missing.
[[nodiscard]] hand_written::zarr_array field(int index);

/// As `field`, in chunks of 64 MiB: a task on them takes more than 50 ms.
[[nodiscard]] hand_written::zarr_array coarse_field(int index);

/// Returns a float64 array of 1 GiB in chunks of 32 MiB; makes it if it is missing.
[[nodiscard]] hand_written::zarr_array broad_field();

/// Returns a float64 array of 2 GiB; makes it if it is missing.
[[nodiscard]] hand_written::zarr_array large_field();

/// Returns `u` or `v`, float64 arrays as wide as `field` with 8.5 and 7.5 chunks of rows; makes it
/// if it is missing.
[[nodiscard]] hand_written::zarr_array uneven_field(const std::string& name);

/// Returns component `name` of a wind, float32 (time, latitude, longitude) of 2 GiB; makes it if it
/// is missing.
[[nodiscard]] hand_written::zarr_array wind(const std::string& name);

/// Return float32 (time, latitude, longitude) of 2 GiB, `maps` in chunks of a few whole maps,
/// `series` in chunks of all times for few places; make it if it is missing.
[[nodiscard]] hand_written::zarr_array maps();
[[nodiscard]] hand_written::zarr_array series();

/// Returns `u` or `v`, float64 (time, latitude, longitude) of 1 GiB in 16 chunks of whole maps;
/// makes it if it is missing.
[[nodiscard]] hand_written::zarr_array large_maps(const std::string& name);

/// Returns a float64 matrix of 1 GiB with 128 columns; makes it if it is missing.
[[nodiscard]] hand_written::zarr_array tall_matrix();

/// Returns float64 of 400 MB in 10^5 chunks of 4 KiB; makes it if it is missing.
[[nodiscard]] hand_written::zarr_array small_files();

/// Returns float64, 1,000,000 x 16, a file for each row; many rows share a file by hard links.
[[nodiscard]] hand_written::zarr_array very_many_files();

/// Returns the path of the result `name`.
[[nodiscard]] std::filesystem::path path_of_result(const std::string& name);

/// Returns an array like `like` for a result, with nothing at its path.
[[nodiscard]] hand_written::zarr_array result(const hand_written::zarr_array& like,
                                              const std::string& name);

/// Removes the results.
void remove_results();

/// Returns `count` reproducible values in [-1, 1).
[[nodiscard]] std::vector<double> noise(std::size_t count, std::size_t seed);

}  // namespace data
