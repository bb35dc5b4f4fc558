// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/lines.hpp"

#include "kernel/lines/line_kernels.hpp"
#include "kernel/lines/line_runner.hpp"
#include "kernel/lines/ordering.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace tessera {
namespace {

using detail::line_runner;

/// A stable sort: equal elements can differ only as zeros of different signs.
template <class T>
void sort_line(const T* line, T* sorted, index_t size, bool descending) {
  using value = detail::compared_t<T>;
  std::copy_n(line, size, sorted);
  T* const end = detail::move_nan_behind(sorted, sorted + size);
  if (descending) {
    std::sort(sorted, end, detail::is_behind<T>);
  } else {
    std::sort(sorted, end, detail::is_before<T>);
  }
  if constexpr (detail::may_be_nan<T>) {
    const auto zeros = descending ? std::equal_range(sorted, end, T{}, detail::is_behind<T>)
                                  : std::equal_range(sorted, end, T{}, detail::is_before<T>);
    if (zeros.second - zeros.first < 2) return;
    std::copy_if(line, line + size, zeros.first,
                 [](T x) { return static_cast<value>(x) == value{}; });
  }
}

/// An element and its index in the line.
template <class T, class Index>
struct indexed_value {
  detail::compared_t<T> value;
  Index index;
};

template <class T, class Index>
void argsort_line(const T* line, std::int64_t* positions, index_t size, bool descending,
                  std::byte* memory) {
  using entry = indexed_value<T, Index>;
  auto* const entries = static_cast<entry*>(static_cast<void*>(memory));
  entry* end = entries;
  std::int64_t* nan = positions + size;
  for (index_t i = size; i-- > 0;) {
    if (detail::is_nan<detail::compared_t<T>>(line[i])) *--nan = i;
  }
  for (index_t i = 0; i < size; ++i) {
    const auto value = static_cast<detail::compared_t<T>>(line[i]);
    if (!detail::is_nan(value)) *end++ = {value, static_cast<Index>(i)};
  }
  const auto comes_before = [](const entry& a, const entry& b) {
    return a.value < b.value || (a.value == b.value && a.index < b.index);
  };
  const auto comes_before_descending = [](const entry& a, const entry& b) {
    return b.value < a.value || (a.value == b.value && a.index < b.index);
  };
  if (descending) {
    std::sort(entries, end, comes_before_descending);
  } else {
    std::sort(entries, end, comes_before);
  }
  for (const entry* at = entries; at != end; ++at)
    *positions++ = static_cast<std::int64_t>(at->index);
}

bool is_descending(const void* parameters) { return *static_cast<const bool*>(parameters); }

bool keeps_lines(const block_shapes& of) {
  return detail::are_lines(of, 1) && of.inputs == of.outputs;
}

template <class T>
struct sorting {
  static constexpr const char* label = "sort";
  using result = T;

  static void run(const block_call& call) {
    const index_t size = call.inputs[0].extents.back();
    line_runner<T, T> lines(call, call.inputs[0].extents.size() - 1);
    lines.for_each([&, descending = is_descending(call.parameters)](T* line, T* sorted) {
      sort_line(line, sorted, size, descending);
    });
  }
  static std::size_t workspace(const block_shapes& of) {
    return line_runner<T, T>::workspace(of, detail::axes_before_lines(of, 1));
  }
};

constexpr index_t most_in_short = std::numeric_limits<std::uint32_t>::max();

template <class T>
struct argsorting {
  static constexpr const char* label = "argsort";
  using result = std::int64_t;
  using runner = line_runner<T, std::int64_t>;

  static void run(const block_call& call) {
    const index_t size = call.inputs[0].extents.back();
    const std::size_t num_loops = call.inputs[0].extents.size() - 1;
    runner lines(call, num_loops);
    const block_shapes of{{call.inputs[0].extents}, {call.outputs[0].extents}};
    std::byte* const memory = call.workspace.data() + runner::workspace(of, num_loops);
    lines.for_each(
        [&, descending = is_descending(call.parameters)](T* line, std::int64_t* positions) {
          if (size <= most_in_short) {
            argsort_line<T, std::uint32_t>(line, positions, size, descending, memory);
          } else {
            argsort_line<T, std::int64_t>(line, positions, size, descending, memory);
          }
        });
  }
  static std::size_t workspace(const block_shapes& of) {
    const index_t size = of.inputs[0].back();
    const std::size_t entry = size <= most_in_short ? sizeof(indexed_value<T, std::uint32_t>)
                                                    : sizeof(indexed_value<T, std::int64_t>);
    return runner::workspace(of, detail::axes_before_lines(of, 1)) +
           static_cast<std::size_t>(size) * entry;
  }
};

kernel_parameters restore_sort(std::string_view identity) {
  detail::byte_reader bytes(identity);
  const bool descending = bytes.take<bool>();
  bytes.require_end();
  return line::sort_parameters(descending);
}

double work_of_sort(const block_shapes& of) {
  return detail::work_of_lines(of.inputs[0], of.inputs[0].back());
}

constexpr detail::line_rules sorts{&keeps_lines, &restore_sort, &work_of_sort};

const bool sorts_are_registered = (detail::register_line_kernels<sorting, sorts>(),
                                   detail::register_line_kernels<argsorting, sorts>(), true);

}  // namespace

const block_kernel& line::sort(dtype type) {
  static_cast<void>(sorts_are_registered);
  return detail::line_kernel<sorting, sorts>(type);
}

const block_kernel& line::argsort(dtype type) {
  return detail::line_kernel<argsorting, sorts>(type);
}

kernel_parameters line::sort_parameters(bool descending) {
  return {descending, detail::bytes_of(descending)};
}

}  // namespace tessera
