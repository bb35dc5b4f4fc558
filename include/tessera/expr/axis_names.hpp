// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The names of an array's axes.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tessera {

/// The names of an array's axes, "" where one has none. Copying is cheap: copies share the names.
///
/// Names say what a stored array's dimensions are called, and nothing else: what is computed, and
/// how it is planned, does not depend on them.
class axis_names {
 public:
  /// No axis has a name.
  axis_names() = default;
  /// One name for each axis.
  explicit axis_names(std::vector<std::string> names);

  /// Tells whether no axis has a name.
  [[nodiscard]] bool empty() const { return names_ == nullptr; }

  /// Returns the name of an axis.
  [[nodiscard]] const std::string& operator[](std::size_t axis) const;

  /// Returns the names of `rank` axes.
  [[nodiscard]] std::vector<std::string> list(std::size_t rank) const;

 private:
  std::shared_ptr<const std::vector<std::string>> names_;
};

}  // namespace tessera
