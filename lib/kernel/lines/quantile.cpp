// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/lines.hpp"

#include "kernel/lines/line_kernels.hpp"
#include "kernel/lines/line_runner.hpp"
#include "kernel/lines/ordering.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

namespace tessera {
namespace {

using detail::line_runner;
using line::quantiles_sought;

/// Where a quantile lies among sorted elements: at one of them, or between it and the next.
struct place_in_order {
  index_t index = 0;
  double fraction = 0;
};

/// Returns where `virtual_index` lies among `size` elements.
place_in_order between(double virtual_index, index_t size) {
  if (!(virtual_index > 0)) return {};
  const double last = static_cast<double>(size - 1);
  if (virtual_index >= last) return {size - 1, 0};
  const double floor = std::floor(virtual_index);
  return {static_cast<index_t>(floor), virtual_index - floor};
}

place_in_order at(double index, index_t size) { return between(std::floor(index), size); }

/// Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996: by two constants.
place_in_order by_constants(double q, index_t size, double alpha, double beta) {
  const auto n = static_cast<double>(size);
  return between(n * q + (alpha + q * (1 - alpha - beta)) - 1, size);
}

/// The index above `index`, or that itself where `is_exact` is true of a whole number.
template <class Condition>
place_in_order step(double index, index_t size, Condition is_exact) {
  const double floor = std::floor(index);
  return at(is_exact(index - floor == 0, floor) ? floor : floor + 1, size);
}

place_in_order place_of(double q, quantile_method method, index_t size) {
  const auto n = static_cast<double>(size);
  const double index = (n - 1) * q;
  switch (method) {
    case quantile_method::linear:
      return between(index, size);
    case quantile_method::lower:
      return at(index, size);
    case quantile_method::higher:
      return at(std::ceil(index), size);
    case quantile_method::midpoint:
      return between((std::floor(index) + std::ceil(index)) / 2, size);
    case quantile_method::nearest:
      return at(std::nearbyint(index), size);
    case quantile_method::inverted_cdf:
      return step(n * q - 1, size, [](bool is_whole, double) { return is_whole; });
    case quantile_method::averaged_inverted_cdf: {
      const double whole = n * q - 1;
      if (std::floor(whole) == whole) return between(whole + 0.5, size);
      return at(std::floor(whole) + 1, size);
    }
    case quantile_method::closest_observation:
      return step(n * q - 1.5, size,
                  [](bool is_whole, double floor) { return is_whole && std::fmod(floor, 2) == 0; });
    case quantile_method::interpolated_inverted_cdf:
      return by_constants(q, size, 0, 1);
    case quantile_method::hazen:
      return by_constants(q, size, 0.5, 0.5);
    case quantile_method::weibull:
      return by_constants(q, size, 0, 0);
    case quantile_method::median_unbiased:
      return by_constants(q, size, 1.0 / 3, 1.0 / 3);
    case quantile_method::normal_unbiased:
      return by_constants(q, size, 3.0 / 8, 3.0 / 8);
  }
  return {};
}

/// As NumPy interpolates: from the nearer end, so that both ends are exact; and, as it does not,
/// towards infinity, and between equal ones.
double interpolated(double a, double b, double t) {
  if (a == b) return a;
  const double difference = b - a;
  if (!std::isfinite(difference)) return a * (1 - t) + b * t;
  return t >= 0.5 ? b - difference * (1 - t) : a + difference * t;
}

/// The type in which quantiles of `T` are given.
template <class T>
using quantile_t = floating_t<T>;

/// Puts elements of a line where they would be if it was sorted, in ascending order of places.
template <class T>
class selector {
 public:
  selector(T* first, T* last, bool is_sorted)
      : rest_(is_sorted ? last : first), first_(first), last_(last) {}

  double operator[](index_t place) {
    T* const wanted = first_ + place;
    if (wanted >= rest_) {
      if (wanted == rest_) {
        std::iter_swap(wanted, std::min_element(rest_, last_, is_less));
      } else {
        std::nth_element(rest_, wanted, last_, is_less);
      }
      rest_ = wanted + 1;
    }
    return static_cast<double>(static_cast<detail::compared_t<T>>(*wanted));
  }

 private:
  static bool is_less(T a, T b) {
    using value = detail::compared_t<T>;
    return static_cast<value>(a) < static_cast<value>(b);
  }

  /// From here on, elements are in no order.
  T* rest_;
  T* first_;
  T* last_;
};

/// More places than this are cheaper found in a line that is sorted.
constexpr std::size_t most_selected = 16;

template <class T>
void find_quantiles(T* line, quantile_t<T>* found, index_t size, const quantiles_sought& sought,
                    const std::vector<std::size_t>& ascending) {
  using result = quantile_t<T>;
  using value = detail::compared_t<T>;
  T* const last = detail::move_nan_behind(line, line + size);
  const auto count = static_cast<index_t>(last - line);
  if (count == 0 || (count < size && !sought.skips_nan)) {
    std::fill_n(found, sought.q.size(), std::numeric_limits<result>::quiet_NaN());
    return;
  }
  const bool is_sorted = sought.q.size() > most_selected;
  if (is_sorted) {
    std::sort(line, last, [](T a, T b) { return static_cast<value>(a) < static_cast<value>(b); });
  }
  selector<T> sorted(line, last, is_sorted);
  for (const std::size_t i : ascending) {
    if (sought.is_median) {
      const double below = sorted[(count - 1) / 2];
      const double above = count % 2 == 0 ? sorted[count / 2] : below;
      found[i] = static_cast<result>(below == above ? below : (below + above) / 2);
      continue;
    }
    const place_in_order place = place_of(sought.q[i], sought.method, count);
    const double below = sorted[place.index];
    const double above = place.fraction == 0 ? below : sorted[place.index + 1];
    found[i] = static_cast<result>(interpolated(below, above, place.fraction));
  }
}

const quantiles_sought& sought_in(const void* parameters) {
  return *static_cast<const quantiles_sought*>(parameters);
}

std::size_t num_made(const void* parameters) { return sought_in(parameters).has_axis ? 1 : 0; }

bool gives_quantiles(const block_shapes& of) {
  const quantiles_sought& sought = sought_in(of.parameters);
  if (!detail::are_lines(of, num_made(of.parameters))) return false;
  return !sought.has_axis || of.outputs.front().back() == static_cast<index_t>(sought.q.size());
}

template <class T>
struct quantiles {
  static constexpr const char* label = "quantile";
  using result = quantile_t<T>;
  using runner = line_runner<T, result>;

  static void run(const block_call& call) {
    const quantiles_sought& sought = sought_in(call.parameters);
    std::vector<std::size_t> ascending(sought.q.size());
    std::iota(ascending.begin(), ascending.end(), std::size_t{0});
    std::stable_sort(ascending.begin(), ascending.end(),
                     [&](std::size_t a, std::size_t b) { return sought.q[a] < sought.q[b]; });
    const std::size_t num_loops = call.outputs[0].extents.size() - num_made(call.parameters);
    const index_t size = detail::line_length(call.inputs[0].extents, num_loops);
    runner(call, num_loops).for_each([&](T* line, result* found) {
      find_quantiles(line, found, size, sought, ascending);
    });
  }
  static std::size_t workspace(const block_shapes& of) {
    return runner::workspace(of, detail::axes_before_lines(of, num_made(of.parameters)));
  }
};

kernel_parameters restore_quantiles(std::string_view identity) {
  detail::byte_reader bytes(identity);
  quantiles_sought sought;
  const auto method = bytes.take<std::uint8_t>();
  sought.has_axis = bytes.take<bool>();
  sought.is_median = bytes.take<bool>();
  sought.skips_nan = bytes.take<bool>();
  const auto count = bytes.take<std::uint64_t>();
  const auto last = static_cast<std::uint8_t>(quantile_method::normal_unbiased);
  if (method > last || count > identity.size()) {
    throw value_error("quantile: found parameters that are not those of quantiles");
  }
  sought.method = static_cast<quantile_method>(method);
  for (std::uint64_t i = 0; i < count; ++i) sought.q.push_back(bytes.take<double>());
  bytes.require_end();
  return line::quantile_parameters(sought);
}

constexpr detail::line_rules gives{&gives_quantiles, &restore_quantiles};

template <class T>
struct modes {
  static constexpr const char* label = "mode";
  using result = T;
  using runner = line_runner<T, T>;

  static void run(const block_call& call) {
    const std::size_t num_loops = call.outputs[0].extents.size();
    const index_t size = detail::line_length(call.inputs[0].extents, num_loops);
    runner(call, num_loops).for_each([&](T* line, T* found) { *found = mode_of(line, size); });
  }
  static std::size_t workspace(const block_shapes& of) {
    return runner::workspace(of, detail::axes_before_lines(of, 0));
  }

 private:
  static T mode_of(T* line, index_t size) {
    using value = detail::compared_t<T>;
    T* const last = detail::move_nan_behind(line, line + size);
    if (last == line) return size == 0 ? T{} : *line;
    std::sort(line, last, [](T a, T b) { return static_cast<value>(a) < static_cast<value>(b); });
    const T* best = line;
    index_t most = 0;
    for (const T* run = line; run != last;) {
      const T* const end = std::find_if(run, static_cast<const T*>(last), [&](T x) {
        return static_cast<value>(x) != static_cast<value>(*run);
      });
      if (end - run > most) {
        most = end - run;
        best = run;
      }
      run = end;
    }
    return *best;
  }
};

bool gives_one(const block_shapes& of) { return detail::are_lines(of, 0); }

constexpr detail::line_rules gives_elements{&gives_one, &detail::no_parameters};

const bool are_known = (detail::know_line_kernels<quantiles, gives>(),
                        detail::know_line_kernels<modes, gives_elements>(), true);

}  // namespace

const block_kernel& line::quantile(dtype type) {
  static_cast<void>(are_known);
  return detail::line_kernel<quantiles, gives>(type);
}

const block_kernel& line::mode(dtype type) {
  return detail::line_kernel<modes, gives_elements>(type);
}

kernel_parameters line::quantile_parameters(const quantiles_sought& sought) {
  if (!sought.has_axis && sought.q.size() != 1) {
    throw value_error("quantile: found several numbers sought of a line that gives one");
  }
  std::string identity = detail::bytes_of(static_cast<std::uint8_t>(sought.method)) +
                         detail::bytes_of(sought.has_axis) + detail::bytes_of(sought.is_median) +
                         detail::bytes_of(sought.skips_nan) +
                         detail::bytes_of(static_cast<std::uint64_t>(sought.q.size()));
  for (const double q : sought.q) {
    if (!(0 <= q && q <= 1)) {
      throw value_error(
          fmt::format("quantile: {} is sought, and quantiles are numbers from 0 to 1, percentiles "
                      "from 0 to 100",
                      q));
    }
    identity += detail::bytes_of(q);
  }
  return {sought, std::move(identity)};
}

}  // namespace tessera
