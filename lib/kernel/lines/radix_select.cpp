// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counts of the digits of keys: the first half of a radix selection.
///
/// A selection finds the elements of given ranks of a line that does not fit in memory. It goes
/// from the highest digit of the keys to the lowest. Each pass counts the elements by their next
/// digit, for each known prefix of a sought key; the counts narrow each prefix by one digit:
///     prefix of rank 7:  0x3f..  -> counts of 0x3f00 to 0x3fff -> prefix 0x3f2a, rank 1 within it
/// Counts of blocks add up, so that blocks are counted in any order.

#include "kernel/api/radix_select.hpp"

#include "tessera/core/error.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/detail/monoid_sums.hpp"
#include "tessera/kernel/registry.hpp"

#include "kernel/lines/keys.hpp"
#include "kernel/lines/line_kernels.hpp"
#include "kernel/lines/line_runner.hpp"
#include "kernel/lines/rank_query.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <span>
#include <utility>

namespace tessera {
namespace {

using detail::num_ranks;
using radix_select::digit;

struct counting {
  digit by;
  bool is_descending = false;
};

/// The sum of counts.
struct count_rule {
  static constexpr std::string_view name = "sum of counts";
  static constexpr bool needs_count = false;
  template <class T>
  using result = T;
  static std::int64_t finish(std::int64_t sum, double /*count*/) { return sum; }
};
struct sum_of_counts : detail::sum_fold<count_rule, std::int64_t, detail::plain_sum<std::int64_t>> {
  static std::string name() { return "sum of counts"; }
};

bool are_counts(const block_shapes& of) {
  if (!detail::are_of_same_lines(of, 2)) return false;
  const index_vector& search_state = of.inputs[1];
  const index_vector& counts_extents = of.outputs[0];
  const digit by = static_cast<const counting*>(of.parameters)->by;
  return counts_extents.size() == search_state.size() &&
         std::equal(counts_extents.begin(), counts_extents.end() - 1, search_state.begin()) &&
         counts_extents.back() ==
             radix_select::length_of_counts(num_ranks(search_state.back()), by);
}

/// For each line the distinct prefixes of keys that are counted, as a row of int64.
///
/// A row is: the number of prefixes, the prefixes in ascending order, and for each the rank that
/// owns its counts. Ranks with equal prefixes share the counts of the first.
class digits_by_line {
 public:
  static std::size_t bytes(index_t num_lines, index_t num_ranks) {
    return static_cast<std::size_t>(num_lines * radix_select::length_of_state(num_ranks)) *
           sizeof(std::int64_t);
  }

  digits_by_line(const block_input& search_state, std::span<std::byte> memory)
      : rows_(static_cast<std::int64_t*>(static_cast<void*>(memory.data()))),
        length_(search_state.extents.back()) {
    const index_vector lines(search_state.extents.begin(), search_state.extents.end() - 1);
    const index_t stride = search_state.strides.back();
    index_vector position(lines.size());
    std::int64_t* row = rows_;
    do {
      const std::byte* from = search_state.data;
      for (std::size_t k = 0; k < lines.size(); ++k) from += position[k] * search_state.strides[k];
      fill(row, from, stride);
      row += length_;
    } while (!lines.empty() && next_position(position, lines));
  }

  [[nodiscard]] const std::int64_t* row(index_t line) const { return rows_ + line * length_; }
  [[nodiscard]] index_t length() const { return length_; }

 private:
  void fill(std::int64_t* row, const std::byte* from, index_t stride) const {
    const index_t count = num_ranks(length_);
    std::int64_t* const digits = row + 1;
    std::int64_t* const owners = digits + count;
    row[0] = 0;
    for (index_t s = 0; s < count; ++s) {
      const auto so_far = *detail::typed<std::int64_t>(from + (1 + 2 * s) * stride);
      if (row[0] > 0 && digits[row[0] - 1] == so_far) continue;
      digits[row[0]] = so_far;
      owners[row[0]++] = s;
    }
  }

  std::int64_t* rows_;
  index_t length_;
};

/// Elements along one axis, with the prefixes and counts of their lines.
template <class T>
struct counted_run {
  const std::byte* x;
  index_t stride;
  index_t size;
  /// Of the first element; the next element's row is `row_step`, its counts `counts_step` farther.
  const std::int64_t* row;
  index_t row_step;
  std::byte* counts;
  index_t counts_step;
};

template <class T>
class digit_counter {
 public:
  using key = detail::key_t<T>;

  digit_counter(const counting& spec, index_t num_ranks, index_t count_stride)
      : by_(spec.by),
        flipped_(detail::flipped_keys<T>(spec.is_descending)),
        count_(num_ranks),
        stride_(count_stride),
        mask_(static_cast<std::uint64_t>(spec.by.values() - 1)) {}

  void take(const counted_run<T>& run) const {
    if (by_.is_first) {
      take_first(run);
    } else if (run.row_step != 0 || run.counts_step != 0) {
      for (index_t i = 0; i < run.size; ++i) {
        take_one(*element(run, i), run.row + i * run.row_step, run.counts + i * run.counts_step);
      }
    } else if (run.row[0] == 1) {
      take_where(run, static_cast<std::uint64_t>(run.row[1]), run.row[1 + count_]);
    } else {
      for (index_t i = 0; i < run.size; ++i) take_one(*element(run, i), run.row, run.counts);
    }
  }

 private:
  static const T* element(const counted_run<T>& run, index_t i) {
    return detail::typed<T>(run.x + i * run.stride);
  }

  void count(std::byte* counts, index_t digit) const {
    ++*detail::typed<std::int64_t>(counts + digit * stride_);
  }

  void take_first(const counted_run<T>& run) const {
    std::byte* counts = run.counts;
    for (index_t i = 0; i < run.size; ++i, counts += run.counts_step) {
      const key k = detail::key_of(*element(run, i), flipped_);
      count(counts, static_cast<index_t>(std::uint64_t{k} >> by_.shift & mask_));
      if constexpr (detail::may_be_nan<T>) {
        if (k == detail::nan_key<T>) count(counts, by_.values());
      }
    }
  }

  void take_where(const counted_run<T>& run, std::uint64_t wanted, index_t owner) const {
    const int up = by_.shift + by_.bits;
    std::byte* const counts = run.counts + owner * by_.values() * stride_;
    for (index_t i = 0; i < run.size; ++i) {
      const std::uint64_t k = detail::key_of(*element(run, i), flipped_);
      if (k >> up == wanted) count(counts, static_cast<index_t>(k >> by_.shift & mask_));
    }
  }

  void take_one(T x, const std::int64_t* row, std::byte* counts) const {
    const std::uint64_t k = detail::key_of(x, flipped_);
    const auto so_far = static_cast<std::int64_t>(k >> (by_.shift + by_.bits));
    const std::int64_t* const first = row + 1;
    const std::int64_t* const last = first + row[0];
    const std::int64_t* const counted = std::lower_bound(first, last, so_far);
    if (counted == last || *counted != so_far) return;
    const index_t owner = row[1 + count_ + (counted - first)];
    count(counts, owner * by_.values() + static_cast<index_t>(k >> by_.shift & mask_));
  }

  digit by_;
  key flipped_;
  index_t count_;
  index_t stride_;
  std::uint64_t mask_;
};

template <class T>
struct counts {
  static constexpr const char* label = "count by digit";
  using result = std::int64_t;

  static void start(const block_call& call) {
    const block_output& out = call.outputs[0];
    index_vector position(out.extents.size());
    do {
      std::byte* to = out.data;
      for (std::size_t k = 0; k < position.size(); ++k) to += position[k] * out.strides[k];
      *detail::typed<std::int64_t>(to) = 0;
    } while (next_position(position, out.extents));
  }

  static void run(const block_call& call) {
    const block_input& x = call.inputs[0];
    const block_output& out = call.outputs[0];
    const digits_by_line digits(call.inputs[1], call.workspace);
    const std::size_t num_loops = out.extents.size() - 1;
    const digit_counter<T> counter(*static_cast<const counting*>(call.parameters),
                                   num_ranks(digits.length()), out.strides.back());
    index_vector rows(x.extents.size());
    index_vector counts_at(x.extents.size());
    index_t step = digits.length();
    for (std::size_t k = num_loops; k-- > 0;) {
      rows[k] = step;
      step *= x.extents[k];
      counts_at[k] = out.strides[k];
    }
    const std::size_t inner = closest_axis(x);
    index_vector outer = x.extents;
    outer[inner] = 1;
    index_vector position(outer.size());
    do {
      counted_run<T> run{x.data,      x.strides[inner], x.extents[inner], digits.row(0),
                         rows[inner], out.data,         counts_at[inner]};
      for (std::size_t k = 0; k < position.size(); ++k) {
        run.x += position[k] * x.strides[k];
        run.row += position[k] * rows[k];
        run.counts += position[k] * counts_at[k];
      }
      counter.take(run);
    } while (next_position(position, outer));
  }

  static std::size_t workspace(const block_shapes& of) {
    const index_vector& search_state = of.inputs[1];
    return digits_by_line::bytes(
        num_elements(search_state) / std::max<index_t>(1, search_state.back()),
        num_ranks(search_state.back()));
  }

 private:
  static std::size_t closest_axis(const block_input& x) {
    std::size_t closest = x.extents.size() - 1;
    for (std::size_t axis = 0; axis < x.extents.size(); ++axis) {
      if (x.extents[axis] <= 1) continue;
      if (x.extents[closest] <= 1 || std::abs(x.strides[axis]) < std::abs(x.strides[closest])) {
        closest = axis;
      }
    }
    return closest;
  }
};

kernel_parameters restore_counting(std::string_view identity) {
  detail::byte_reader bytes(identity);
  const digit by = detail::take_digit(bytes);
  const bool is_descending = bytes.take<bool>();
  bytes.require_end();
  return radix_select::count_parameters(by, is_descending);
}

template <class T>
const block_kernel& count_kernel() {
  static const std::string name =
      std::string(counts<T>::label) + "<" + std::string(name_of(dtype_of<T>)) + ">";
  static const block_kernel kernel{.name = name,
                                   .label = counts<T>::label,
                                   .inputs = {dtype_of<T>, dtype::int64},
                                   .outputs = {dtype::int64},
                                   .run = &counts<T>::run,
                                   .start = &counts<T>::start,
                                   .takes = &are_counts,
                                   .workspace = &counts<T>::workspace,
                                   .restore = &restore_counting,
                                   .is_separable = true,
                                   .adds_up = &detail::known_fold<sum_of_counts>()};
  static const block_kernel& registered = register_kernel(kernel);
  return registered;
}

const bool counts_are_registered = [] {
  for (const dtype type : detail::ordered_dtypes) {
    static_cast<void>(radix_select::count(type));
  }
  return true;
}();

}  // namespace

const block_kernel& radix_select::count(dtype type) {
  static_cast<void>(counts_are_registered);
  return detail::ordered_kernel(
      "count by digit", type,
      []<class T>(type_tag<T>) -> const block_kernel& { return count_kernel<T>(); });
}

kernel_parameters radix_select::count_parameters(const digit& by, bool is_descending) {
  return {counting{by, is_descending}, detail::identity_of(by) + detail::bytes_of(is_descending)};
}

}  // namespace tessera
