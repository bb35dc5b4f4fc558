// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The arrays of a plan as JSON, with the locations of their elements.

#include "plan/api/planned.hpp"

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

namespace tessera {

/// Elements that a plan file holds.
struct file_elements {
  std::span<const std::byte> bytes;
  /// Keeps `bytes` alive.
  std::shared_ptr<const void> owner;
};

/// Returns `array` as JSON. Elements in memory go to `offset` of the file's elements, which is
/// moved to their end.
///
/// A distributed array is described by its identity only. Requires: its parameters and stores are
/// portable.
[[nodiscard]] nlohmann::json array_json(const planned_array& array, std::size_t& offset);

/// Returns the array that `json` describes, with its elements in `elements` or in storage, which is
/// opened.
///
/// Throws: value_error <- fields contradict one another, a stored array has other metadata, or
///         elements are missing. Else as opening an array and as parsing its
///         metadata do.
[[nodiscard]] planned_array parse_array(const nlohmann::json& json, const file_elements& elements);

/// Returns the names of the axes of stored arrays. They are no part of the identity of a plan.
[[nodiscard]] nlohmann::json names_json(const numbered<planned_array>& arrays);

/// Gives the arrays of a plan the names that `names_json` wrote.
///
/// Throws: value_error <- an array is not stored, or has not as many axes.
void parse_names(const nlohmann::json& value, numbered<planned_array>& arrays);

}  // namespace tessera
