// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/lettered_form.hpp"

#include "tessera/core/error.hpp"

#include "expr/api/grown_chunks.hpp"

#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

/// Returns all letters: first the letters of the result, then the rest in the order of operands.
std::string order_letters(std::string_view result, std::span<const std::string_view> letters) {
  std::string order(result);
  for (const std::string_view group : letters) {
    for (const char letter : group) {
      if (order.find(letter) == std::string::npos) order += letter;
    }
  }
  return order;
}

/// Throws shape_error if a letter has two extents besides 1.
void require_extents(std::string_view function, std::span<const std::string_view> letters,
                     operand_layouts operands) {
  for (const char letter : order_letters({}, letters)) {
    index_t letter_extent = 1;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const std::size_t axis = letters[i].find(letter);
      if (axis == std::string_view::npos || operands[i]->shape[axis] == 1) continue;
      const index_t extent = operands[i]->shape[axis];
      if (letter_extent != 1 && letter_extent != extent) {
        throw shape_error(
            fmt::format("{}: '{}' stands for {} elements and, in array {}, for {}; it must be the "
                        "same everywhere, or 1",
                        function, letter, letter_extent, i, extent));
      }
      letter_extent = extent;
    }
  }
}

/// Returns `layout` with an axis for each letter of `order`, of extent 1 if it lacks the letter.
array_layout layout_along(const array_layout& layout, std::string_view letters,
                          std::string_view order) {
  array_layout result{{}, {}, layout.spec, layout.is_automatic};
  std::vector<std::string> names;
  for (const char letter : order) {
    const std::size_t axis = letters.find(letter);
    const bool has_axis = axis != std::string_view::npos;
    result.shape.push_back(has_axis ? layout.shape[axis] : 1);
    result.chunks.push_back(has_axis ? layout.chunks[axis] : 1);
    names.push_back(has_axis ? layout.names[axis] : std::string());
  }
  result.names = axis_names(std::move(names));
  return result;
}

}  // namespace

block_form lettered_form(std::string_view function, std::span<const std::string_view> results,
                         std::span<const std::string_view> letters, operand_layouts operands) {
  require_extents(function, letters, operands);
  const std::string order = order_letters(results.front(), letters);
  std::vector<array_layout> extended;
  std::vector<const array_layout*> layouts;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    extended.push_back(layout_along(*operands[i], letters[i], order));
  }
  for (const array_layout& layout : extended) layouts.push_back(&layout);
  const array_layout domain = broadcast_layout(function, layouts, no_limit_of_elements);
  block_form form;
  form.is_by_chunks = true;
  form.domain = domain.shape;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    block_form::operand& operand = form.operands.emplace_back();
    std::vector<axis_map> map;
    for (std::size_t k = 0; k < letters[i].size(); ++k) {
      const std::size_t axis = order.find(letters[i][k]);
      operand.axes.push_back({axis});
      const bool is_broadcast = operands[i]->shape[k] != domain.shape[axis];
      map.push_back(is_broadcast ? axis_map{} : axis_map{axis, 0, 1});
    }
    operand.map = {order.size(), std::move(map)};
  }
  for (const std::string_view group : results) {
    block_form::result& result = form.results.emplace_back();
    result.layout = layout_along(domain, order, group);
    for (const char letter : group) result.axes.push_back({order.find(letter)});
  }
  return form;
}

}  // namespace tessera
