// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/contraction_node.hpp"

#include "tessera/core/error.hpp"

#include "core/api/element_count.hpp"
#include "expr/api/grown_chunks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace tessera {
namespace {

/// Returns the letters of `group`, with its dots expanded for an operand of `rank` axes.
std::string expand_dots(const subscripts::group& group, std::size_t rank) {
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

/// The axis of an operand that determines the extent of a letter.
struct named_axis {
  std::size_t operand = 0;
  std::size_t axis = 0;
  /// The extent of the axis; valid if `is_known`.
  index_t extent = 1;
  bool is_known = false;
};

/// The extents of all letters. Checks that operands agree.
class letter_extents {
 public:
  letter_extents(std::string_view function, const contraction_letters& letters,
                 operand_layouts operands)
      : function_(function), letters_(letters), operands_(operands) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      for (std::size_t axis = 0; axis < letters.operands[i].size(); ++axis) note(i, axis);
    }
  }

  [[nodiscard]] index_t operator[](char letter) const { return entry(letter).extent; }

 private:
  [[nodiscard]] const named_axis& entry(char letter) const {
    return axes_[static_cast<unsigned char>(letter)];
  }

  void note(std::size_t operand, std::size_t axis) {
    const char letter = letters_.operands[operand][axis];
    const index_t extent = operands_[operand]->shape[axis];
    const bool is_broadcast = contraction_letters::is_broadcast(letter);
    named_axis& first_axis = axes_[static_cast<unsigned char>(letter)];
    if (!first_axis.is_known || (is_broadcast && first_axis.extent == 1)) {
      first_axis = {operand, axis, extent, true};
      return;
    }
    if (first_axis.extent == extent || (is_broadcast && extent == 1)) return;
    const std::string rule =
        is_broadcast            ? "they are broadcast, so they must be equal or 1"
        : function_ == "einsum" ? fmt::format("'{}' stands for both, so they must be equal", letter)
                                : "they go together, so they must be equal";
    throw shape_error(
        fmt::format("{}: axis {} of array {}, of shape {}, has {} elements, and axis {} of array "
                    "{}, of shape {}, has {}; {}",
                    function_, first_axis.axis, first_axis.operand,
                    format_shape(operands_[first_axis.operand]->shape), first_axis.extent, axis,
                    operand, format_shape(operands_[operand]->shape), extent, rule));
  }

  std::string_view function_;
  const contraction_letters& letters_;
  operand_layouts operands_;
  std::array<named_axis, 128> axes_{};
};

/// Returns the layout of `operand`, whose axes are `letters`, along the axes of the result.
array_layout layout_along(const std::string& result, const std::string& letters,
                          const array_layout& operand, const letter_extents& extents) {
  array_layout layout{{}, {}, operand.spec, operand.is_automatic};
  std::vector<std::string> names;
  for (const char letter : result) {
    index_t chunk = 0;
    std::string name;
    for (std::size_t axis = 0; axis < letters.size(); ++axis) {
      if (letters[axis] != letter || operand.shape[axis] != extents[letter]) continue;
      chunk = chunk == 0 ? operand.chunks[axis] : std::min(chunk, operand.chunks[axis]);
      if (name.empty()) name = operand.names[axis];
    }
    layout.shape.push_back(chunk == 0 ? 1 : extents[letter]);
    layout.chunks.push_back(std::max<index_t>(1, chunk));
    names.push_back(std::move(name));
  }
  layout.names = axis_names(std::move(names));
  return layout;
}

/// The chunks of a product of two arrays, along the axes that only one of them has.
///
/// A block of `m` rows and `n` columns reads the first array once for each `n` columns, and the
/// second once for each `m` rows. Chunks of few rows and columns would read them many times.
class product_chunks {
 public:
  product_chunks(const contraction_form& form, index_vector& chunks)
      : form_(form), chunks_(chunks) {
    for (std::size_t k = 0; k < form.result.size(); ++k) {
      const std::optional<std::size_t> owner = only_operand_along(k);
      if (owner) axes_[*owner].push_back(k);
    }
  }

  /// Lengthens chunks of few rows or columns if the arrays would be read many times.
  void lengthen() {
    if (elements_read() <= few_elements) return;
    while (elements_read() > most_reads * elements_of_operands()) {
      const std::size_t shorter = count(chunks_, 0) <= count(chunks_, 1) ? 0 : 1;
      if (!lengthen_side(shorter) && !lengthen_side(1 - shorter)) return;
    }
  }

 private:
  /// Rows and columns are not lengthened beyond this.
  static constexpr double enough_elements = 256;
  /// Arrays may be read so often. If blocks read so few elements, chunks stay.
  static constexpr double most_reads = 8;
  static constexpr double few_elements = 4e9;

  /// Returns the operand along whose axes axis `k` of the result goes, or nullopt if both have it.
  [[nodiscard]] std::optional<std::size_t> only_operand_along(std::size_t k) const {
    const bool is_of_a = has(0, k);
    const bool is_of_b = has(1, k);
    if (is_of_a == is_of_b) return std::nullopt;
    return is_of_a ? 0 : 1;
  }

  /// Tells whether an operand varies along axis `k` of the result.
  [[nodiscard]] bool has(std::size_t operand, std::size_t k) const {
    const contraction_form::operand& factor = form_.operands[operand];
    for (std::size_t axis = 0; axis < factor.letters.size(); ++axis) {
      if (factor.letters[axis] == form_.result[k] && factor.shape[axis] == shape()[k]) return true;
    }
    return false;
  }

  [[nodiscard]] const index_vector& shape() const { return form_.layout.shape; }

  /// Returns the product of `extents` along the axes of one operand alone.
  [[nodiscard]] double count(const index_vector& extents, std::size_t operand) const {
    double elements = 1;
    for (const std::size_t axis : axes_[operand]) elements *= static_cast<double>(extents[axis]);
    return elements;
  }

  [[nodiscard]] double elements_of_operands() const {
    return element_count(form_.operands[0].shape) + element_count(form_.operands[1].shape);
  }

  /// Returns the number of elements that all blocks read.
  [[nodiscard]] double elements_read() const {
    double read = 0;
    for (std::size_t operand = 0; operand < axes_.size(); ++operand) {
      double blocks = 1;
      for (const std::size_t axis : axes_[1 - operand]) {
        blocks *= static_cast<double>(ceil_divide(shape()[axis], chunks_[axis]));
      }
      read += element_count(form_.operands[operand].shape) * blocks;
    }
    return read;
  }

  /// Doubles the chunks along the last axis of an operand that has several. Returns false if
  /// chunks stay.
  bool lengthen_side(std::size_t operand) {
    if (count(chunks_, operand) >= enough_elements) return false;
    if (element_count(chunks_) > most_elements_of_grown_chunk / 2) return false;
    for (std::size_t i = axes_[operand].size(); i-- > 0;) {
      const std::size_t axis = axes_[operand][i];
      if (chunks_[axis] >= shape()[axis]) continue;
      chunks_[axis] = std::min(2 * chunks_[axis], shape()[axis]);
      return true;
    }
    return false;
  }

  const contraction_form& form_;
  index_vector& chunks_;
  /// The axes of the result that only the first array has, and those that only the second has.
  std::array<std::vector<std::size_t>, 2> axes_;
};

/// Tells whether a contraction is a product of two arrays that sums along an axis of both.
bool is_matrix_product(const contraction_form& form) {
  if (form.operands.size() != 2) return false;
  return std::ranges::any_of(form.operands[0].letters, [&](char letter) {
    return form.operands[1].letters.find(letter) != std::string::npos &&
           form.result.find(letter) == std::string::npos;
  });
}

}  // namespace

std::string contraction_letters::broadcast(std::size_t number) {
  std::string letters;
  for (std::size_t k = number; k > 0; --k) letters += static_cast<char>(k);
  return letters;
}

contraction_letters letters_of(const subscripts& notation, std::span<const std::size_t> ranks) {
  contraction_letters letters;
  std::size_t most_broadcast = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    letters.operands.push_back(expand_dots(notation.operands[i], ranks[i]));
    if (notation.operands[i].has(subscripts::group::dots)) {
      most_broadcast = std::max(most_broadcast, ranks[i] - (notation.operands[i].size - 1));
    }
  }
  letters.result = expand_dots(notation.result, notation.result_rank(most_broadcast));
  return letters;
}

contraction_letters letters_of_pairs(std::size_t rank_a, std::size_t rank_b,
                                     std::span<const std::size_t> axes_of_a,
                                     std::span<const std::size_t> axes_of_b) {
  contraction_letters letters{{std::string(rank_a, '\0'), std::string(rank_b, '\0')}, {}};
  char next_letter = '!';
  for (std::size_t k = 0; k < axes_of_a.size(); ++k) {
    letters.operands[0][axes_of_a[k]] = letters.operands[1][axes_of_b[k]] = next_letter++;
  }
  for (std::string& operand : letters.operands) {
    for (char& letter : operand) {
      if (letter != '\0') continue;
      letter = next_letter++;
      letters.result += letter;
    }
  }
  return letters;
}

contraction_letters letters_along(std::size_t rank_a, std::size_t axis_of_a, std::size_t rank_b,
                                  std::size_t axis_of_b) {
  const auto letters = [](std::size_t rank, std::size_t summed) {
    return contraction_letters::broadcast(rank - 1).insert(summed, 1, 'k');
  };
  return {{letters(rank_a, axis_of_a), letters(rank_b, axis_of_b)},
          contraction_letters::broadcast(std::max(rank_a, rank_b) - 1)};
}

std::shared_ptr<const contraction_form> contract_form(std::string_view function,
                                                      const contraction_letters& letters,
                                                      operand_layouts operands) {
  const letter_extents extents(function, letters, operands);
  contraction_form form{{}, letters.result, {}};
  std::vector<array_layout> layouts;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    form.operands.push_back({letters.operands[i], operands[i]->shape, operands[i]->chunks});
    layouts.push_back(layout_along(letters.result, letters.operands[i], *operands[i], extents));
  }
  std::vector<const array_layout*> pointers;
  for (const array_layout& layout : layouts) pointers.push_back(&layout);
  form.layout = broadcast_layout(function, pointers, elements_of_largest_chunk(operands));
  if (is_matrix_product(form)) product_chunks(form, form.layout.chunks).lengthen();
  return std::make_shared<const contraction_form>(std::move(form));
}

}  // namespace tessera
