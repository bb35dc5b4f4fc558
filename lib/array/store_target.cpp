// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/store_target.hpp"

#include "tessera/array/editing.hpp"
#include "tessera/lower/nodes.hpp"
#include "tessera/plan/node.hpp"
#include "tessera/task/execution.hpp"

#include "array/stored_part.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

array_handle with_border(const array_handle& array, const array_layout& layout,
                         const array_destination& destination) {
  const std::optional<array_destination::border> border = destination.find_border();
  if (!border) return array;
  // Indices below are relative to `box`, the whole chunks around the elements.
  const auto& [source, box, elements] = *border;
  std::vector<axis_map> box_in_source;
  region replaced_part = elements;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    box_in_source.emplace_back(axis, box.start[axis], 1);
    replaced_part.start[axis] -= box.start[axis];
    replaced_part.stop[axis] -= box.start[axis];
  }
  const auto stored = std::make_shared<const array_node>(array_node{
      source->type(), source->shape(), clip_chunks(source->read_grid().chunks(), source->shape()),
      "border", stored_source{source}});
  array_layout whole_chunks = layout;
  whole_chunks.shape = destination.shape();
  whole_chunks.chunks = destination.write_grid().chunks();
  const array_view old_values{stored, {box.rank(), std::move(box_in_source)}};
  return replaced(old_values, whole_chunks, whole_of(array), replaced_part).array;
}

}  // namespace detail

store_target::store_target(const array_layout& layout, const array_handle& array,
                           std::shared_ptr<const array_destination> destination)
    : layout_(layout),
      output_{computed(detail::with_border(array, layout, *destination)), destination} {}
store_target::store_target(const store_target&) = default;
store_target& store_target::operator=(const store_target&) = default;
store_target::~store_target() = default;

void store(const std::vector<store_target>& targets, const run_with& settings) {
  std::vector<plan_output> outputs;
  std::vector<array_layout> layouts;
  for (const store_target& target : targets) {
    outputs.push_back(target.output());
    layouts.push_back(target.layout());
  }
  const bounded_plan plan = detail::make_bounded_plan(std::move(outputs), layouts, {}, settings);
  static_cast<void>(execute(plan, detail::complete(plan, settings)));
}

}  // namespace tessera
