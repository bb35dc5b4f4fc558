// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The picture of a plan as SVG, without another program.

#include "tessera/core/bytes.hpp"

#include "plan/api/outcome_picture.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

/// An operation, a source or a result in a picture.
struct picture_box {
  std::string title;
  std::vector<std::string> details;
  std::string color;
  bool is_operation = false;
  bool is_result = false;
  operation_outcome outcome = {};
  /// Its part in the work of the plan, drawn as a bar.
  double share = 0;
};

/// An array between two boxes.
struct picture_array {
  std::size_t from = 0;
  std::size_t to = 0;
  bytes size{};
  /// Its name, size and place, shown below the pointer.
  std::string text;
};

/// Returns the picture. Text is of 11 units; 50 operations fit into 1,600 x 1,000 units.
[[nodiscard]] std::string picture_svg(const std::vector<picture_box>& boxes,
                                      const std::vector<picture_array>& arrays);

}  // namespace tessera
