// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sorted lines, and the indices that sort them.
///
/// Elements are sorted by their keys, NaN behind. Equal elements stay in their order: `argsort`
/// compares indices of equal keys. Equal elements of `sort` differ only as zeros of different
/// signs, which are copied in their order from the line.
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/line_kernel.hpp"

#include "kernel/lines/key_sort.hpp"
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

template <class T>
void sort_line(const T* line, T* sorted, index_t size, bool descending) {
  using value = detail::compared_t<T>;
  std::copy_n(line, size, sorted);
  T* const end = detail::move_nan_behind(sorted, sorted + size);
  detail::sort_elements(sorted, end, descending);
  if constexpr (detail::may_be_nan<T>) {
    const auto zeros = descending ? std::equal_range(sorted, end, T{}, detail::is_behind<T>)
                                  : std::equal_range(sorted, end, T{}, detail::is_before<T>);
    if (zeros.second - zeros.first < 2) return;
    std::copy_if(line, line + size, zeros.first,
                 [](T x) { return static_cast<value>(x) == value{}; });
  }
}

template <class T, class Index>
using entry_of = detail::indexed_key<detail::key_t<T>, Index>;

template <class T, class Index>
void argsort_line(const T* line, std::int64_t* positions, index_t size, bool descending,
                  std::byte* memory) {
  using entry = entry_of<T, Index>;
  auto* const entries = static_cast<entry*>(static_cast<void*>(memory));
  entry* end = entries;
  std::int64_t* nan = positions + size;
  for (index_t i = size; i-- > 0;) {
    if (detail::is_nan<detail::compared_t<T>>(line[i])) *--nan = i;
  }
  const auto flipped = detail::flipped_keys<T>(descending);
  for (index_t i = 0; i < size; ++i) {
    if (detail::is_nan<detail::compared_t<T>>(line[i])) continue;
    *end++ = {detail::key_of(line[i], flipped), static_cast<Index>(i)};
  }
  detail::sort_indexed_keys(entries, end);
  for (const entry* sorted = entries; sorted != end; ++sorted) {
    *positions++ = static_cast<std::int64_t>(sorted->index);
  }
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
            argsort_line<T, index_t>(line, positions, size, descending, memory);
          }
        });
  }
  static std::size_t workspace(const block_shapes& of) {
    const index_t size = of.inputs[0].back();
    const std::size_t entry =
        size <= most_in_short ? sizeof(entry_of<T, std::uint32_t>) : sizeof(entry_of<T, index_t>);
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
