// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/contraction.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <utility>

namespace tessera {
namespace {

/// Puts letters in the place of the dots of `group`, for an operand of `rank` axes.
std::string without_dots(const subscripts::group& group, std::size_t rank) {
  std::string letters;
  for (const char letter : group.view()) {
    if (letter == subscripts::group::dots) {
      letters += contraction_letters::broadcast(rank - (group.size - 1));
    } else {
      letters += letter;
    }
  }
  return letters;
}

/// An axis of an operand that says for what a letter stands.
struct named_axis {
  std::size_t operand = 0;
  std::size_t axis = 0;
  /// Of the axis; 0 operands have said anything as long as it is not `is_known`.
  index_t extent = 1;
  bool is_known = false;
};

/// What each letter stands for.
class letter_extents {
 public:
  letter_extents(std::string_view function, const contraction_letters& letters,
                 operand_layouts operands)
      : function_(function), letters_(letters), operands_(operands) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      for (std::size_t axis = 0; axis < letters.operands[i].size(); ++axis) note(i, axis);
    }
  }

  [[nodiscard]] index_t operator[](char letter) const { return of(letter).extent; }

 private:
  [[nodiscard]] const named_axis& of(char letter) const {
    return axes_[static_cast<unsigned char>(letter)];
  }

  void note(std::size_t operand, std::size_t axis) {
    const char letter = letters_.operands[operand][axis];
    const index_t extent = operands_[operand]->shape[axis];
    const bool is_broadcast = contraction_letters::is_broadcast(letter);
    named_axis& known = axes_[static_cast<unsigned char>(letter)];
    if (!known.is_known || (is_broadcast && known.extent == 1)) {
      known = {operand, axis, extent, true};
      return;
    }
    if (known.extent == extent || (is_broadcast && extent == 1)) return;
    const std::string what =
        is_broadcast            ? "they are broadcast, so they must be equal or 1"
        : function_ == "einsum" ? fmt::format("'{}' stands for both, so they must be equal", letter)
                                : "they go together, so they must be equal";
    throw shape_error(fmt::format(
        "{}: axis {} of array {}, of shape {}, has {} elements, and axis {} of array "
        "{}, of shape {}, has {}; {}",
        function_, known.axis, known.operand, format_shape(operands_[known.operand]->shape),
        known.extent, axis, operand, format_shape(operands_[operand]->shape), extent, what));
  }

  std::string_view function_;
  const contraction_letters& letters_;
  operand_layouts operands_;
  std::array<named_axis, 128> axes_{};
};

/// Returns `operand`, whose axes are `letters`, as it is seen along the axes of the result.
array_layout seen_along(const std::string& result, const std::string& letters,
                        const array_layout& operand, const letter_extents& extents) {
  array_layout seen{{}, {}, operand.spec, operand.is_automatic};
  std::vector<std::string> names;
  for (const char letter : result) {
    index_t chunk = 0;
    std::string name;
    for (std::size_t axis = 0; axis < letters.size(); ++axis) {
      if (letters[axis] != letter || operand.shape[axis] != extents[letter]) continue;
      chunk = chunk == 0 ? operand.chunks[axis] : std::min(chunk, operand.chunks[axis]);
      if (name.empty()) name = operand.names[axis];
    }
    seen.shape.push_back(chunk == 0 ? 1 : extents[letter]);
    seen.chunks.push_back(std::max<index_t>(1, chunk));
    names.push_back(std::move(name));
  }
  seen.names = axis_names(std::move(names));
  return seen;
}

}  // namespace

std::string contraction_letters::broadcast(std::size_t number) {
  std::string letters;
  for (std::size_t k = number; k > 0; --k) letters += static_cast<char>(k);
  return letters;
}

contraction_letters letters_of(const subscripts& of, std::span<const std::size_t> ranks) {
  contraction_letters letters;
  std::size_t most = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    letters.operands.push_back(without_dots(of.operands[i], ranks[i]));
    if (of.operands[i].has(subscripts::group::dots)) {
      most = std::max(most, ranks[i] - (of.operands[i].size - 1));
    }
  }
  letters.result = without_dots(of.result, of.result_rank(most));
  return letters;
}

contraction_letters letters_of_pairs(std::size_t rank_a, std::size_t rank_b,
                                     std::span<const std::size_t> of_a,
                                     std::span<const std::size_t> of_b) {
  contraction_letters letters{{std::string(rank_a, '\0'), std::string(rank_b, '\0')}, {}};
  char next = '!';
  for (std::size_t k = 0; k < of_a.size(); ++k) {
    letters.operands[0][of_a[k]] = letters.operands[1][of_b[k]] = next++;
  }
  for (std::string& operand : letters.operands) {
    for (char& letter : operand) {
      if (letter != '\0') continue;
      letter = next++;
      letters.result += letter;
    }
  }
  return letters;
}

contraction_letters letters_along(std::size_t rank_a, std::size_t of_a, std::size_t rank_b,
                                  std::size_t of_b) {
  const auto letters = [](std::size_t rank, std::size_t summed) {
    return contraction_letters::broadcast(rank - 1).insert(summed, 1, 'k');
  };
  return {{letters(rank_a, of_a), letters(rank_b, of_b)},
          contraction_letters::broadcast(std::max(rank_a, rank_b) - 1)};
}

std::shared_ptr<const contraction_form> contract_form(std::string_view function,
                                                      const contraction_letters& letters,
                                                      operand_layouts operands) {
  const letter_extents extents(function, letters, operands);
  contraction_form form{{}, letters.result, {}};
  std::vector<array_layout> seen;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    form.operands.push_back({letters.operands[i], operands[i]->shape, operands[i]->chunks});
    seen.push_back(seen_along(letters.result, letters.operands[i], *operands[i], extents));
  }
  std::vector<const array_layout*> all;
  for (const array_layout& each : seen) all.push_back(&each);
  form.layout = broadcast_layout(function, all);
  return std::make_shared<const contraction_form>(std::move(form));
}

}  // namespace tessera
