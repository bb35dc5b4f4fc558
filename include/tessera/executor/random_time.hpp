// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A distribution of times.

#include <chrono>
#include <cstdint>

namespace tessera {

/// A time that differs from one draw to the next: a distribution with its parameters.
///
/// A value. A duration converts to the time that is always the same: `random_time time = 100ms;`
class random_time {
 public:
  /// Times of less than a nanosecond count as well: those of an element.
  using nanoseconds = std::chrono::duration<double, std::nano>;

  enum class family : std::uint8_t { constant, uniform, normal, lognormal, exponential };

  /// Always zero.
  random_time() = default;

  /// Always `time`.
  template <class Rep, class Period>
  random_time(std::chrono::duration<Rep, Period> time)
      : random_time(family::constant, nanoseconds(time).count(), 0) {}

  /// Between `low` and `high`, all of them equally likely.
  [[nodiscard]] static random_time uniform(nanoseconds low, nanoseconds high);

  /// Normal; negative draws are zero.
  [[nodiscard]] static random_time normal(nanoseconds mean, nanoseconds stddev);

  /// Log-normal: its logarithm is normal with the standard deviation `sigma`; half of the times are
  /// less than `median`. The mean is `median * exp(sigma * sigma / 2)`.
  [[nodiscard]] static random_time lognormal(nanoseconds median, double sigma);

  [[nodiscard]] static random_time exponential(nanoseconds mean);

  /// Returns the time that two numbers make, drawn independently and evenly from [0, 1).
  [[nodiscard]] nanoseconds draw(double first, double second) const;

  /// Returns the mean of all draws.
  [[nodiscard]] nanoseconds mean() const;

  [[nodiscard]] family kind() const { return family_; }
  /// The parameters in their order; times in nanoseconds. Zero if there is no second one.
  [[nodiscard]] double first() const { return first_; }
  [[nodiscard]] double second() const { return second_; }

  [[nodiscard]] bool operator==(const random_time&) const = default;

 private:
  /// Throws: value_error <- a parameter is negative or not finite.
  random_time(family kind, double first, double second);

  family family_ = family::constant;
  double first_ = 0;
  double second_ = 0;
};

}  // namespace tessera
