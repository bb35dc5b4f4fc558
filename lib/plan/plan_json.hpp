// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Plans as JSON, without the elements in memory that they read.

#include "plan/api/planned.hpp"
#include "plan/array_json.hpp"

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>

namespace tessera {

/// Returns `plan` as JSON, without its spec, and sets `num_bytes` to the bytes of the elements in
/// memory. Requires: the plan is portable.
[[nodiscard]] nlohmann::json plan_json(const bounded_plan::implementation& plan,
                                       std::size_t& num_bytes);

/// Calls `sink` with the elements in memory, with zeros between them, `num_bytes` in all.
void write_memory_elements(const bounded_plan::implementation& plan,
                           const std::function<void(std::span<const std::byte>)>& sink);

/// Returns the plan that `json` describes, of the spec `limits`. Buffers and all other promises to
/// tasks are planned anew.
///
/// Throws: value_error, shape_error, nlohmann::json::exception <- `json` is no plan. Else as
/// `parse_array`.
[[nodiscard]] bounded_plan::implementation parse_plan(const nlohmann::json& json,
                                                      const file_elements& elements,
                                                      const spec& limits = {});

/// Returns a hash of the program of a plan, without the contents of arrays.
[[nodiscard]] std::string hash_of_asked(const bounded_plan::implementation& plan);

}  // namespace tessera
