// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/lines.hpp"

#include "kernel/lines/line_kernels.hpp"
#include "kernel/lines/line_runner.hpp"
#include "kernel/lines/ordering.hpp"
#include "kernel/lines/places_sought.hpp"
#include "kernel/lines/quantile_places.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

namespace tessera {

line::quantiles_sought detail::take_quantiles(byte_reader& bytes) {
  line::quantiles_sought sought;
  const auto method = bytes.take<std::uint8_t>();
  sought.has_axis = bytes.take<bool>();
  sought.is_median = bytes.take<bool>();
  sought.skips_nan = bytes.take<bool>();
  const auto count = bytes.take<std::uint64_t>();
  const auto last = static_cast<std::uint8_t>(quantile_method::normal_unbiased);
  if (method > last || (!sought.has_axis && count != 1)) {
    throw value_error("quantile: found parameters that are not those of quantiles");
  }
  sought.method = static_cast<quantile_method>(method);
  for (std::uint64_t i = 0; i < count; ++i) sought.q.push_back(bytes.take<double>());
  return sought;
}

namespace {

using detail::interpolated;
using detail::line_runner;
using detail::place_in_order;
using detail::place_of;
using line::quantiles_sought;

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
        std::iter_swap(wanted, std::min_element(rest_, last_, detail::is_less<T>));
      } else {
        std::nth_element(rest_, wanted, last_, detail::is_less<T>);
      }
      rest_ = wanted + 1;
    }
    return static_cast<double>(static_cast<detail::compared_t<T>>(*wanted));
  }

 private:
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
  T* const last = detail::move_nan_behind(line, line + size);
  const auto count = static_cast<index_t>(last - line);
  if (count == 0 || (count < size && !sought.skips_nan)) {
    std::fill_n(found, sought.q.size(), std::numeric_limits<result>::quiet_NaN());
    return;
  }
  const bool is_sorted = sought.q.size() > most_selected;
  if (is_sorted) {
    std::sort(line, last, detail::is_less<T>);
  }
  selector<T> sorted(line, last, is_sorted);
  for (const std::size_t i : ascending) {
    const place_in_order place = place_of(sought, i, count);
    const double below = sorted[place.index];
    const double above = place.fraction == 0 ? below : sorted[place.index + 1];
    found[i] = static_cast<result>(interpolated(sought, below, above, place.fraction));
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
  const quantiles_sought sought = detail::take_quantiles(bytes);
  bytes.require_end();
  return line::quantile_parameters(sought);
}

/// Elements are looked at two or three times, wherever those lie that are sought.
double work_of_selection(const block_shapes& of) {
  return 30 * static_cast<double>(num_elements(of.inputs[0]));
}

constexpr detail::line_rules gives{&gives_quantiles, &restore_quantiles, &work_of_selection};

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
    std::sort(line, last, detail::is_less<T>);
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

double work_of_mode(const block_shapes& of) {
  return detail::work_of_lines(of.inputs[0],
                               detail::line_length(of.inputs[0], detail::axes_before_lines(of, 0)));
}

constexpr detail::line_rules gives_elements{&gives_one, &detail::no_parameters, &work_of_mode};

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
