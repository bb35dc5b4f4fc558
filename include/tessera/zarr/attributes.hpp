// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The attributes of an array or a group: names and small values.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

/// JSON that no other alternative of `attribute_value` can hold: null, objects, nested lists.
struct json_text {
  std::string text;
  [[nodiscard]] bool operator==(const json_text&) const = default;
};

/// The value of an attribute.
using attribute_value = std::variant<bool, std::int64_t, double, std::string, std::vector<bool>,
                                     std::vector<std::int64_t>, std::vector<double>,
                                     std::vector<std::string>, json_text>;

/// Names with their values, in the order in which they were set.
class attributes {
 public:
  using value_type = std::pair<std::string, attribute_value>;

  attributes() = default;
  attributes(std::initializer_list<value_type> values);
  /// Throws: value_error <- a name occurs twice.
  explicit attributes(std::vector<value_type> values);

  /// Returns the attributes that `json`, a JSON object, holds. `NaN`, `Infinity` and `-Infinity`,
  /// which Python writes as bare words, are read as if they stood in quotes.
  ///
  /// Throws: zarr_error <- `json` is no JSON object.
  [[nodiscard]] static attributes parse(std::string_view json);

  /// Returns the attributes as a JSON object. Doubles that JSON does not have become "NaN",
  /// "Infinity", "-Infinity".
  [[nodiscard]] std::string to_json() const;

  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] auto begin() const { return values_.begin(); }
  [[nodiscard]] auto end() const { return values_.end(); }
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }

  /// Returns the value of `name`, a null pointer if there is none.
  [[nodiscard]] const attribute_value* find(std::string_view name) const;

  /// Returns the value of `name` as a `T`, one of the alternatives of `attribute_value`. Integers
  /// and the strings "NaN", "Infinity", "-Infinity" convert to double, empty lists to any list.
  ///
  /// Throws: value_error <- there is no such attribute, or it holds something else.
  template <class T>
  [[nodiscard]] T get(std::string_view name) const;

  /// Makes `value` the value of `name`, at the place of the old one or at the end.
  void set(std::string_view name, attribute_value value);

  /// Removes `name` if it is there.
  void erase(std::string_view name);

  [[nodiscard]] bool operator==(const attributes&) const = default;

 private:
  std::vector<value_type> values_;
};

}  // namespace tessera
