// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/index_map.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera {

index_map index_map::identity(std::size_t rank) {
  std::vector<axis_map> axes(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) axes[axis] = {axis, 0, 1};
  return {rank, std::move(axes)};
}

bool index_map::is_identity() const {
  if (domain_rank_ != array_rank()) return false;
  for (std::size_t axis = 0; axis < array_rank(); ++axis) {
    if (axes_[axis] != axis_map{axis, 0, 1}) return false;
  }
  return true;
}

bool index_map::is_injective(std::span<const index_t> extents) const {
  for (std::size_t axis = 0; axis < domain_rank_; ++axis) {
    if (extents[axis] <= 1) continue;
    const bool is_used = std::any_of(axes_.begin(), axes_.end(), [axis](const axis_map& m) {
      return m.axis == axis && m.step != 0;
    });
    if (!is_used) return false;
  }
  return true;
}

index_vector index_map::operator()(std::span<const index_t> position) const {
  index_vector index(axes_.size());
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const axis_map& m = axes_[k];
    index[k] = m.offset + (m.axis == axis_map::none ? 0 : m.step * position[m.axis]);
  }
  return index;
}

region index_map::image(const region& box) const {
  region reached{index_vector(axes_.size()), index_vector(axes_.size())};
  const bool is_empty = box.empty();
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const axis_map& m = axes_[k];
    if (m.axis == axis_map::none || is_empty) {
      reached.start[k] = m.axis == axis_map::none ? m.offset : std::max<index_t>(0, m.offset);
      reached.stop[k] = reached.start[k] + (is_empty ? 0 : 1);
      continue;
    }
    const index_t first = m.offset + m.step * box.start[m.axis];
    const index_t last = m.offset + m.step * (box.stop[m.axis] - 1);
    reached.start[k] = std::min(first, last);
    reached.stop[k] = std::max(first, last) + 1;
  }
  return reached;
}

index_vector index_map::strides(std::span<const index_t> array_strides) const {
  index_vector walked(domain_rank_, 0);
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    if (axes_[k].axis != axis_map::none) walked[axes_[k].axis] += axes_[k].step * array_strides[k];
  }
  return walked;
}

index_map compose(const index_map& outer, const index_map& inner) {
  std::vector<axis_map> axes(outer.array_rank());
  for (std::size_t k = 0; k < outer.array_rank(); ++k) {
    const axis_map& o = outer[k];
    if (o.axis == axis_map::none) {
      axes[k] = o;
      continue;
    }
    const axis_map& i = inner[o.axis];
    axes[k] = {i.axis, o.offset + o.step * i.offset,
               i.axis == axis_map::none ? 0 : o.step * i.step};
  }
  return {inner.domain_rank(), std::move(axes)};
}

namespace {

std::string axis_name(std::size_t axis) {
  return axis < 18 ? std::string(1, static_cast<char>('i' + static_cast<char>(axis)))
                   : fmt::format("i{}", axis);
}

std::string equation(const axis_map& m) {
  if (m.axis == axis_map::none || m.step == 0) return std::to_string(m.offset);
  const index_t size = m.step < 0 ? -m.step : m.step;
  const std::string term = (size == 1 ? "" : fmt::format("{} ", size)) + axis_name(m.axis);
  if (m.offset == 0) return m.step < 0 ? "-" + term : term;
  return fmt::format("{} {} {}", m.offset, m.step < 0 ? '-' : '+', term);
}

}  // namespace

std::string format_index_map(const index_map& map) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < map.domain_rank(); ++axis) {
    text += (axis == 0 ? "" : ", ") + axis_name(axis);
  }
  text += ") -> (";
  for (std::size_t k = 0; k < map.array_rank(); ++k)
    text += (k == 0 ? "" : ", ") + equation(map[k]);
  return text + ")";
}

}  // namespace tessera
