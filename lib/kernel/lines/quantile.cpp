// SPDX-License-Identifier: Apache-2.0
/// \file
/// Quantiles and modes of lines.
///
/// Idea: a quantile needs the elements at one or two ranks, so that the line is selected
/// (`select_key`), not sorted. Ranks are sought in ascending order. Each selection leaves smaller
/// elements in front of its rank, and the next one has only the rest to go through. For many
/// ranks sorting is cheaper.
/// A mode is the longest run of the sorted line, the smallest value of equally long ones.
///
/// NaN are moved behind the line first. Source: the nine methods of Hyndman and Fan, "Sample
/// quantiles in statistical packages", The American Statistician 50 (1996), as `numpy.quantile`.
#include "tessera/core/error.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/line_kernel.hpp"

#include "kernel/lines/key_sort.hpp"
#include "kernel/lines/line_kernels.hpp"
#include "kernel/lines/line_runner.hpp"
#include "kernel/lines/ordering.hpp"
#include "kernel/lines/quantile_ranks.hpp"
#include "kernel/lines/rank_query.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

namespace tessera {

line::quantile_query detail::take_quantile_query(byte_reader& bytes) {
  line::quantile_query query;
  const auto method = bytes.take<std::uint8_t>();
  query.has_axis = bytes.take<bool>();
  query.is_median = bytes.take<bool>();
  query.skips_nan = bytes.take<bool>();
  const auto count = bytes.take<std::uint64_t>();
  const auto last = static_cast<std::uint8_t>(quantile_method::normal_unbiased);
  if (method > last || (!query.has_axis && count != 1)) {
    throw value_error("quantile: found parameters that are not those of quantiles");
  }
  query.method = static_cast<quantile_method>(method);
  for (std::uint64_t i = 0; i < count; ++i) query.q.push_back(bytes.take<double>());
  return query;
}

namespace {

using detail::interpolated;
using detail::line_runner;
using detail::rank_in_line;
using detail::rank_of;
using line::quantile_query;

/// The type of the quantiles of elements of type `T`.
template <class T>
using quantile_t = floating_t<T>;

/// Moves keys of a line to their ranks, in ascending order of ranks, by repeated selection.
template <class Key>
class selector {
 public:
  selector(Key* first, Key* last, bool is_sorted)
      : rest_(is_sorted ? last : first), first_(first), last_(last) {}

  Key operator[](index_t rank) {
    Key* const key = first_ + rank;
    if (key >= rest_) {
      detail::select_key(rest_, key, last_);
      rest_ = key + 1;
    }
    return *key;
  }

 private:
  /// From here on, keys are in no order.
  Key* rest_;
  Key* first_;
  Key* last_;
};

/// More ranks than this are found faster in a sorted line.
constexpr std::size_t most_selected = 16;

template <class T>
void find_quantiles(T* line, quantile_t<T>* quantile_values, index_t size,
                    const quantile_query& query, const std::vector<std::size_t>& ascending) {
  using result = quantile_t<T>;
  T* const last = detail::move_nan_behind(line, line + size);
  const auto count = static_cast<index_t>(last - line);
  if (count == 0 || (count < size && !query.skips_nan)) {
    std::fill_n(quantile_values, query.q.size(), std::numeric_limits<result>::quiet_NaN());
    return;
  }
  const bool is_sorted = query.q.size() > most_selected;
  auto* const keys = detail::replace_by_keys(line, last, detail::flipped_keys<T>(false));
  if (is_sorted) detail::sort_keys(keys, keys + count);
  selector sorted(keys, keys + count, is_sorted);
  const auto element = [&sorted](index_t rank) {
    return static_cast<double>(
        static_cast<detail::compared_t<T>>(detail::element_of<T>(sorted[rank])));
  };
  for (const std::size_t i : ascending) {
    const rank_in_line rank = rank_of(query, i, count);
    const double below = element(rank.index);
    const double above = rank.fraction == 0 ? below : element(rank.index + 1);
    quantile_values[i] = static_cast<result>(interpolated(query, below, above, rank.fraction));
  }
}

const quantile_query& quantile_query_in(const void* parameters) {
  return *static_cast<const quantile_query*>(parameters);
}

std::size_t num_quantile_axes(const void* parameters) {
  return quantile_query_in(parameters).has_axis ? 1 : 0;
}

bool gives_quantiles(const block_shapes& of) {
  const quantile_query& query = quantile_query_in(of.parameters);
  if (!detail::are_lines(of, num_quantile_axes(of.parameters))) return false;
  return !query.has_axis || of.outputs.front().back() == static_cast<index_t>(query.q.size());
}

template <class T>
struct quantiles {
  static constexpr const char* label = "quantile";
  using result = quantile_t<T>;
  using runner = line_runner<T, result>;

  static void run(const block_call& call) {
    const quantile_query& query = quantile_query_in(call.parameters);
    std::vector<std::size_t> ascending(query.q.size());
    std::iota(ascending.begin(), ascending.end(), std::size_t{0});
    std::stable_sort(ascending.begin(), ascending.end(),
                     [&](std::size_t a, std::size_t b) { return query.q[a] < query.q[b]; });
    const std::size_t num_loops =
        call.outputs[0].extents.size() - num_quantile_axes(call.parameters);
    const index_t size = detail::line_length(call.inputs[0].extents, num_loops);
    runner(call, num_loops).for_each([&](T* line, result* quantile_values) {
      find_quantiles(line, quantile_values, size, query, ascending);
    });
  }
  static std::size_t workspace(const block_shapes& of) {
    return runner::workspace(of, detail::axes_before_lines(of, num_quantile_axes(of.parameters)));
  }
};

kernel_parameters restore_quantiles(std::string_view identity) {
  detail::byte_reader bytes(identity);
  const quantile_query query = detail::take_quantile_query(bytes);
  bytes.require_end();
  return line::quantile_parameters(query);
}

/// A selection reads each element two or three times, whatever the ranks.
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
    runner(call, num_loops).for_each([&](T* line, T* quantile_values) {
      *quantile_values = mode_of(line, size);
    });
  }
  static std::size_t workspace(const block_shapes& of) {
    return runner::workspace(of, detail::axes_before_lines(of, 0));
  }

 private:
  static T mode_of(T* line, index_t size) {
    using value = detail::compared_t<T>;
    T* const last = detail::move_nan_behind(line, line + size);
    if (last == line) return size == 0 ? T{} : *line;
    detail::sort_elements(line, last, false);
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

const bool quantiles_are_registered =
    (detail::register_line_kernels<quantiles, gives>(),
     detail::register_line_kernels<modes, gives_elements>(), true);

}  // namespace

const block_kernel& line::quantile(dtype type) {
  static_cast<void>(quantiles_are_registered);
  return detail::line_kernel<quantiles, gives>(type);
}

const block_kernel& line::mode(dtype type) {
  return detail::line_kernel<modes, gives_elements>(type);
}

kernel_parameters line::quantile_parameters(const quantile_query& query) {
  if (!query.has_axis && query.q.size() != 1) {
    throw value_error("quantile: found several numbers sought of a line that gives one");
  }
  std::string identity = detail::bytes_of(static_cast<std::uint8_t>(query.method)) +
                         detail::bytes_of(query.has_axis) + detail::bytes_of(query.is_median) +
                         detail::bytes_of(query.skips_nan) +
                         detail::bytes_of(static_cast<std::uint64_t>(query.q.size()));
  for (const double q : query.q) {
    if (!(0 <= q && q <= 1)) {
      throw value_error(
          fmt::format("quantile: {} is sought, and quantiles are numbers from 0 to 1, percentiles "
                      "from 0 to 100",
                      q));
    }
    identity += detail::bytes_of(q);
  }
  return {query, std::move(identity)};
}

}  // namespace tessera
