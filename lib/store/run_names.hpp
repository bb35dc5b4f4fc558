// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Names in work directories.

#include <cstddef>
#include <string_view>

namespace tessera::detail {

inline constexpr std::string_view run_prefix = "run-";
inline constexpr std::string_view finished_prefix = "finished-";
/// The records of finished runs that overwrite their sources (`record_of_whole_arrays`).
inline constexpr std::string_view overwriting_prefix = "finished-overwriting-";
/// The plan's table, in the directory of a run.
inline constexpr std::string_view description_name = "plan.txt";
/// The digits of an identity in a directory's name: enough to make a collision of plans impossible
/// in practice.
inline constexpr std::size_t name_digits = 20;

}  // namespace tessera::detail
