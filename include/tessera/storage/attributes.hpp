// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The attributes of an array or a group: names and small values.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace detail {
struct attribute_parser;
}  // namespace detail

/// JSON that no other alternative of `attribute_value` can hold: null, objects, nested lists,
/// integers beyond int64.
struct json_text {
  std::string text;
  [[nodiscard]] bool operator==(const json_text&) const = default;
};

/// The value of an attribute.
using attribute_value = std::variant<bool, std::int64_t, double, std::string, std::vector<bool>,
                                     std::vector<std::int64_t>, std::vector<double>,
                                     std::vector<std::string>, json_text>;

/// Names with their values, in the order in which they were set.
///
/// A fault of attributes that were read is thrown as zarr_error when they are used: a fault of one
/// attribute by `find` and by functions that take its name, each fault by functions of all of them.
class attributes {
 public:
  using value_type = std::pair<std::string, attribute_value>;

  attributes();
  attributes(const attributes&);
  attributes(attributes&&) noexcept;
  attributes& operator=(const attributes&);
  attributes& operator=(attributes&&) noexcept;
  ~attributes();

  attributes(std::initializer_list<value_type> values);
  /// Throws: value_error <- a name occurs twice.
  explicit attributes(std::vector<value_type> values);

  /// Returns the attributes that `json`, a JSON object, holds. `NaN`, `Infinity` and `-Infinity`,
  /// which Python writes as bare words, are doubles; in quotes they are strings. A name that occurs
  /// twice and text that is not Unicode are wrong with one attribute.
  ///
  /// Throws: zarr_error <- `json` is no JSON object.
  [[nodiscard]] static attributes parse(std::string_view json);

  /// Returns attributes that could not be read at all: each use throws the message `why`.
  [[nodiscard]] static attributes unreadable(std::string why);

  /// Returns the attributes as a JSON object. Doubles that JSON does not have become the bare words
  /// NaN, Infinity, -Infinity, as Python writes and reads them.
  [[nodiscard]] std::string to_json() const;

  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const value_type* begin() const;
  [[nodiscard]] const value_type* end() const;
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }

  /// Returns the value of `name`, a null pointer if there is none.
  [[nodiscard]] const attribute_value* find(std::string_view name) const;

  /// Returns the value of `name` as a `T`, one of the alternatives of `attribute_value`. Integers,
  /// of any size, and the strings "NaN", "Infinity", "-Infinity" convert to double, empty lists to
  /// any list.
  ///
  /// Throws: value_error <- there is no such attribute, or it holds something else.
  template <class T>
  [[nodiscard]] T get(std::string_view name) const;

  /// Makes `value` the value of `name`, at the place of the old one or at the end. Nothing is wrong
  /// with it any more.
  void set(std::string_view name, attribute_value value);

  /// Removes `name` if it is there.
  void erase(std::string_view name);

  /// Compares values as they are written: a NaN equals itself.
  [[nodiscard]] bool operator==(const attributes& rhs) const;

 private:
  /// A fault of the attribute `name`, or of all of them.
  struct fault {
    std::optional<std::string> name;
    std::string why;
    [[nodiscard]] bool operator==(const fault&) const = default;
  };

  /// Returns all attributes. Throws: zarr_error <- something is wrong with one of them.
  [[nodiscard]] const std::vector<value_type>& checked_values() const;
  void mend(std::string_view name);

  friend struct detail::attribute_parser;

  std::vector<value_type> values_;
  std::vector<fault> faults_;
};

}  // namespace tessera
