// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Signatures of functions of whole axes, as NumPy writes them: "(m,n),(n)->(m)".

#include "tessera/meta/fixed_string.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera {

/// A parsed signature: groups of letters, which stand for extents, one for each operand and then
/// one for each result.
struct gufunc_signature {
  static constexpr std::size_t most = 8;
  struct group {
    std::size_t rank = 0;
    /// Numbers of letters, in the order in which they occur first.
    std::array<std::uint8_t, most> letters{};
  };

  bool is_valid = false;
  std::size_t num_inputs = 0;
  std::size_t num_results = 0;
  std::array<group, 2 * most> groups{};
  std::size_t num_letters = 0;
  std::array<std::string_view, 2 * most> letters{};

  [[nodiscard]] constexpr const group& input(std::size_t i) const { return groups[i]; }
  [[nodiscard]] constexpr const group& result(std::size_t i) const {
    return groups[num_inputs + i];
  }
  /// Tells whether no result has an axis: functions return their elements then.
  [[nodiscard]] constexpr bool returns() const {
    for (std::size_t i = 0; i < num_results; ++i) {
      if (result(i).rank > 0) return false;
    }
    return true;
  }
  /// Tells whether an operand has letter `letter`.
  [[nodiscard]] constexpr bool is_of_operand(std::size_t letter) const {
    for (std::size_t i = 0; i < num_inputs; ++i) {
      for (std::size_t k = 0; k < groups[i].rank; ++k) {
        if (groups[i].letters[k] == letter) return true;
      }
    }
    return false;
  }
};

namespace detail {

constexpr bool is_in_name(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_';
}

/// Reads a signature from its first character to its last.
class signature_reader {
 public:
  constexpr explicit signature_reader(std::string_view text) : rest_(text) {}

  constexpr gufunc_signature read() {
    if (!read_groups(signature_.num_inputs) || !skip("->") ||
        !read_groups(signature_.num_results)) {
      return signature_;
    }
    skip_blanks();
    signature_.is_valid = rest_.empty();
    return signature_;
  }

 private:
  constexpr void skip_blanks() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  constexpr bool skip(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  constexpr bool read_groups(std::size_t& count) {
    do {
      if (count == gufunc_signature::most || !read_group()) return false;
      ++count;
    } while (skip(","));
    return true;
  }

  constexpr bool read_group() {
    gufunc_signature::group& group = signature_.groups[next_++];
    if (!skip("(")) return false;
    if (skip(")")) return true;
    do {
      skip_blanks();
      std::size_t length = 0;
      while (length < rest_.size() && is_in_name(rest_[length])) ++length;
      if (length == 0 || group.rank == gufunc_signature::most) return false;
      const std::size_t letter = number_of(rest_.substr(0, length));
      if (letter == signature_.letters.size()) return false;
      group.letters[group.rank++] = static_cast<std::uint8_t>(letter);
      rest_.remove_prefix(length);
    } while (skip(","));
    return skip(")");
  }

  constexpr std::size_t number_of(std::string_view name) {
    for (std::size_t i = 0; i < signature_.num_letters; ++i) {
      if (signature_.letters[i] == name) return i;
    }
    if (signature_.num_letters == signature_.letters.size()) return signature_.num_letters;
    signature_.letters[signature_.num_letters] = name;
    return signature_.num_letters++;
  }

  std::string_view rest_;
  gufunc_signature signature_;
  std::size_t next_ = 0;
};

}  // namespace detail

/// The parsed signature `Text`; not valid if it is no signature.
template <fixed_string Text>
inline constexpr gufunc_signature signature_of = detail::signature_reader(Text.view()).read();

}  // namespace tessera
