// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Calls of functions by their names in the Python Array API standard, as they come in through a
/// pipe, and answers.
///
/// A call is a line "name number-of-arguments", and a line for each argument: "a dtype extents"
/// with the bytes of the elements behind it, "i integers", "s text" or "n" for none; integers and
/// extents are separated by commas. An answer is "ok number-of-arrays" and such a line with bytes
/// for each array, or "error kind message".

#include "tessera/array/any_array.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tessera::array_api {

/// A call of a function, or with an argument, that is not there.
struct bad_call : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns the dtype of a name.
[[nodiscard]] dtype dtype_named(std::string_view name);

/// The arguments of a call, by their places.
class call {
 public:
  using argument = std::variant<std::monostate, any_array, std::vector<index_t>, std::string>;

  explicit call(std::vector<argument> arguments) : arguments_(std::move(arguments)) {}

  [[nodiscard]] std::size_t size() const { return arguments_.size(); }
  [[nodiscard]] bool is_none(std::size_t i) const { return arguments_.at(i).index() == 0; }
  [[nodiscard]] bool is_array(std::size_t i) const { return arguments_.at(i).index() == 1; }
  [[nodiscard]] const any_array& array(std::size_t i) const { return at<any_array>(i, "an array"); }
  [[nodiscard]] const std::vector<index_t>& integers(std::size_t i) const {
    return at<std::vector<index_t>>(i, "integers");
  }
  [[nodiscard]] index_vector extents(std::size_t i) const {
    return index_vector(integers(i).begin(), integers(i).end());
  }
  [[nodiscard]] index_t integer(std::size_t i) const { return integers(i).at(0); }
  [[nodiscard]] bool flag(std::size_t i) const { return integer(i) != 0; }
  [[nodiscard]] const std::string& text(std::size_t i) const { return at<std::string>(i, "text"); }
  [[nodiscard]] double number(std::size_t i) const { return std::stod(text(i)); }
  [[nodiscard]] dtype type(std::size_t i) const { return dtype_named(text(i)); }
  /// All arguments from `first` on, which are arrays.
  [[nodiscard]] std::vector<any_array> arrays(std::size_t first) const;
  /// Argument `i`, an axis of an array of `rank`, counted from the first.
  [[nodiscard]] std::size_t axis(std::size_t i, std::size_t rank) const;
  /// Argument `i`, axes; all axes if it is none.
  [[nodiscard]] std::vector<std::size_t> axes(std::size_t i, std::size_t rank) const;

 private:
  template <class T>
  const T& at(std::size_t i, const char* kind) const {
    const T* const value = std::get_if<T>(&arguments_.at(i));
    if (value == nullptr) throw bad_call(std::string("argument is not ") + kind);
    return *value;
  }

  std::vector<argument> arguments_;
};

using results = std::vector<any_array>;
using function = std::function<results(const call&)>;
/// The functions by name.
using functions = std::map<std::string, function, std::less<>>;

/// Reads a call, or nothing at the end of the stream. Arrays are cut into two chunks along each
/// axis, so that results take several tasks.
[[nodiscard]] std::optional<std::pair<std::string, call>> read_call(
    std::istream& in, const std::shared_ptr<const spec>& limits);

/// Computes arrays, and returns the text of the answer.
[[nodiscard]] std::string answer(const results& arrays);

// Each adds the functions of a source.
void add_elementwise(functions& table);
void add_creation(functions& table);
void add_manipulation(functions& table);
void add_reductions(functions& table);
void add_lines(functions& table);
void add_selections(functions& table);
void add_products(functions& table);
void add_matrices(functions& table);
void add_transforms(functions& table);

}  // namespace tessera::array_api
