// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/block_form.hpp"

#include "tessera/core/error.hpp"

#include "expr/api/grown_chunks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace tessera {
namespace {

/// Returns the layout of the first `count` axes of `layout`.
array_layout leading_axes(const array_layout& layout, std::size_t count) {
  array_layout result{{}, {}, layout.spec, layout.is_automatic};
  std::vector<std::string> names;
  for (std::size_t axis = 0; axis < count; ++axis) {
    result.shape.push_back(layout.shape[axis]);
    result.chunks.push_back(layout.chunks[axis]);
    names.push_back(layout.names[axis]);
  }
  result.names = axis_names(std::move(names));
  return result;
}

/// Returns the maps from a domain to the first `count` axes of an operand of `shape`. They are
/// aligned with the last of the first `rank` axes of the domain, as NumPy broadcasts.
std::vector<axis_map> broadcast_axes(const index_vector& shape, std::size_t count,
                                     const index_vector& domain, std::size_t rank) {
  std::vector<axis_map> axes;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t axis = k + rank - count;
    axes.push_back(shape[k] == domain[axis] ? axis_map{axis, 0, 1} : axis_map{});
  }
  return axes;
}

void require_one_shape(std::string_view function, operand_layouts operands) {
  for (std::size_t i = 1; i < operands.size(); ++i) {
    if (operands[i]->shape == operands[0]->shape) continue;
    throw shape_error(fmt::format(
        "{}: arrays 0 and {} have shapes {} and {}; arrays whose blocks have a halo must have one "
        "shape: broadcast_to(x, shape) gives it",
        function, i, format_shape(operands[0]->shape), format_shape(operands[i]->shape)));
  }
}

/// Derives the schedule of a gufunc from its signature and the shapes of its operands.
///
/// The domain has the loop axes, broadcast, then an axis for each letter. An operand that has a
/// letter twice, "(n,n)", needs two axes of the domain for it:
///
///     "(m,n),(n,p)->(m,p)" of (5, 2, 3) and (3, 4):    domain (5 | m 2, n 3, p 4)
///
/// Letter axes are whole: the function sees all their elements.
/// Reference: NumPy's generalised ufuncs (NEP 20).
class gufunc_schedule {
 public:
  gufunc_schedule(std::string_view function, const gufunc_signature& signature,
                  operand_layouts operands, std::span<const named_extent> result_extents)
      : function_(function), signature_(signature), operands_(operands) {
    broadcast_loop_axes();
    extents_.resize(signature.num_letters);
    for (std::size_t i = 0; i < operands.size(); ++i) match_extents(i);
    for (const named_extent& named : result_extents) set_extent(named);
  }

  block_form run() && {
    const std::size_t num_loops = loops_.shape.size();
    form_.domain = loops_.shape;
    axes_.resize(signature_.num_letters);
    for (std::size_t letter = 0; letter < signature_.num_letters; ++letter) {
      for (std::size_t most = max_count_in_operand(letter); most > 0; --most) {
        axes_[letter].push_back(form_.domain.size());
        form_.whole |= axis_mask{1} << form_.domain.size();
        form_.domain.push_back(extents_[letter]);
      }
    }
    for (std::size_t i = 0; i < operands_.size(); ++i) add_operand(i, num_loops);
    for (std::size_t i = 0; i < signature_.num_results; ++i) add_result(i);
    return std::move(form_);
  }

 private:
  void broadcast_loop_axes() {
    std::vector<array_layout> loops;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      loops.push_back(leading_axes(*operands_[i], num_loops_of(i)));
    }
    std::vector<const array_layout*> layouts;
    for (const array_layout& loop : loops) layouts.push_back(&loop);
    loops_ = broadcast_layout(function_, layouts, no_limit_of_elements);
  }

  [[nodiscard]] std::size_t num_loops_of(std::size_t i) const {
    return operands_[i]->shape.size() - signature_.input(i).rank;
  }

  void match_extents(std::size_t i) {
    const gufunc_signature::group& group = signature_.input(i);
    for (std::size_t k = 0; k < group.rank; ++k) {
      const index_t extent = operands_[i]->shape[num_loops_of(i) + k];
      index_t& letter_extent = extents_[group.letters[k]];
      if (letter_extent == 0) letter_extent = extent;
      const std::string_view letter = signature_.letters[group.letters[k]];
      if (letter_extent != extent) {
        throw shape_error(
            fmt::format("{}: '{}' stands for {} elements and, in array {}, for {}; "
                        "it must be the same everywhere",
                        function_, letter, letter_extent, i, extent));
      }
      if (extent == 0) {
        throw shape_error(
            fmt::format("{}: '{}' stands for no elements, in array {}; a function of "
                        "whole axes needs at least one",
                        function_, letter, i));
      }
    }
  }

  /// Returns the number of axes with `letter` among the first `size` axes of `group`.
  static std::size_t count(const gufunc_signature::group& group, std::size_t letter,
                           std::size_t size) {
    return static_cast<std::size_t>(
        std::count(group.letters.begin(), group.letters.begin() + size, letter));
  }

  [[nodiscard]] std::size_t max_count_in_operand(std::size_t letter) const {
    std::size_t most = 0;
    for (std::size_t i = 0; i < signature_.num_inputs; ++i) {
      most = std::max(most, count(signature_.input(i), letter, signature_.input(i).rank));
    }
    return most;
  }

  void set_extent(const named_extent& named) {
    if (named.extent < 1) {
      throw shape_error(fmt::format("{}: '{}' stands for {} elements; it must be at least one",
                                    function_, named.letter, named.extent));
    }
    for (std::size_t letter = 0; letter < signature_.num_letters; ++letter) {
      if (signature_.letters[letter] == named.letter) extents_[letter] = named.extent;
    }
  }

  void add_operand(std::size_t i, std::size_t num_loops) {
    const index_vector& shape = operands_[i]->shape;
    std::vector<axis_map> map = broadcast_axes(shape, num_loops_of(i), loops_.shape, num_loops);
    block_form::operand operand;
    for (std::size_t axis = 0; axis < num_loops; ++axis) operand.axes.push_back({axis});
    const gufunc_signature::group& group = signature_.input(i);
    for (std::size_t k = 0; k < group.rank; ++k) {
      const std::size_t axis = axes_[group.letters[k]][count(group, group.letters[k], k)];
      map.emplace_back(axis, 0, 1);
      operand.axes.push_back({axis});
    }
    operand.map = {form_.domain.size(), std::move(map)};
    form_.operands.push_back(std::move(operand));
  }

  void add_result(std::size_t i) {
    block_form::result& result = form_.results.emplace_back();
    array_layout& layout = result.layout;
    layout = loops_;
    for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) result.axes.push_back({axis});
    std::vector<std::string> names = layout.names.list(layout.shape.size());
    const gufunc_signature::group& group = signature_.result(i);
    for (std::size_t k = 0; k < group.rank; ++k) {
      const index_t extent = extents_[group.letters[k]];
      result.axes.push_back({0, extent});
      layout.shape.push_back(extent);
      layout.chunks.push_back(std::max<index_t>(1, extent));
      names.emplace_back();
    }
    layout.names = axis_names(std::move(names));
    require_countable(function_, layout.shape);
  }

  std::string_view function_;
  const gufunc_signature& signature_;
  operand_layouts operands_;
  /// For each letter, its extent, and its axes of the domain.
  std::vector<index_t> extents_;
  std::vector<std::vector<std::size_t>> axes_;
  /// The layout of the loop axes, broadcast.
  array_layout loops_;
  block_form form_;
};

}  // namespace

block_form map_form(std::string_view function, operand_layouts operands,
                    std::span<const std::array<index_t, 2>> depth, std::size_t num_results) {
  if (!depth.empty()) require_one_shape(function, operands);
  block_form form;
  block_form::result result{{}, broadcast_layout(function, operands, no_limit_of_elements)};
  form.is_by_chunks = true;
  form.domain = result.layout.shape;
  const std::size_t rank = form.domain.size();
  std::vector<std::optional<std::size_t>> window_axes(rank);
  for (std::size_t axis = 0; axis < depth.size(); ++axis) {
    if (depth[axis][0] + depth[axis][1] == 0) continue;
    window_axes[axis] = form.domain.size();
    form.whole |= axis_mask{1} << form.domain.size();
    form.domain.push_back(depth[axis][0] + depth[axis][1] + 1);
  }
  if (form.domain.size() > max_rank) {
    throw shape_error(fmt::format(
        "{}: an array of rank {} with neighbours along {} axes; both together may be {}", function,
        rank, form.domain.size() - rank, max_rank));
  }
  for (const array_layout* operand : operands) {
    const index_vector& shape = operand->shape;
    std::vector<axis_map> map = broadcast_axes(shape, shape.size(), result.layout.shape, rank);
    block_form::operand block_operand;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      block_operand.axes.push_back({axis, window_axes[axis]});
      if (!window_axes[axis]) continue;
      map[axis] = {axis, 0, 1};
      map[axis].add({*window_axes[axis], 1});
    }
    block_operand.map = {form.domain.size(), std::move(map)};
    form.operands.push_back(std::move(block_operand));
  }
  for (std::size_t axis = 0; axis < rank; ++axis) result.axes.push_back({axis});
  form.results.assign(num_results, result);
  return form;
}

block_form gufunc_form(std::string_view function, const gufunc_signature& signature,
                       operand_layouts operands, std::span<const named_extent> result_extents) {
  return gufunc_schedule(function, signature, operands, result_extents).run();
}

}  // namespace tessera
