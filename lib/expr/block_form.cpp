// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/block_form.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace tessera {
namespace {

/// Returns the first `count` axes of `of`.
array_layout first_axes(const array_layout& of, std::size_t count) {
  array_layout first{{}, {}, of.spec, of.is_automatic};
  std::vector<std::string> names;
  for (std::size_t axis = 0; axis < count; ++axis) {
    first.shape.push_back(of.shape[axis]);
    first.chunks.push_back(of.chunks[axis]);
    names.push_back(of.names[axis]);
  }
  first.names = axis_names(std::move(names));
  return first;
}

/// Returns what axes of an operand of `shape`, the last ones of the first `rank` axes of a domain,
/// are found from: where it has one element and the domain more, it is broadcast.
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
        "{}: arrays 0 and {} have shapes {} and {}; arrays whose blocks are seen with what lies "
        "around them must have one shape: broadcast_to(x, shape) gives it",
        function, i, format_shape(operands[0]->shape), format_shape(operands[i]->shape)));
  }
}

/// Works out how a function of whole axes goes over its operands.
class gufunc_walk {
 public:
  gufunc_walk(std::string_view function, const gufunc_signature& signature,
              operand_layouts operands, std::span<const named_extent> own)
      : function_(function), signature_(signature), operands_(operands) {
    lay_out_loops();
    extents_.resize(signature.num_letters);
    for (std::size_t i = 0; i < operands.size(); ++i) find_extents(i);
    for (const named_extent& each : own) take_extent(each);
  }

  block_form run() && {
    const std::size_t num_loops = loops_.shape.size();
    made_.domain = loops_.shape;
    axes_.resize(signature_.num_letters);
    for (std::size_t letter = 0; letter < signature_.num_letters; ++letter) {
      for (std::size_t most = most_in_operand(letter); most > 0; --most) {
        axes_[letter].push_back(made_.domain.size());
        made_.whole |= axis_mask{1} << made_.domain.size();
        made_.domain.push_back(extents_[letter]);
      }
    }
    for (std::size_t i = 0; i < operands_.size(); ++i) add_operand(i, num_loops);
    for (std::size_t i = 0; i < signature_.num_results; ++i) add_result(i);
    return std::move(made_);
  }

 private:
  void lay_out_loops() {
    std::vector<array_layout> loops;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      loops.push_back(first_axes(*operands_[i], num_loops_of(i)));
    }
    std::vector<const array_layout*> all;
    for (const array_layout& each : loops) all.push_back(&each);
    loops_ = broadcast_layout(function_, all);
  }

  [[nodiscard]] std::size_t num_loops_of(std::size_t i) const {
    return operands_[i]->shape.size() - signature_.input(i).rank;
  }

  void find_extents(std::size_t i) {
    const gufunc_signature::group& group = signature_.input(i);
    for (std::size_t k = 0; k < group.rank; ++k) {
      const index_t extent = operands_[i]->shape[num_loops_of(i) + k];
      index_t& known = extents_[group.letters[k]];
      if (known == 0) known = extent;
      const std::string_view letter = signature_.letters[group.letters[k]];
      if (known != extent) {
        throw shape_error(
            fmt::format("{}: '{}' stands for {} elements and, in array {}, for {}; "
                        "it must be the same everywhere",
                        function_, letter, known, i, extent));
      }
      if (extent == 0) {
        throw shape_error(
            fmt::format("{}: '{}' stands for no elements, in array {}; a function of "
                        "whole axes needs at least one",
                        function_, letter, i));
      }
    }
  }

  /// Returns how many of the first `size` axes of a group have a letter.
  static std::size_t count(const gufunc_signature::group& group, std::size_t letter,
                           std::size_t size) {
    return static_cast<std::size_t>(
        std::count(group.letters.begin(), group.letters.begin() + size, letter));
  }

  [[nodiscard]] std::size_t most_in_operand(std::size_t letter) const {
    std::size_t most = 0;
    for (std::size_t i = 0; i < signature_.num_inputs; ++i) {
      most = std::max(most, count(signature_.input(i), letter, signature_.input(i).rank));
    }
    return most;
  }

  void take_extent(const named_extent& own) {
    if (own.extent < 1) {
      throw shape_error(fmt::format("{}: '{}' stands for {} elements; it must be at least one",
                                    function_, own.letter, own.extent));
    }
    for (std::size_t letter = 0; letter < signature_.num_letters; ++letter) {
      if (signature_.letters[letter] == own.letter) extents_[letter] = own.extent;
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
    operand.map = {made_.domain.size(), std::move(map)};
    made_.operands.push_back(std::move(operand));
  }

  void add_result(std::size_t i) {
    block_form::result& result = made_.results.emplace_back();
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
  /// Of each letter: what it stands for, and as many axes of the domain as an operand has of it.
  std::vector<index_t> extents_;
  std::vector<std::vector<std::size_t>> axes_;
  /// Of the other axes, broadcast.
  array_layout loops_;
  block_form made_;
};

}  // namespace

block_form map_form(std::string_view function, operand_layouts operands,
                    std::span<const std::array<index_t, 2>> depth, std::size_t num_results) {
  if (!depth.empty()) require_one_shape(function, operands);
  block_form made;
  block_form::result result{{}, broadcast_layout(function, operands)};
  made.is_by_chunks = true;
  made.domain = result.layout.shape;
  const std::size_t rank = made.domain.size();
  std::vector<std::optional<std::size_t>> around(rank);
  for (std::size_t axis = 0; axis < depth.size(); ++axis) {
    if (depth[axis][0] + depth[axis][1] == 0) continue;
    around[axis] = made.domain.size();
    made.whole |= axis_mask{1} << made.domain.size();
    made.domain.push_back(depth[axis][0] + depth[axis][1] + 1);
  }
  if (made.domain.size() > max_rank) {
    throw shape_error(fmt::format(
        "{}: an array of rank {} with neighbours along {} axes; both together may be {}", function,
        rank, made.domain.size() - rank, max_rank));
  }
  for (const array_layout* operand : operands) {
    const index_vector& shape = operand->shape;
    std::vector<axis_map> map = broadcast_axes(shape, shape.size(), result.layout.shape, rank);
    block_form::operand seen;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      seen.axes.push_back({axis, around[axis]});
      if (!around[axis]) continue;
      map[axis] = {axis, 0, 1};
      map[axis].add({*around[axis], 1});
    }
    seen.map = {made.domain.size(), std::move(map)};
    made.operands.push_back(std::move(seen));
  }
  for (std::size_t axis = 0; axis < rank; ++axis) result.axes.push_back({axis});
  made.results.assign(num_results, result);
  return made;
}

block_form gufunc_form(std::string_view function, const gufunc_signature& signature,
                       operand_layouts operands, std::span<const named_extent> own) {
  return gufunc_walk(function, signature, operands, own).run();
}

}  // namespace tessera
