// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads the value of an attribute without a tree of its parts.
///
/// Problem: an attribute may be a list of millions of numbers, and a parsed tree takes some ten
/// times the memory of its text.
///
/// Idea: the events of the parser go straight into the value: a list of integers, which becomes one
/// of doubles at its first fraction. Whatever fits no alternative is kept as text.

#include "json/document.hpp"
#include "json/scanner.hpp"
#include "json/values.hpp"
#include "zarr/attribute_json.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace tessera::detail {

namespace {

using json = nlohmann::json;

/// Takes the events of the parser.
class value_reader {
 public:
  explicit value_reader(std::string_view text) : text_(text) {}

  /// Returns the value, or nullopt if a string in it is no Unicode text. `is_read`: the parser has
  /// reached the end.
  [[nodiscard]] std::optional<attribute_value> finish(bool is_read) && {
    if (!is_read && !is_beyond_double_) return std::nullopt;
    if (is_other_ || !is_read) return json_text{std::string(text_)};
    return std::move(value_);
  }

  bool null() { return take_other(); }
  bool boolean(bool value) { return take(value); }
  bool number_integer(json::number_integer_t value) { return take(value); }
  bool number_unsigned(json::number_unsigned_t value) {
    constexpr std::uint64_t greatest = std::numeric_limits<std::int64_t>::max();
    return value <= greatest ? take(static_cast<std::int64_t>(value)) : take_other();
  }
  // The parser makes doubles of integers of more than 64 bits, too; they would lose digits.
  bool number_float(json::number_float_t value, const std::string& digits) {
    return digits.find_first_not_of("-0123456789") == digits.npos ? take_other() : take(value);
  }
  bool string(std::string& value) { return take(std::move(value)); }
  bool binary(json::binary_t& /*value*/) { return take_other(); }
  bool start_array(std::size_t /*size*/) {
    if (depth_++ > 0) return take_other();
    value_ = std::vector<std::int64_t>();
    return true;
  }
  bool end_array() {
    --depth_;
    return true;
  }
  bool start_object(std::size_t /*size*/) {
    ++depth_;
    return take_other();
  }
  bool key(std::string& /*name*/) { return true; }
  bool end_object() {
    --depth_;
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const json::exception& failure) {
    constexpr int number_overflow = 406;
    is_beyond_double_ = failure.id == number_overflow;
    return false;
  }

 private:
  bool take_other() {
    is_other_ = true;
    value_ = false;
    return true;
  }

  template <class T>
  bool take(T item) {
    if (is_other_) return true;
    if (depth_ == 0) {
      value_ = std::move(item);
      return true;
    }
    return take_item(std::move(item));
  }

  template <class T>
  bool take_item(T item) {
    if (auto* const list = std::get_if<std::vector<T>>(&value_); list != nullptr) {
      if (list->empty()) make_room(*list);
      list->push_back(std::move(item));
      return true;
    }
    auto* const integers = std::get_if<std::vector<std::int64_t>>(&value_);
    if (integers != nullptr && integers->empty()) {
      value_ = std::vector<T>();
      return take_item(std::move(item));
    }
    return take_number(item, integers);
  }

  /// Takes an item of another kind than the items before it.
  template <class T>
  bool take_number(const T& item, const std::vector<std::int64_t>* integers) {
    if constexpr (std::is_same_v<T, double>) {
      if (integers == nullptr) return take_other();
      std::vector<double> numbers;
      make_room(numbers);
      numbers.assign(integers->begin(), integers->end());
      value_ = std::move(numbers);
      return take_item(item);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      auto* const numbers = std::get_if<std::vector<double>>(&value_);
      if (numbers == nullptr) return take_other();
      numbers->push_back(static_cast<double>(item));
      return true;
    } else {
      return take_other();
    }
  }

  /// Reserves memory for the items of a list of nothing but numbers and words.
  template <class T>
  void make_room(std::vector<T>& list) const {
    if (text_.find_first_of("\"[{", 1) != text_.npos) return;
    list.reserve(static_cast<std::size_t>(std::ranges::count(text_, ',')) + 1);
  }

  std::string_view text_;
  attribute_value value_;
  int depth_ = 0;
  bool is_other_ = false;
  bool is_beyond_double_ = false;
};

/// Tells whether a double may hold the number `text`: integers beyond int64 would lose digits.
bool is_real(std::string_view text) {
  return text.find_first_of(".eE") != text.npos ||
         fields::integer_if(fields::parse(text)).has_value();
}

/// Returns the doubles of a list of numbers and bare words, or nullopt if it has another value.
std::optional<attribute_value> list_with_bare_words(std::string_view text) {
  std::vector<double> values;
  for (const std::string_view element : elements_of(text, "attribute")) {
    if (const std::optional<double> word = non_finite(element)) {
      values.push_back(*word);
      continue;
    }
    const json number = fields::parse_or_discard(element);
    if (!number.is_number() || !is_real(element)) return std::nullopt;
    values.push_back(number.get<double>());
  }
  return values;
}

/// Returns the value of `text`, JSON with bare words; `normalised` has them in quotes. A bare word
/// is a double, so that the text "NaN" in quotes stays a string.
std::optional<attribute_value> value_with_bare_words(std::string_view text,
                                                     std::string_view normalised) {
  if (const std::optional<double> word = non_finite(text)) return *word;
  try {
    if (fields::parse(normalised).is_array()) {
      if (auto list = list_with_bare_words(text)) return list;
    }
  } catch (const json::parse_error&) {
    return std::nullopt;
  } catch (const json::exception&) {
    // A number that no double holds.
  }
  return json_text{std::string(text)};
}

/// Tells whether `text` is a string that stands for itself.
bool is_plain_string(std::string_view text) {
  const auto is_plain = [](char c) { return c != '\\' && static_cast<unsigned char>(c) < 0x80; };
  return text.starts_with('"') && std::ranges::all_of(text, is_plain);
}

}  // namespace

std::optional<double> non_finite(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::optional<attribute_value> parse_attribute(std::string_view text) {
  if (is_plain_string(text)) return std::string(text.substr(1, text.size() - 2));
  if (text.find("NaN") != text.npos || text.find("Infinity") != text.npos) {
    const std::string normalised = normalised_json(text);
    if (normalised != text) return value_with_bare_words(text, normalised);
  }
  value_reader reader(text);
  const bool is_read = json::sax_parse(text, &reader);
  return std::move(reader).finish(is_read);
}

}  // namespace tessera::detail
