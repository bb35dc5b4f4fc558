// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Subscripts of sums of products, as NumPy's einsum writes them: "bij,bjk->bik".

#include "tessera/meta/fixed_string.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace tessera {

/// Parsed subscripts: a letter for each axis of each operand, and of the result.
struct subscripts {
  static constexpr std::size_t most_operands = 16;
  /// Letters of one operand; three dots, which stand for as many axes as there are besides, are
  /// the one character `dots`.
  struct group {
    static constexpr std::size_t most = 32;
    static constexpr char dots = '.';

    std::array<char, most> letters{};
    std::size_t size = 0;

    [[nodiscard]] constexpr std::string_view view() const { return {letters.data(), size}; }
    [[nodiscard]] constexpr std::size_t count(char letter) const {
      std::size_t number = 0;
      for (std::size_t k = 0; k < size; ++k) number += letters[k] == letter ? 1 : 0;
      return number;
    }
    [[nodiscard]] constexpr bool has(char letter) const { return count(letter) > 0; }
  };

  bool is_valid = false;
  std::size_t num_operands = 0;
  std::array<group, most_operands> operands{};
  group result{};

  /// Tells whether operand `i` can have `rank` axes.
  [[nodiscard]] constexpr bool fits(std::size_t i, std::size_t rank) const {
    const group& of = operands[i];
    return of.has(group::dots) ? of.size - 1 <= rank : of.size == rank;
  }
  /// Tells whether everything in the result is in an operand, and the dots of operands in it.
  [[nodiscard]] constexpr bool is_known() const {
    for (std::size_t k = 0; k < result.size; ++k) {
      if (!is_of_operand(result.letters[k])) return false;
    }
    return !is_of_operand(group::dots) || result.has(group::dots);
  }
  /// Tells whether no letter is in the result twice.
  [[nodiscard]] constexpr bool is_distinct() const {
    for (std::size_t k = 0; k < result.size; ++k) {
      if (result.count(result.letters[k]) > 1) return false;
    }
    return true;
  }
  [[nodiscard]] constexpr bool is_of_operand(char letter) const {
    for (std::size_t i = 0; i < num_operands; ++i) {
      if (operands[i].has(letter)) return true;
    }
    return false;
  }
  /// Returns the rank of the result if the dots stand for `num_dotted` axes.
  [[nodiscard]] constexpr std::size_t result_rank(std::size_t num_dotted) const {
    return result.has(group::dots) ? result.size - 1 + num_dotted : result.size;
  }
};

namespace detail {

/// Reads subscripts from their first character to their last.
class subscripts_reader {
 public:
  constexpr explicit subscripts_reader(std::string_view text) : rest_(text) {}

  constexpr subscripts read() {
    do {
      if (subscripts_.num_operands == subscripts::most_operands) return subscripts_;
      if (!read_group(subscripts_.operands[subscripts_.num_operands++])) return subscripts_;
    } while (skip(","));
    if (!skip("->")) {
      imply_result();
    } else if (!read_group(subscripts_.result)) {
      return subscripts_;
    }
    subscripts_.is_valid = rest_.empty();
    return subscripts_;
  }

 private:
  static constexpr bool is_letter(char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z');
  }

  constexpr void skip_blanks() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  constexpr bool skip(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  /// Returns false if there are more letters than an array has axes, or dots twice.
  constexpr bool read_group(subscripts::group& group) {
    for (;;) {
      char next = subscripts::group::dots;
      if (skip("...")) {
        if (group.has(next)) return false;
      } else if (!rest_.empty() && is_letter(rest_.front())) {
        next = rest_.front();
        rest_.remove_prefix(1);
      } else {
        return true;
      }
      if (!add(group, next)) return false;
    }
  }

  static constexpr bool add(subscripts::group& group, char letter) {
    if (group.size == subscripts::group::most) return false;
    group.letters[group.size++] = letter;
    return true;
  }

  /// The dots, and then the letters that occur once, in the order of their codes.
  constexpr void imply_result() {
    if (subscripts_.is_of_operand(subscripts::group::dots)) {
      add(subscripts_.result, subscripts::group::dots);
    }
    for (char letter = 'A'; letter <= 'z'; ++letter) {
      std::size_t count = 0;
      for (std::size_t i = 0; i < subscripts_.num_operands; ++i) {
        count += subscripts_.operands[i].count(letter);
      }
      if (count == 1) add(subscripts_.result, letter);
    }
  }

  std::string_view rest_;
  subscripts subscripts_;
};

}  // namespace detail

/// The parsed subscripts `Text`; not valid if they are no subscripts.
template <fixed_string Text>
inline constexpr subscripts subscripts_of = detail::subscripts_reader(Text.view()).read();

}  // namespace tessera
