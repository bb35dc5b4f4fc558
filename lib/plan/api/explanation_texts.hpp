// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The explanation of a plan as it lies in a plan file.

#include <string>

namespace tessera {

/// The texts and the picture of a plan. A plan of a run, which its workers read, has none: to
/// explain a plan takes as long as to make it.
struct explanation_texts {
  /// As `plan_explanation::to_string` returns it.
  std::string text;
  /// As `plan_explanation::to_json` returns it.
  std::string json;
  /// SVG.
  std::string picture;
};

}  // namespace tessera
