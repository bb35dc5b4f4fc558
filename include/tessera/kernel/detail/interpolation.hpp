// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A function that is straight between points.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// Straight between points, and as at the first and the last one beyond them; as a function object
/// it travels as their bytes. NaN gives NaN.
class interpolation {
 public:
  static constexpr std::string_view name = "interp";

  /// Throws: value_error <- there are no points, more `x` than `y` or fewer, or `x` do not ascend.
  interpolation(std::vector<double> x, std::vector<double> y);

  [[nodiscard]] std::string save() const;
  /// Throws: value_error <- `saved` is no text of `save`.
  [[nodiscard]] static interpolation load(std::string_view saved);

  template <class T>
  double operator()(T x) const {
    return at(static_cast<double>(x));
  }

 private:
  struct points;
  [[nodiscard]] double at(double x) const;

  std::shared_ptr<const points> points_;
};

}  // namespace tessera::detail
