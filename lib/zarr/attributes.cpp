// SPDX-License-Identifier: Apache-2.0
#include "tessera/storage/attributes.hpp"

#include "tessera/core/error.hpp"

#include "json/document.hpp"
#include "json/scanner.hpp"
#include "json/values.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/attribute_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

namespace tessera {

namespace {

using json = nlohmann::json;

/// Returns `list` as a vector of `T` if `is_a` holds for each of its elements.
template <class T>
std::optional<attribute_value> list_of(const json& list, bool (json::*is_a)() const noexcept) {
  std::vector<T> values;
  for (const json& item : list) {
    if (!(item.*is_a)()) return std::nullopt;
    values.push_back(item.get<T>());
  }
  return values;
}

bool is_int64(const json& value) { return fields::integer_if(value).has_value(); }

/// Returns the number of a bare word of Python's JSON, or of the same text in a string.
std::optional<double> non_finite(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

/// Tells whether a double may hold the number `text`: integers beyond int64 would lose digits.
bool is_real(std::string_view text) {
  return text.find_first_of(".eE") != text.npos || is_int64(fields::parse(text));
}

std::optional<attribute_value> list_value(const json& list, std::string_view text) {
  if (std::all_of(list.begin(), list.end(), is_int64)) {
    return list.get<std::vector<std::int64_t>>();
  }
  if (auto values = list_of<double>(list, &json::is_number)) {
    const auto elements = detail::elements_of(text, "attribute");
    if (std::all_of(elements.begin(), elements.end(), is_real)) return values;
    return std::nullopt;
  }
  if (auto values = list_of<std::string>(list, &json::is_string)) return values;
  return list_of<bool>(list, &json::is_boolean);
}

/// Returns the doubles of a list of numbers and bare words, or nullopt if it has another value.
std::optional<attribute_value> list_with_bare_words(std::string_view text) {
  std::vector<double> values;
  for (const std::string_view element : detail::elements_of(text, "attribute")) {
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

/// Returns the value of `text`, JSON with bare words.
///
/// A bare word is a double, so that the text "NaN" in quotes stays a string. Throws: as `value_of`.
attribute_value value_with_bare_words(const std::string& text) {
  if (const std::optional<double> word = non_finite(text)) return *word;
  const json checked = fields::parse(detail::normalised_json(text));
  if (checked.is_array()) {
    if (auto list = list_with_bare_words(text)) return *std::move(list);
  }
  return json_text{text};
}

/// Returns the value of `text`, well-formed JSON. Throws: json::exception <- a string is no Unicode
/// text, or a number no double.
attribute_value value_of(const std::string& text) {
  if (detail::normalised_json(text) != text) return value_with_bare_words(text);
  const json value = fields::parse(text);
  if (value.is_boolean()) return value.get<bool>();
  if (is_int64(value)) return value.get<std::int64_t>();
  if (value.is_number_float() && is_real(text)) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) {
    if (auto list = list_value(value, text)) return *std::move(list);
  }
  return json_text{text};
}

std::string format_double(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

struct formatter {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return format_double(value); }
  std::string operator()(const std::string& value) const { return detail::quoted(value); }
  std::string operator()(const json_text& value) const {
    detail::require_json(value.text, "attribute");
    return value.text;
  }
  template <class T>
  std::string operator()(const std::vector<T>& values) const {
    std::string text = "[";
    for (const T& value : values) {
      if (text.size() > 1) text += ", ";
      text += (*this)(value);
    }
    return text + "]";
  }
};

/// Returns the number, or the list of numbers, of a JSON value, or nullopt for any other value.
template <class T>
std::optional<T> numbers_of(const json_text& text) {
  const json value = fields::parse_or_discard(text.text);
  if constexpr (std::is_same_v<T, double>) {
    if (value.is_number()) return value.get<double>();
  } else if (value.is_array() && std::all_of(value.begin(), value.end(),
                                             [](const json& item) { return item.is_number(); })) {
    return value.get<T>();
  }
  return std::nullopt;
}

template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};

std::string_view type_name(const attribute_value& value) {
  constexpr std::array<std::string_view, std::variant_size_v<attribute_value>> names{
      "bool",
      "std::int64_t",
      "double",
      "std::string",
      "std::vector<bool>",
      "std::vector<std::int64_t>",
      "std::vector<double>",
      "std::vector<std::string>",
      "tessera::json_text"};
  return names[value.index()];
}

/// Returns the names of `values` for a message.
std::string list_names(const std::vector<attributes::value_type>& values) {
  constexpr std::size_t most = 20;
  if (values.empty()) return "there are no attributes";
  std::string text = "there are ";
  for (std::size_t i = 0; i < std::min(most, values.size()); ++i) {
    if (i > 0) text += ", ";
    text += detail::quoted(values[i].first);
  }
  if (values.size() > most) text += fmt::format(" and {} more", values.size() - most);
  return text;
}

/// Returns `value` as a `T`, or nullopt if the conversion would lose digits.
template <class T>
std::optional<T> converted(const attribute_value& value) {
  if (const T* same = std::get_if<T>(&value)) return *same;
  const auto* integers = std::get_if<std::vector<std::int64_t>>(&value);
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::vector<double>>) {
    if (const auto* text = std::get_if<json_text>(&value)) return numbers_of<T>(*text);
  }
  if constexpr (std::is_same_v<T, double>) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<T>(*number);
    if (const auto* text = std::get_if<std::string>(&value)) return non_finite(*text);
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    if (integers != nullptr) return T(integers->begin(), integers->end());
  } else if constexpr (is_vector<T>::value) {
    if (integers != nullptr && integers->empty()) return T{};
  }
  return std::nullopt;
}

}  // namespace

std::string detail::format_attribute(const attribute_value& value) {
  return std::visit(formatter{}, value);
}

attributes::attributes() = default;
attributes::attributes(const attributes&) = default;
attributes::attributes(attributes&&) noexcept = default;
attributes& attributes::operator=(const attributes&) = default;
attributes& attributes::operator=(attributes&&) noexcept = default;
attributes::~attributes() = default;

attributes::attributes(std::initializer_list<value_type> values) {
  for (const auto& [name, value] : values) set(name, value);
}

attributes::attributes(std::vector<value_type> values) : values_(std::move(values)) {
  std::unordered_set<std::string_view> names;
  for (const auto& [name, value] : values_) {
    if (names.insert(name).second) continue;
    throw value_error(fmt::format("attribute {}: is given twice", detail::quoted(name)));
  }
}

/// Builds attributes from JSON members. A faulty member becomes a fault, which its first use
/// throws.
struct detail::attribute_parser {
  std::string_view document;
  attributes result = {};

  void add(const json_member& member) {
    if (is_faulty(member.name)) return;
    std::string text(member.value_text);
    try {
      if (fields::parse_or_discard(member.name_text).is_discarded()) {
        return refuse(member.name, "its name is no Unicode text");
      }
      result.values_.emplace_back(member.name, value_of(text));
    } catch (const json::parse_error&) {
      refuse(member.name, "its value holds text that is no Unicode, such as a lone surrogate");
    } catch (const json::exception&) {
      // A number that no double holds.
      result.values_.emplace_back(member.name, json_text{std::move(text)});
    }
  }

  void refuse(const std::string& name, std::string_view why) {
    result.faults_.push_back({name, fmt::format("{}: the attribute {} cannot be read: {}", document,
                                                detail::quoted(shortened(name)), why)});
  }

 private:
  [[nodiscard]] bool is_faulty(const std::string& name) const {
    return std::any_of(result.faults_.begin(), result.faults_.end(),
                       [&](const auto& entry) { return entry.name == name; });
  }
};

attributes detail::parse_attributes(std::string_view text, std::string_view document,
                                    std::span<const std::string_view> known) {
  const std::vector<json_member> members = members_of(text, document);
  std::unordered_map<std::string_view, int> counts;
  for (const json_member& member : members) ++counts[member.name];
  attribute_parser parser{document};
  for (const json_member& member : members) {
    if (std::find(known.begin(), known.end(), member.name) != known.end()) continue;
    int& count = counts[member.name];
    if (count == 1) {
      parser.add(member);
    } else if (count > 1) {
      parser.refuse(member.name, fmt::format("its name occurs {} times", count));
      count = 0;
    }
  }
  return std::move(parser.result);
}

attributes attributes::parse(std::string_view text) {
  return detail::parse_attributes(text, detail::default_format().attributes_key);
}

attributes attributes::unreadable(std::string why) {
  attributes result;
  result.faults_.push_back({std::nullopt, std::move(why)});
  return result;
}

std::size_t attributes::size() const { return checked_values().size(); }

const attributes::value_type* attributes::begin() const { return checked_values().data(); }

const attributes::value_type* attributes::end() const { return begin() + size(); }

const std::vector<attributes::value_type>& attributes::checked_values() const {
  if (!faults_.empty()) throw zarr_error(faults_.front().why);
  return values_;
}

std::string attributes::to_json() const {
  if (empty()) return "{}";
  std::string text = "{";
  for (const auto& [name, value] : values_) {
    text += text.size() > 1 ? ",\n    " : "\n    ";
    text += detail::quoted(name) + ": " + detail::format_attribute(value);
  }
  return text + "\n}";
}

const attribute_value* attributes::find(std::string_view name) const {
  for (const fault& entry : faults_) {
    if (!entry.name || *entry.name == name) throw zarr_error(entry.why);
  }
  for (const value_type& item : values_) {
    if (item.first == name) return &item.second;
  }
  return nullptr;
}

template <class T>
T attributes::get(std::string_view name) const {
  const attribute_value* value = find(name);
  if (value == nullptr) {
    throw value_error(
        fmt::format("attribute \"{}\": there is none; {}", name, list_names(values_)));
  }
  if (std::optional<T> result = converted<T>(*value)) return *std::move(result);
  throw value_error(fmt::format("attribute \"{}\" is not a {}, found {}; get<{}> returns it", name,
                                type_name(attribute_value(T{})),
                                detail::excerpt(std::visit(formatter{}, *value)),
                                type_name(*value)));
}

template bool attributes::get(std::string_view) const;
template std::int64_t attributes::get(std::string_view) const;
template double attributes::get(std::string_view) const;
template std::string attributes::get(std::string_view) const;
template std::vector<bool> attributes::get(std::string_view) const;
template std::vector<std::int64_t> attributes::get(std::string_view) const;
template std::vector<double> attributes::get(std::string_view) const;
template std::vector<std::string> attributes::get(std::string_view) const;
template json_text attributes::get(std::string_view) const;

bool attributes::operator==(const attributes& rhs) const {
  const auto is_same = [](const value_type& a, const value_type& b) {
    return a == b || (a.first == b.first && a.second.index() == b.second.index() &&
                      detail::format_attribute(a.second) == detail::format_attribute(b.second));
  };
  return faults_ == rhs.faults_ && std::ranges::equal(values_, rhs.values_, is_same);
}

void attributes::mend(std::string_view name) {
  std::erase_if(faults_, [&](const fault& entry) { return entry.name == name; });
}

void attributes::set(std::string_view name, attribute_value value) {
  mend(name);
  for (value_type& item : values_) {
    if (item.first == name) {
      item.second = std::move(value);
      return;
    }
  }
  values_.emplace_back(std::string(name), std::move(value));
}

void attributes::erase(std::string_view name) {
  mend(name);
  std::erase_if(values_, [&](const value_type& item) { return item.first == name; });
}

}  // namespace tessera
