// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/decode_cf.hpp"

#include "tessera/core/error.hpp"

#include "array/stored_array_of.hpp"

#include <fmt/format.h>
#include <optional>
#include <string>

namespace tessera {

namespace {

using number = std::variant<std::int64_t, std::uint64_t, double>;

/// The attributes of one array, read as numbers.
class packing_reader {
 public:
  packing_reader(const attributes& given, std::string_view array) : given_(given), array_(array) {}

  /// Returns the `least` to `most` numbers of an attribute, or none if it is absent.
  [[nodiscard]] std::vector<number> numbers(std::string_view name, std::size_t least,
                                            std::size_t most) const {
    const attribute_value* const value = given_.find(name);
    if (value == nullptr) return {};
    const std::optional<std::vector<number>> parsed = std::visit(as_numbers{}, *value);
    if (!parsed || parsed->size() < least || parsed->size() > most) {
      refuse(name, least == most && most == 1 ? "a number"
                   : most == 2                ? "two numbers"
                                              : "a number or a short list "
                                                "of numbers");
    }
    return *parsed;
  }

  /// Returns the finite number of an attribute, or `otherwise` if it is absent. Lists of one number
  /// are common, and accepted.
  [[nodiscard]] double finite(std::string_view name, double otherwise) const {
    const std::vector<number> parsed = numbers(name, 1, 1);
    if (parsed.empty()) return otherwise;
    const double value = to_double(parsed[0]);
    if (!std::isfinite(value)) refuse(name, "a finite number");
    return value;
  }

  /// Returns whether integers are unsigned, or nullopt if no attribute states it.
  [[nodiscard]] std::optional<bool> is_unsigned() const {
    const attribute_value* const value = given_.find("_Unsigned");
    if (value == nullptr) return std::nullopt;
    if (const auto* truth = std::get_if<bool>(value)) return *truth;
    const auto* const text = std::get_if<std::string>(value);
    if (text == nullptr || (*text != "true" && *text != "false")) {
      refuse("_Unsigned", "\"true\" or \"false\"");
    }
    return *text == "true";
  }

  [[noreturn]] void refuse(std::string_view name, std::string_view expected) const {
    throw value_error(fmt::format(
        "decode_cf: the attribute \"{}\" of {} must be {}; mend it, or give the packing as a "
        "cf_packing",
        name, array_, expected));
  }

  [[nodiscard]] static double to_double(const number& value) {
    return std::visit([](auto v) { return static_cast<double>(v); }, value);
  }

 private:
  struct as_numbers {
    using result = std::optional<std::vector<number>>;
    result operator()(std::int64_t value) const { return std::vector<number>{value}; }
    result operator()(double value) const { return std::vector<number>{value}; }
    result operator()(const std::vector<std::int64_t>& values) const {
      return std::vector<number>(values.begin(), values.end());
    }
    result operator()(const std::vector<double>& values) const {
      return std::vector<number>(values.begin(), values.end());
    }
    result operator()(const std::string& text) const {
      if (text == "NaN") return std::vector<number>{std::nan("")};
      return std::nullopt;
    }
    template <class Other>
    result operator()(const Other&) const {
      return std::nullopt;
    }
  };

  const attributes& given_;
  std::string_view array_;
};

bool is_signed(dtype type) {
  return visit_dtype(type, []<class T>(type_tag<T>) { return std::is_signed_v<T>; });
}

bool is_integer(dtype type) {
  return visit_dtype(type, []<class T>(type_tag<T>) { return integer_element<T>; });
}

/// Returns a fill value as a number, or nullopt if it is not a number.
std::optional<number> number_of(const element_bytes& value, dtype type) {
  return visit_dtype(type, [&]<class T>(type_tag<T>) -> std::optional<number> {
    if constexpr (floating_element<T>) {
      return static_cast<double>(value.as<T>());
    } else if constexpr (integer_element<T> && std::is_signed_v<T>) {
      return std::int64_t{value.as<T>()};
    } else if constexpr (integer_element<T>) {
      return std::uint64_t{value.as<T>()};
    } else {
      return std::nullopt;
    }
  });
}

}  // namespace

cf_packing cf_packing::parse(const attributes& given, dtype type, std::string_view array) {
  const packing_reader reader(given, array);
  cf_packing packing;
  packing.scale_factor = reader.finite("scale_factor", 1);
  packing.add_offset = reader.finite("add_offset", 0);
  packing.missing = reader.numbers("_FillValue", 1, 1);
  const auto missing_values = reader.numbers("missing_value", 1, detail::max_missing - 1);
  packing.missing.insert(packing.missing.end(), missing_values.begin(), missing_values.end());
  if (const auto is_unsigned = reader.is_unsigned(); is_unsigned && is_integer(type)) {
    packing.changes_sign = *is_unsigned == is_signed(type);
  }
  const auto least = reader.numbers("valid_min", 1, 1);
  const auto greatest = reader.numbers("valid_max", 1, 1);
  const auto range = reader.numbers("valid_range", 2, 2);
  if (!range.empty() && !(least.empty() && greatest.empty())) {
    reader.refuse("valid_range", "absent where valid_min or valid_max is given");
  }
  if (!range.empty()) {
    packing.valid_min = packing_reader::to_double(range[0]);
    packing.valid_max = packing_reader::to_double(range[1]);
  }
  if (!least.empty()) packing.valid_min = packing_reader::to_double(least[0]);
  if (!greatest.empty()) packing.valid_max = packing_reader::to_double(greatest[0]);
  return packing;
}

namespace detail {

std::vector<number> missing_values_of(const stored_array& array) {
  const packing_reader reader(array.attributes(), array.name());
  std::vector<number> missing = reader.numbers("_FillValue", 1, 1);
  if (missing.empty() && array.fill_value()) {
    const auto fill = number_of(*array.fill_value(), array.dtype());
    if (fill) missing.push_back(*fill);
  }
  const auto missing_values = reader.numbers("missing_value", 1, max_missing - 1);
  missing.insert(missing.end(), missing_values.begin(), missing_values.end());
  return missing;
}

cf_packing packing_of(const array_view& view) {
  const std::shared_ptr<const stored_array> stored = stored_array_of(view);
  if (stored == nullptr) {
    throw value_error(
        fmt::format("decode_cf: {} is not a stored array, and has no attributes; open it with "
                    "tessera::open, or "
                    "give the packing as a cf_packing",
                    view.array->name));
  }
  const stored_array& array = *stored;
  cf_packing packing = cf_packing::parse(array.attributes(), array.dtype(), array.name());
  packing.missing = missing_values_of(array);
  return packing;
}

void check_num_missing(std::size_t parsed) {
  if (parsed <= max_missing) return;
  throw value_error(
      fmt::format("decode_cf: {} values stand for missing ones; at most {} are possible, so mask "
                  "the others with "
                  "where",
                  parsed, max_missing));
}

}  // namespace detail
}  // namespace tessera
