// SPDX-License-Identifier: Apache-2.0
#include "json/scanner.hpp"

#include "tessera/core/error.hpp"

#include "json/values.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace tessera::detail {

namespace {

// Bounds the recursion, which is as deep as the value.
constexpr int greatest_depth = 64;
// A `json_member` takes some ten times the memory of the shortest member's text.
constexpr std::size_t greatest_num_members = 1'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_hexadecimal(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// A recursive descent over a text by the grammar of RFC 8259, in one pass and without values.
class scanner {
 public:
  scanner(std::string_view text, std::string_view document) : text_(text), document_(document) {}

  /// Calls `f(name, value)` with the texts of each member of the next object.
  template <class F>
  void take_object(F f) {
    take_list('{', '}', [&] {
      if (peek() != '"') refuse("the name of a member, in quotes");
      const std::size_t begin = at_;
      take_string();
      const std::string_view name = text_.substr(begin, at_ - begin);
      skip_blanks();
      if (!take(':')) refuse("a colon behind the name of a member");
      f(name, value());
    });
  }

  /// Calls `f(value)` with the text of each element of the next list.
  template <class F>
  void take_array(F f) {
    take_list('[', ']', [&] { f(value()); });
  }

  /// Returns the text of the next value.
  std::string_view value() {
    skip_blanks();
    const std::size_t begin = at_;
    take_value();
    return text_.substr(begin, at_ - begin);
  }

  /// Throws zarr_error unless the rest of the text is blank.
  void require_end() {
    skip_blanks();
    if (at_ != text_.size()) refuse("the end");
  }

  char next() {
    skip_blanks();
    return peek();
  }

  [[noreturn]] void refuse(std::string_view expected) const {
    if (at_ >= text_.size()) {
      throw zarr_error(fmt::format("{}: must be JSON, but ends after {} B where {} must be",
                                   document_, text_.size(), expected));
    }
    throw zarr_error(fmt::format("{}: must be JSON, but has {} at byte {} where {} must be",
                                 document_, excerpt(text_.substr(at_)), at_, expected));
  }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }

  void skip_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  template <class F>
  void take_list(char first, char last, F take_item) {
    skip_blanks();
    if (!take(first)) refuse(first == '{' ? "an object" : "a list");
    if (++depth_ > greatest_depth) {
      throw zarr_error(
          fmt::format("{}: JSON may be nested at most {} deep", document_, greatest_depth));
    }
    skip_blanks();
    bool has_more = !take(last);
    while (has_more) {
      skip_blanks();
      take_item();
      skip_blanks();
      has_more = take(',');
      if (!has_more && !take(last)) refuse("a comma or the end of a list or an object");
    }
    --depth_;
  }

  void take_value() {
    switch (peek()) {
      case '{':
        return take_object([](std::string_view, std::string_view) {});
      case '[':
        return take_array([](std::string_view) {});
      case '"':
        return take_string();
      default:
        if (is_digit(peek()) || !take_word()) take_number();
    }
  }

  bool take_word() {
    for (const std::string_view word : {"true", "false", "null", "NaN", "Infinity", "-Infinity"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return true;
    }
    return false;
  }

  void take_string() {
    ++at_;
    while (true) {
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
             static_cast<unsigned char>(text_[at_]) >= 0x20) {
        ++at_;
      }
      if (take('"')) return;
      if (!take('\\')) refuse("the end of a string");
      take_escape();
    }
  }

  void take_escape() {
    if (take('u')) {
      for (int i = 0; i < 4; ++i) {
        if (!is_hexadecimal(peek())) refuse("a digit of base 16");
        ++at_;
      }
      return;
    }
    constexpr std::string_view letters = "\"\\/bfnrt";
    if (at_ == text_.size() || letters.find(text_[at_]) == letters.npos) refuse("an escape");
    ++at_;
  }

  void take_digits() {
    if (!is_digit(peek())) refuse(is_number_ ? "a digit" : "a value");
    is_number_ = true;
    while (is_digit(peek())) ++at_;
  }

  void take_number() {
    is_number_ = take('-');
    if (take('0')) {
      is_number_ = true;
    } else {
      take_digits();
    }
    if (take('.')) take_digits();
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      take_digits();
    }
  }

  std::string_view text_;
  std::string_view document_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool is_number_ = false;
};

[[noreturn]] void refuse_members(std::string_view document) {
  throw zarr_error(
      fmt::format("{}: a JSON object may have at most {} members", document, greatest_num_members));
}

}  // namespace

void for_each_member(std::string_view text, std::string_view document,
                     const member_visitor& visit) {
  scanner scan(text, document);
  if (scan.next() != '{') {
    throw zarr_error(fmt::format("{}: must be a JSON object, found {}", document,
                                 text.empty() ? "an empty file" : excerpt(text)));
  }
  scan.take_object(visit);
  scan.require_end();
}

std::vector<json_member> members_of(std::string_view text, std::string_view document) {
  std::vector<json_member> members;
  for_each_member(text, document, [&](std::string_view name, std::string_view value) {
    if (members.size() == greatest_num_members) refuse_members(document);
    members.push_back({name_of_member(name), name, value});
  });
  return members;
}

std::size_t count_members(std::string_view text, std::string_view document) {
  std::size_t count = 0;
  for_each_member(text, document, [&](std::string_view, std::string_view) {
    if (count++ == greatest_num_members) refuse_members(document);
  });
  return count;
}

std::string name_of_member(std::string_view name) {
  const std::string_view inner = name.substr(1, name.size() - 2);
  const auto is_plain = [](char c) { return c != '\\' && static_cast<unsigned char>(c) < 0x80; };
  if (!std::all_of(inner.begin(), inner.end(), is_plain)) {
    const auto text = fields::parse_or_discard(name);
    if (text.is_string()) return text.get<std::string>();
  }
  return std::string(inner);
}

std::vector<std::string_view> elements_of(std::string_view text, std::string_view document) {
  std::vector<std::string_view> elements;
  scanner scan(text, document);
  scan.take_array([&](std::string_view value) { elements.push_back(value); });
  scan.require_end();
  return elements;
}

void require_json(std::string_view text, std::string_view document) {
  scanner scan(text, document);
  static_cast<void>(scan.value());
  scan.require_end();
}

std::string shortened(std::string_view name) {
  constexpr std::size_t longest = 80;
  return name.size() <= longest ? std::string(name) : fmt::format("{}...", name.substr(0, longest));
}

bool may_hold(std::string_view text, std::string_view part) {
  // An escape may stand for any character.
  return text.find(part) != std::string_view::npos || text.find('\\') != std::string_view::npos;
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string shown(text.substr(0, text.find_first_of("\n\r")));
  const bool is_cut = shown.size() > longest;
  if (is_cut) shown.resize(longest);
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) c = '?';
  }
  return fmt::format("'{}{}'", shown, is_cut ? "..." : "");
}

}  // namespace tessera::detail
