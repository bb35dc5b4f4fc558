// SPDX-License-Identifier: Apache-2.0
#include "lower/tsqr.hpp"

#include "tessera/kernel/matrix_kernel.hpp"
#include "tessera/lower/nodes.hpp"

#include "core/api/gather.hpp"
#include "lower/operands.hpp"
#include "primitive/api/block_function.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace tessera {
namespace {

using axis_kind = output_axis::kind;

/// The least ratio of rows to columns of a block: R factors are small beside their blocks.
constexpr index_t least_height = 4;

/// The least number of elements of a block that cuts chunks: each block is a task.
constexpr index_t least_elements = index_t{1} << 14;

axis_set axes_behind(std::size_t first, std::size_t rank) {
  axis_set axes;
  for (std::size_t axis = first; axis < rank; ++axis) axes.set(axis);
  return axes;
}

/// Returns an operation, without operands, over `domain` in blocks along the first axis.
operation make_block_op(std::string_view name, index_vector domain, index_t block) {
  operation op;
  op.name = name;
  op.schedule.domain = std::move(domain);
  op.schedule.block = op.schedule.domain;
  op.schedule.block[0] = block;
  op.schedule.step = op.schedule.block;
  return op;
}

/// Returns the axes 0, ..., count - 1.
std::vector<std::size_t> leading_axes(std::size_t count) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < count; ++axis) axes.push_back(axis);
  return axes;
}

/// Returns the map from a domain of rank `rank` to an array of `shape`. Row `i` of the domain is
/// mapped to element `i / block` of the first axis; the last axes of the domain to the other axes.
index_map map_to_blocks(std::size_t rank, index_t block, const index_vector& shape) {
  std::vector<gathered_axes> factors{{{shape[0] * block}, {shape[0], block}}};
  std::vector<axis_map> axes{{0, 0, 1}};
  std::vector<axis_map> into{{0, 0, 1}};
  for (std::size_t k = 1; k < shape.size(); ++k) {
    factors.push_back({{shape[k]}, {shape[k]}});
    axes.emplace_back(rank - shape.size() + k, 0, 1);
    into.emplace_back(k + 1, 0, 1);
  }
  return {rank, std::move(axes),
          std::make_shared<const gather>(std::move(factors),
                                         index_map(shape.size() + 1, std::move(into)))};
}

}  // namespace

std::optional<index_t> tall_factors::rows_of_block(const array_layout& x, block_ends ends,
                                                   index_t extra_columns) {
  if (x.shape.size() != 2 || x.shape[1] == 0) return std::nullopt;
  const index_t least = least_height * (x.shape[1] + extra_columns);
  const index_t worthwhile =
      std::max(least, ceil_divide(least_elements, x.shape[1] + extra_columns));
  const index_t num_blocks = std::max<index_t>(1, x.shape[0] / worthwhile);
  const index_t unit =
      ends == block_ends::of_chunks ? x.chunks[0] : ceil_divide(x.shape[0], num_blocks);
  const index_t rows = unit * std::max<index_t>(1, ceil_divide(least, unit));
  if (x.shape[0] <= rows) return std::nullopt;
  return rows;
}

tall_factors::tall_factors(std::string_view name, dtype type, const laid_out_array& x,
                           index_t rows_of_block, const laid_out_array* right_side)
    : name_(name),
      type_(type),
      columns_(x.layout.shape[1] + (right_side == nullptr ? 0 : right_side->layout.shape[1])) {
  add_level(x, rows_of_block, right_side);
  const index_t fan_in = std::max<index_t>(2, rows_of_block / columns_);
  while (r_->shape[0] > 1) {
    const index_vector shape = r_->shape;
    add_level({whole_of(r_), {shape, {1, columns_, columns_}, x.layout.spec}},
              std::min(fan_in, shape[0]), nullptr);
  }
}

void tall_factors::add_level(const laid_out_array& rows, index_t block,
                             const laid_out_array* right_side) {
  levels_.push_back({rows, block});
  index_vector domain = rows.layout.shape;
  const std::size_t rank = domain.size();
  if (right_side != nullptr) domain.push_back(right_side->layout.shape[1]);
  operation op = make_block_op(name_, std::move(domain), block);
  block_schedule blocks;
  blocks.whole = axes_behind(1, op.schedule.rank());
  std::vector<array_handle> arrays;
  const auto add = [&](const laid_out_array& array, const std::vector<std::size_t>& axes) {
    op.operands.push_back(compose(array.view.map, map_along(op.schedule.rank(), axes)));
    blocks.inputs.push_back(block_axes_along(axes));
    arrays.push_back(array.view.array);
  };
  add(rows, leading_axes(rank));
  if (right_side != nullptr) add(*right_side, {0, rank});
  blocks.outputs = {{{{axis_kind::per_block, 0},
                      {axis_kind::extra, 0, columns_},
                      {axis_kind::extra, 0, columns_}},
                     {0, 1, 2}}};
  op.primitive = std::make_shared<const block_function>(
      matrices::triangle(type_, right_side != nullptr), kernel_parameters(), std::move(blocks));
  r_ = make_output_arrays(std::move(op), std::move(arrays), {{1, columns_, columns_}}).front();
}

laid_out_array tall_factors::r() const {
  return {{r_, {2, {axis_map(0), {0, 0, 1}, {1, 0, 1}}}},
          {{columns_, columns_}, {columns_, columns_}, levels_.front().rows.layout.spec}};
}

laid_out_array tall_factors::q(const std::optional<laid_out_array>& factor) const {
  const index_t columns = factor ? factor->layout.shape[1] : columns_;
  array_handle q_above;
  for (std::size_t i = levels_.size(); i-- > 0;) {
    const tree_level& level = levels_[i];
    const bool has_factor = q_above != nullptr || factor;
    index_vector domain = level.rows.layout.shape;
    const std::size_t rank = domain.size();
    if (has_factor) domain.push_back(columns);
    operation op = make_block_op(name_, std::move(domain), level.block);
    block_schedule blocks;
    blocks.whole = axes_behind(1, op.schedule.rank());
    blocks.inputs.push_back(block_axes_along(leading_axes(rank)));
    op.operands.push_back(
        compose(level.rows.view.map, map_along(op.schedule.rank(), leading_axes(rank))));
    std::vector<array_handle> arrays{level.rows.view.array};
    if (has_factor) {
      blocks.inputs.push_back(block_axes_along({rank - 1, rank}));
      op.operands.push_back(
          q_above != nullptr
              ? map_to_blocks(op.schedule.rank(), level.block, q_above->shape)
              : compose(factor->view.map, map_along(op.schedule.rank(), {rank - 1, rank})));
      arrays.push_back(q_above != nullptr ? q_above : factor->view.array);
    }
    block_output_spec& output_spec = blocks.outputs.emplace_back();
    output_spec.axes.push_back({axis_kind::along, 0});
    for (std::size_t axis = 1; axis + 1 < rank; ++axis) {
      output_spec.axes.push_back({axis_kind::extra, 0, level.rows.layout.shape[axis]});
    }
    output_spec.axes.push_back({axis_kind::extra, 0, columns});
    output_spec.order = leading_axes(rank);
    op.primitive = std::make_shared<const block_function>(matrices::orthonormal(type_, has_factor),
                                                          kernel_parameters(), std::move(blocks));
    index_vector chunks = level.rows.layout.chunks;
    chunks[0] = std::min(chunks[0], level.block);
    chunks.back() = columns;
    q_above = make_output_arrays(std::move(op), std::move(arrays), {std::move(chunks)}).front();
  }
  const array_layout& x = levels_.front().rows.layout;
  return {whole_of(q_above), {q_above->shape, q_above->chunks, x.spec, x.is_automatic}};
}

}  // namespace tessera
