// SPDX-License-Identifier: Apache-2.0
#include "lower/tall.hpp"

#include "tessera/core/gather.hpp"
#include "tessera/kernel/matrices.hpp"
#include "tessera/lower/nodes.hpp"
#include "tessera/primitive/blocks.hpp"

#include "lower/operands.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace tessera {
namespace {

using axis_kind = output_axis::kind;

/// Blocks of rows have so many times as many rows as columns, so that R factors are small beside
/// them.
constexpr index_t least_height = 4;

axis_set axes_from(std::size_t first, std::size_t rank) {
  axis_set axes;
  for (std::size_t axis = first; axis < rank; ++axis) axes.set(axis);
  return axes;
}

/// A walk over blocks along the first axis of a domain that begins with the axes of some rows.
operation walk_of_blocks(std::string_view name, index_vector domain, index_t block) {
  operation what;
  what.name = name;
  what.how.domain = std::move(domain);
  what.how.block = what.how.domain;
  what.how.block[0] = block;
  what.how.stream = what.how.block;
  return what;
}

/// Returns the first axes of a domain.
std::vector<std::size_t> first_axes(std::size_t count) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < count; ++axis) axes.push_back(axis);
  return axes;
}

/// Returns the map from a domain of rank `rank`, along whose first axis there are blocks of
/// `block`, to an array of `shape`, of which the first axis has an element for each block; to the
/// others lead the last axes of the domain.
index_map to_blocks(std::size_t rank, index_t block, const index_vector& shape) {
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

index_t tall_factors::leaf(const array_layout& x, index_t columns) {
  const index_t chunk = x.chunks[0];
  return chunk * std::max<index_t>(1, ceil_divide(least_height * columns, chunk));
}

bool tall_factors::is_for(const array_layout& x, index_t more) {
  return x.shape.size() == 2 && x.shape[1] > 0 && x.shape[0] > leaf(x, x.shape[1] + more);
}

tall_factors::tall_factors(std::string_view name, dtype type, const laid_out_array& x,
                           const laid_out_array* beside)
    : name_(name),
      type_(type),
      columns_(x.layout.shape[1] + (beside == nullptr ? 0 : beside->layout.shape[1])) {
  const index_t height = leaf(x.layout, columns_);
  add_level(x, height, beside);
  const index_t fan = std::max<index_t>(2, height / columns_);
  while (r_->shape[0] > 1) {
    const index_vector shape = r_->shape;
    add_level({whole_of(r_), {shape, {1, columns_, columns_}, x.layout.spec}},
              std::min(fan, shape[0]), nullptr);
  }
}

void tall_factors::add_level(const laid_out_array& rows, index_t block,
                             const laid_out_array* beside) {
  levels_.push_back({rows, block});
  index_vector domain = rows.layout.shape;
  const std::size_t rank = domain.size();
  if (beside != nullptr) domain.push_back(beside->layout.shape[1]);
  operation what = walk_of_blocks(name_, std::move(domain), block);
  block_walk how;
  how.whole = axes_from(1, what.how.rank());
  std::vector<array_handle> arrays;
  const auto add = [&](const laid_out_array& array, const std::vector<std::size_t>& axes) {
    what.operands.push_back(compose(array.view.map, along(what.how.rank(), axes)));
    how.inputs.push_back(seen_along(axes));
    arrays.push_back(array.view.array);
  };
  add(rows, first_axes(rank));
  if (beside != nullptr) add(*beside, {0, rank});
  how.outputs = {
      {{{axis_kind::per_block, 0}, {axis_kind::own, 0, columns_}, {axis_kind::own, 0, columns_}},
       {0, 1, 2}}};
  what.body = std::make_shared<const block_function>(matrices::triangle(type_, beside != nullptr),
                                                     kernel_parameters(), std::move(how));
  r_ = arrays_made_by(std::move(what), std::move(arrays), {{1, columns_, columns_}}).front();
}

laid_out_array tall_factors::r() const {
  return {{r_, {2, {axis_map(0), {0, 0, 1}, {1, 0, 1}}}},
          {{columns_, columns_}, {columns_, columns_}, levels_.front().rows.layout.spec}};
}

laid_out_array tall_factors::q(const std::optional<laid_out_array>& factor) const {
  const index_t columns = factor ? factor->layout.shape[1] : columns_;
  array_handle above;
  for (std::size_t i = levels_.size(); i-- > 0;) {
    const level& here = levels_[i];
    const bool has_factor = above != nullptr || factor;
    index_vector domain = here.rows.layout.shape;
    const std::size_t rank = domain.size();
    if (has_factor) domain.push_back(columns);
    operation what = walk_of_blocks(name_, std::move(domain), here.block);
    block_walk how;
    how.whole = axes_from(1, what.how.rank());
    how.inputs.push_back(seen_along(first_axes(rank)));
    what.operands.push_back(compose(here.rows.view.map, along(what.how.rank(), first_axes(rank))));
    std::vector<array_handle> arrays{here.rows.view.array};
    if (has_factor) {
      how.inputs.push_back(seen_along({rank - 1, rank}));
      what.operands.push_back(
          above != nullptr ? to_blocks(what.how.rank(), here.block, above->shape)
                           : compose(factor->view.map, along(what.how.rank(), {rank - 1, rank})));
      arrays.push_back(above != nullptr ? above : factor->view.array);
    }
    block_made& made = how.outputs.emplace_back();
    made.axes.push_back({axis_kind::along, 0});
    for (std::size_t axis = 1; axis + 1 < rank; ++axis) {
      made.axes.push_back({axis_kind::own, 0, here.rows.layout.shape[axis]});
    }
    made.axes.push_back({axis_kind::own, 0, columns});
    made.order = first_axes(rank);
    what.body = std::make_shared<const block_function>(matrices::orthonormal(type_, has_factor),
                                                       kernel_parameters(), std::move(how));
    index_vector chunks;
    for (std::size_t axis = 0; axis + 1 < rank; ++axis) {
      chunks.push_back(here.rows.layout.chunks[axis]);
    }
    chunks.push_back(columns);
    above = arrays_made_by(std::move(what), std::move(arrays), {std::move(chunks)}).front();
  }
  const array_layout& x = levels_.front().rows.layout;
  return {whole_of(above), {above->shape, above->chunks, x.spec, x.is_automatic}};
}

}  // namespace tessera
