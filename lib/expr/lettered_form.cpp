// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/lettered_form.hpp"

#include "tessera/core/error.hpp"

#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

/// Returns all letters: those of the first result, then others in the order of the operands.
std::string letters_in_order(std::string_view result, std::span<const std::string_view> letters) {
  std::string all(result);
  for (const std::string_view group : letters) {
    for (const char letter : group) {
      if (all.find(letter) == std::string::npos) all += letter;
    }
  }
  return all;
}

/// Throws shape_error where a letter stands for several extents that are not 1.
void require_extents(std::string_view function, std::span<const std::string_view> letters,
                     operand_layouts operands) {
  for (const char letter : letters_in_order({}, letters)) {
    index_t known = 1;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const std::size_t axis = letters[i].find(letter);
      if (axis == std::string_view::npos || operands[i]->shape[axis] == 1) continue;
      const index_t extent = operands[i]->shape[axis];
      if (known != 1 && known != extent) {
        throw shape_error(
            fmt::format("{}: '{}' stands for {} elements and, in array {}, for {}; it must be the "
                        "same everywhere, or 1",
                        function, letter, known, i, extent));
      }
      known = extent;
    }
  }
}

/// Returns `of` with an axis for each letter of `all`, of one element where it has not that letter.
array_layout along_letters(const array_layout& of, std::string_view letters, std::string_view all) {
  array_layout seen{{}, {}, of.spec, of.is_automatic};
  std::vector<std::string> names;
  for (const char letter : all) {
    const std::size_t axis = letters.find(letter);
    const bool is_there = axis != std::string_view::npos;
    seen.shape.push_back(is_there ? of.shape[axis] : 1);
    seen.chunks.push_back(is_there ? of.chunks[axis] : 1);
    names.push_back(is_there ? of.names[axis] : std::string());
  }
  seen.names = axis_names(std::move(names));
  return seen;
}

}  // namespace

block_form lettered_form(std::string_view function, std::span<const std::string_view> results,
                         std::span<const std::string_view> letters, operand_layouts operands) {
  require_extents(function, letters, operands);
  const std::string all = letters_in_order(results.front(), letters);
  std::vector<array_layout> seen;
  std::vector<const array_layout*> layouts;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    seen.push_back(along_letters(*operands[i], letters[i], all));
  }
  for (const array_layout& each : seen) layouts.push_back(&each);
  const array_layout domain = broadcast_layout(function, layouts);
  block_form made;
  made.is_by_chunks = true;
  made.domain = domain.shape;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    block_form::operand& operand = made.operands.emplace_back();
    std::vector<axis_map> map;
    for (std::size_t k = 0; k < letters[i].size(); ++k) {
      const std::size_t axis = all.find(letters[i][k]);
      operand.axes.push_back({axis});
      const bool is_broadcast = operands[i]->shape[k] != domain.shape[axis];
      map.push_back(is_broadcast ? axis_map{} : axis_map{axis, 0, 1});
    }
    operand.map = {all.size(), std::move(map)};
  }
  for (const std::string_view group : results) {
    block_form::result& result = made.results.emplace_back();
    result.layout = along_letters(domain, all, group);
    for (const char letter : group) result.axes.push_back({all.find(letter)});
  }
  return made;
}

}  // namespace tessera
