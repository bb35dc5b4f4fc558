// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Function objects that say in which bin a number lies.

#include "tessera/core/index.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// Bins of one width over a range. A number next to an edge is compared with the edge, which is
/// that of numpy.linspace.
class even_bins {
 public:
  static constexpr std::string_view name = "bin";

  even_bins() = default;
  /// Throws: value_error <- there is no bin, or 2^31; the range is empty or not finite.
  even_bins(index_t count, double low, double high);

  [[nodiscard]] std::string save() const;
  [[nodiscard]] static even_bins load(std::string_view saved);

  [[nodiscard]] index_t count() const { return static_cast<index_t>(last_) + 1; }
  [[nodiscard]] std::vector<double> edges() const;

  template <class T>
  std::int64_t operator()(T value) const {
    const auto x = static_cast<double>(value);
    // No branch, and 32 bits for the integer of a number: a loop over it becomes vectors.
    const double low = low_;
    const double step = step_;
    const double last = last_;
    double position = (x - low) * scale_;
    position = position > 0.0 ? position : 0.0;
    position = position < last ? position : last;
    // It may be wrong by less than half a bin: the edge next to it decides. From here on in
    // integers: GCC makes branches of operations that may trap, as sums of doubles may.
    const auto next = static_cast<std::int32_t>(position + 0.5);
    const std::int64_t below = x < edge(next, low, step) ? 1 : 0;
    const std::int64_t beyond = x <= high_ ? 0 : -1;
    return (next - below) | beyond;
  }

 private:
  /// Returns the begin of a bin. The product is rounded before it is added to, as in `edges()`: no
  /// compiler makes one rounding of the two across a comparison.
  static double edge(double bin, double low, double step) {
    const double distance = bin * step;
    return (distance > 0.0 ? distance : 0.0) + low;
  }

  double last_ = 0;
  double low_ = 0;
  double high_ = 1;
  double step_ = 1;
  double scale_ = 1;
};

/// Numbers that are looked up in a list; as a function object it travels as their bytes.
class edge_list {
 public:
  [[nodiscard]] std::string save() const;

 protected:
  edge_list() = default;
  edge_list(std::span<const double> edges, std::uint8_t flags)
      : edges_(edges.begin(), edges.end()), flags_(flags) {}
  /// Throws: value_error <- `saved` is no text of `save`.
  explicit edge_list(std::string_view saved);

  /// Returns how many edges are at most `x`, or with `or_equal` false below it; all of them of NaN.
  [[nodiscard]] std::int64_t num_below(double x, bool or_equal) const {
    if (x != x) return size();
    const double* first = edges_.data();
    std::int64_t count = size();
    // Without branches, which could not be predicted.
    while (count > 0) {
      const std::int64_t half = count / 2;
      const bool is_below = or_equal ? first[half] <= x : first[half] < x;
      first = is_below ? first + half + 1 : first;
      count = is_below ? count - half - 1 : half;
    }
    return first - edges_.data();
  }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(edges_.size()); }

  std::vector<double> edges_;
  std::uint8_t flags_ = 0;
};

/// Bins between edges that ascend.
class uneven_bins : public edge_list {
 public:
  static constexpr std::string_view name = "bin";

  /// Throws: value_error <- there are fewer than two edges, or they do not ascend.
  explicit uneven_bins(std::span<const double> edges);
  [[nodiscard]] static uneven_bins load(std::string_view saved);

  [[nodiscard]] index_t count() const { return size() - 1; }

  template <class T>
  std::int64_t operator()(T value) const {
    const auto x = static_cast<double>(value);
    if (x == edges_.back()) return count() - 1;
    // Below all: -1; beyond all, and NaN: the number of bins, which is none.
    return num_below(x, true) - 1;
  }

 private:
  uneven_bins(std::string_view saved, int) : edge_list(saved) {}
};

/// The index of an element among edges, as numpy.digitize gives it.
class digits : public edge_list {
 public:
  static constexpr std::string_view name = "digitize";

  /// Throws: value_error <- edges neither ascend nor descend.
  digits(std::span<const double> edges, bool is_right);
  [[nodiscard]] static digits load(std::string_view saved);

  template <class T>
  std::int64_t operator()(T value) const {
    const auto x = static_cast<double>(value);
    const bool is_right = (flags_ & right_flag) != 0;
    if ((flags_ & descends_flag) == 0) return num_below(x, !is_right);
    // They are kept in ascending order. No edge is above NaN, or above a number beyond all edges.
    return size() - num_below(x, !is_right);
  }

 private:
  static constexpr std::uint8_t right_flag = 1;
  static constexpr std::uint8_t descends_flag = 2;
  digits(std::string_view saved, int) : edge_list(saved) {}
};

}  // namespace tessera::detail
