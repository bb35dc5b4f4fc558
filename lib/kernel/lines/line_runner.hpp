// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Loops over the lines of a block and gives each to a kernel as dense elements.
///
/// Lines with a stride are gathered into a panel, as many lines as elements share a cache line, so
/// that each cache line is read once. Strided output lines go through a panel in the same way:
///     block (strided) --strided_gather--> panel --kernel--> panel --strided_copy--> output

#include "tessera/core/strided_copy.hpp"
#include "tessera/kernel/block_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <type_traits>
#include <utility>

namespace tessera::detail {

/// The last axes of a block, from `first` on, are lines.
inline index_t line_length(const index_vector& extents, std::size_t first) {
  index_t length = 1;
  for (std::size_t axis = first; axis < extents.size(); ++axis) length *= extents[axis];
  return length;
}

/// Returns the number of axes before the axes of lines, if a line's result has `num_result_axes`
/// axes.
inline std::size_t axes_before_lines(const block_shapes& of, std::size_t num_result_axes) {
  return of.outputs.front().size() - num_result_axes;
}

/// Returns the work of a kernel that takes n log n on lines of `length`: sorts and transforms take
/// about eight additions for each element of each of the log n passes.
inline double work_of_lines(const index_vector& extents, index_t length) {
  const double times = std::log2(static_cast<double>(std::max<index_t>(2, length)));
  return 8 * static_cast<double>(num_elements(extents)) * times;
}

/// Tells whether blocks fit a kernel of lines whose results have `num_result_axes` axes.
inline bool are_lines(const block_shapes& of, std::size_t num_result_axes) {
  if (of.inputs.size() != 1 || of.outputs.size() != 1) return false;
  const index_vector& in = of.inputs.front();
  const index_vector& out = of.outputs.front();
  if (out.size() < num_result_axes) return false;
  const std::size_t num_loops = out.size() - num_result_axes;
  return in.size() > num_loops && std::equal(out.begin(), out.begin() + num_loops, in.begin());
}

/// Returns `size` rounded up, so that the buffer behind it is aligned.
inline std::size_t padded(std::size_t size) { return (size + 63) / 64 * 64; }

/// Runs a kernel from lines of type `T` to lines of type `R`.
template <class T, class R>
class line_runner {
 public:
  /// Returns the bytes of the workspace that `for_each` needs.
  static std::size_t workspace(const block_shapes& of, std::size_t num_loops) {
    const index_vector& in = of.inputs.front();
    index_t longest = 1;
    for (std::size_t axis = 0; axis < num_loops; ++axis) longest = std::max(longest, in[axis]);
    const index_t width = std::min(most_in_panel, longest);
    return bytes_of(width * line_length(in, num_loops), sizeof(T)) +
           bytes_of(width * line_length(of.outputs.front(), num_loops), sizeof(R));
  }

  line_runner(const block_call& call, std::size_t num_loops)
      : in_(call.inputs.front()),
        out_(call.outputs.front()),
        num_loops_(num_loops),
        in_length_(line_length(in_.extents, num_loops)),
        out_length_(line_length(out_.extents, num_loops)),
        in_panel_(call.workspace.data()) {
    choose_axis();
    lay_out_panel();
    out_panel_ = in_panel_ + bytes_of(width_ * in_length_, sizeof(T));
  }

  /// Calls `f(line, out_line)` with each line and its output; `f` may change the line's elements.
  /// If `f` takes a third argument, it is the line's index along the last axis before lines.
  template <class F>
  void for_each(F f) {
    index_vector counts(in_.extents.begin(), in_.extents.begin() + to_difference(num_loops_));
    if (std::find(counts.begin(), counts.end(), 0) != counts.end()) return;
    if (across_ < num_loops_) counts[across_] = ceil_divide(counts[across_], width_);
    index_vector position(num_loops_);
    do {
      run_panel(position, f);
    } while (num_loops_ > 0 && next_position(position, counts));
  }

 private:
  static std::ptrdiff_t to_difference(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }
  /// So many lines share each cache line.
  static constexpr index_t most_in_panel = std::max<index_t>(1, 64 / index_t{sizeof(T)});

  static std::size_t bytes_of(index_t count, std::size_t itemsize) {
    return padded(static_cast<std::size_t>(count) * itemsize);
  }

  /// Panels go along the axis of the least stride. Dense lines need no panel, unless their output
  /// is strided.
  void choose_axis() {
    across_ = num_loops_;
    for (std::size_t axis = 0; axis < num_loops_; ++axis) {
      const auto distance = [&](std::size_t k) { return std::abs(in_.strides[k]); };
      if (in_.extents[axis] > 1 && (across_ == num_loops_ || distance(axis) <= distance(across_))) {
        across_ = axis;
      }
    }
    const bool is_dense = in_.extents.size() == num_loops_ + 1 && in_.strides.back() == sizeof(T);
    is_made_in_place_ = out_length_ == 1 || (out_.extents.size() == num_loops_ + 1 &&
                                             out_.strides.back() == index_t{sizeof(R)});
    if (across_ < num_loops_ && !(is_dense && is_made_in_place_)) {
      width_ = std::min(most_in_panel, in_.extents[across_]);
    }
  }

  void lay_out_panel() {
    panel_extents_ = {1};
    panel_from_ = {across_ < num_loops_ ? in_.strides[across_] : 0};
    for (std::size_t axis = num_loops_; axis < in_.extents.size(); ++axis) {
      panel_extents_.push_back(in_.extents[axis]);
      panel_from_.push_back(in_.strides[axis]);
    }
    panel_to_ = row_major_strides(panel_extents_);
    made_extents_ = {1};
    made_to_ = {across_ < num_loops_ ? out_.strides[across_] / index_t{sizeof(R)} : 0};
    for (std::size_t axis = num_loops_; axis < out_.extents.size(); ++axis) {
      made_extents_.push_back(out_.extents[axis]);
      made_to_.push_back(out_.strides[axis] / index_t{sizeof(R)});
    }
    made_from_ = row_major_strides(made_extents_);
  }

  /// Returns the index of line `i` of a panel along the last axis before lines.
  [[nodiscard]] index_t position_along_last(const index_vector& position, index_t i) const {
    if (num_loops_ == 0) return 0;
    const std::size_t last = num_loops_ - 1;
    return across_ == last ? position[last] * width_ + i : position[last];
  }

  template <class F>
  void run_panel(const index_vector& position, F& f) {
    const std::byte* from = in_.data;
    std::byte* to = out_.data;
    index_t count = 1;
    for (std::size_t axis = 0; axis < num_loops_; ++axis) {
      const index_t at = position[axis] * (axis == across_ ? width_ : 1);
      from += at * in_.strides[axis];
      to += at * out_.strides[axis];
      if (axis == across_) count = std::min(width_, in_.extents[axis] - at);
    }
    panel_extents_[0] = made_extents_[0] = count;
    strided_gather(in_panel_, panel_to_, from, panel_from_, panel_extents_, sizeof(T));
    auto* const lines = static_cast<T*>(static_cast<void*>(in_panel_));
    auto* const out_lines =
        static_cast<R*>(static_cast<void*>(is_made_in_place_ ? to : out_panel_));
    const index_t distance = is_made_in_place_ ? made_to_[0] : out_length_;
    for (index_t i = 0; i < count; ++i) {
      if constexpr (std::is_invocable_v<F&, T*, R*, index_t>) {
        f(lines + i * in_length_, out_lines + i * distance, position_along_last(position, i));
      } else {
        f(lines + i * in_length_, out_lines + i * distance);
      }
    }
    if (!is_made_in_place_) {
      strided_copy(to, made_to_, out_panel_, made_from_, made_extents_, sizeof(R));
    }
  }

  const block_input& in_;
  const block_output& out_;
  std::size_t num_loops_;
  index_t in_length_;
  index_t out_length_;
  std::byte* in_panel_;
  std::byte* out_panel_ = nullptr;
  /// The number of lines of a panel.
  index_t width_ = 1;
  /// Whether output lines are dense in the output block.
  bool is_made_in_place_ = false;
  /// The loop axis along which a panel lies, or `num_loops_` if a panel is one line.
  std::size_t across_ = 0;
  index_vector panel_extents_;
  index_vector panel_from_;
  index_vector panel_to_;
  index_vector made_extents_;
  index_vector made_from_;
  index_vector made_to_;
};

}  // namespace tessera::detail
