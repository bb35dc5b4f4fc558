// SPDX-License-Identifier: Apache-2.0
#include "lower/product_roles.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

namespace {

std::vector<block_axis> axes_of(const std::string& domain, const std::string& letters) {
  std::vector<block_axis> axes;
  for (const char letter : letters) axes.push_back({domain.find(letter)});
  return axes;
}

}  // namespace

block_schedule blocks_of_product(const letter_roles& roles, const std::string& domain) {
  block_schedule blocks;
  blocks.inputs = {axes_of(domain, roles.batch + roles.rows + roles.inner),
                   axes_of(domain, roles.batch + roles.inner + roles.columns)};
  blocks.outputs.emplace_back();
  const std::size_t num_outer = domain.size() - roles.inner.size();
  for (std::size_t axis = 0; axis < num_outer; ++axis) {
    blocks.outputs.front().axes.push_back({output_axis::kind::along, axis});
  }
  for (const char letter : roles.batch + roles.rows + roles.columns) {
    blocks.outputs.front().order.push_back(domain.find(letter));
  }
  for (std::size_t axis = num_outer; axis < domain.size(); ++axis) blocks.streamed.set(axis);
  return blocks;
}

}  // namespace tessera
