// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Explanations in plan files.

#include "plan/api/explanation_texts.hpp"

#include <nlohmann/json.hpp>
#include <optional>

namespace tessera {

/// Returns an object, or null if there is no explanation.
[[nodiscard]] nlohmann::json explanation_json(const std::optional<explanation_texts>& explanation);

/// Returns the explanation that `explanation_json` returned as `value`.
///
/// Throws: value_error <- a text is none. nlohmann::json::exception <- a field is missing.
[[nodiscard]] std::optional<explanation_texts> parse_explanation(const nlohmann::json& value);

}  // namespace tessera
