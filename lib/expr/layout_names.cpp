// SPDX-License-Identifier: Apache-2.0
#include "expr/layout_names.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

/// Returns the name of `axis` of a result of `shape`: the common name of the operands that are not
/// broadcast there, or "" if two names differ.
const std::string& common_name(operand_layouts operands, const index_vector& shape,
                               std::size_t axis) {
  static const std::string no_name;
  const std::string* common = &no_name;
  for (const array_layout* operand : operands) {
    if (operand == nullptr || operand->names.empty()) continue;
    const std::size_t missing = shape.size() - operand->shape.size();
    if (axis < missing || operand->shape[axis - missing] != shape[axis]) continue;
    const std::string& name = operand->names[axis - missing];
    if (name.empty() || name == *common) continue;
    if (!common->empty()) return no_name;
    common = &name;
  }
  return *common;
}

/// Returns the axis of a view of `shape` that alone shows an axis of `extent` elements, or nullopt.
/// Further axes that the map adds have one element.
std::optional<std::size_t> axis_showing(const axis_map& map, index_t extent,
                                        const index_vector& shape) {
  std::optional<std::size_t> result;
  for (const axis_term& term : map.terms()) {
    if (!result && shape[term.axis] == extent) {
      result = term.axis;
    } else if (shape[term.axis] != 1) {
      return std::nullopt;
    }
  }
  return result;
}

}  // namespace

axis_names common_names(operand_layouts operands, const index_vector& shape) {
  const auto has_names = [](const array_layout* x) { return x != nullptr && !x->names.empty(); };
  if (std::none_of(operands.begin(), operands.end(), has_names)) return {};
  std::vector<std::string> names;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    names.push_back(common_name(operands, shape, axis));
  }
  return axis_names(std::move(names));
}

axis_names names_of_view(const index_map& map, const array_layout& layout,
                         const index_vector& shape) {
  if (layout.names.empty()) return {};
  std::vector<std::string> names(shape.size());
  for (std::size_t k = 0; k < map.array_rank(); ++k) {
    const auto axis = axis_showing(map[k], layout.shape[k], shape);
    if (axis) names[*axis] = layout.names[k];
  }
  return axis_names(std::move(names));
}

}  // namespace tessera
