// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The names of an array's axes.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tessera {

/// The names of an array's axes, "" for an axis without one. Copying is cheap: copies share the
/// names.
///
/// Names are the dimension names of stored arrays, and nothing else: results and plans do not
/// depend on them.
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
