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
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <optional>
#include <type_traits>
#include <unordered_set>

namespace tessera {

namespace {

using json = nlohmann::json;

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
    if (const auto* text = std::get_if<std::string>(&value)) return detail::non_finite(*text);
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
///
/// The list of values is made once, in its size: an object may have a million members.
struct detail::attribute_parser {
  explicit attribute_parser(std::string_view called) : document(called) {}

  std::string_view document;
  attributes result = {};

  void add(std::string name, std::string_view name_text, std::string_view value_text) {
    attribute_value value;
    if (fields::parse_or_discard(name_text).is_discarded()) {
      unreadable_[result.values_.size()] = "its name is no Unicode text";
    } else if (auto parsed = parse_attribute(value_text)) {
      value = *std::move(parsed);
    } else {
      unreadable_[result.values_.size()] =
          "its value holds text that is no Unicode, such as a lone surrogate";
    }
    result.values_.emplace_back(std::move(name), std::move(value));
  }

  void reserve(std::size_t size) { result.values_.reserve(size); }

  /// Turns faulty members into faults, in the order of the members.
  void finish() {
    for (const auto& [number, why] : faults_by_number()) {
      const std::string& name = result.values_[number].first;
      result.faults_.push_back({name, fmt::format("{}: the attribute {} cannot be read: {}",
                                                  document, detail::quoted(shortened(name)), why)});
    }
    if (result.faults_.empty()) return;
    std::size_t number = 0;
    std::erase_if(result.values_, [&](const auto&) { return is_faulty_[number++]; });
  }

 private:
  /// Returns the texts of the faults by the numbers of the first members of their names.
  [[nodiscard]] std::map<std::size_t, std::string> faults_by_number() {
    const std::vector<attributes::value_type>& values = result.values_;
    std::vector<std::uint32_t> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t number) {
      return std::pair(std::string_view(values[number].first), number);
    });
    std::map<std::size_t, std::string> faults(unreadable_.begin(), unreadable_.end());
    is_faulty_.resize(values.size());
    for (const auto& [number, why] : faults) is_faulty_[number] = true;
    for (auto first = order.begin(); first != order.end();) {
      const auto end = std::find_if(first, order.end(), [&](std::uint32_t number) {
        return values[number].first != values[*first].first;
      });
      if (end - first > 1) {
        for (auto member = first; member != end; ++member) {
          faults.erase(*member);
          is_faulty_[*member] = true;
        }
        faults[*first] = fmt::format("its name occurs {} times", end - first);
      }
      first = end;
    }
    return faults;
  }

  /// The reasons by the numbers of the members.
  std::map<std::size_t, std::string_view> unreadable_ = {};
  std::vector<bool> is_faulty_ = {};
};

attributes detail::parse_attributes(std::string_view text, std::string_view document,
                                    std::span<const std::string_view> known) {
  attribute_parser parser(document);
  parser.reserve(count_members(text, document));
  for_each_member(text, document, [&](std::string_view name_text, std::string_view value_text) {
    std::string name = name_of_member(name_text);
    if (std::ranges::find(known, name) != known.end()) return;
    parser.add(std::move(name), name_text, value_text);
  });
  parser.finish();
  return std::move(parser.result);
}

attributes detail::select_attributes(std::string_view text, std::string_view document,
                                     std::span<const std::string_view> names) {
  attribute_parser parser(document);
  for_each_member(text, document, [&](std::string_view name_text, std::string_view value_text) {
    std::string name = name_of_member(name_text);
    if (std::ranges::find(names, name) == names.end()) return;
    parser.add(std::move(name), name_text, value_text);
  });
  parser.finish();
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
