// SPDX-License-Identifier: Apache-2.0
#include "array/element_text.hpp"

#include "core/api/itemsize.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tessera {

namespace {

constexpr int precision = 8;

template <class T>
concept real_number = std::floating_point<T> || std::same_as<T, float16>;

/// A finite number: `digits[0] . digits[1] digits[2] ... * 10^exponent`, without trailing zeros.
struct decimal {
  bool is_negative = false;
  std::string digits;
  int exponent = 0;
};

/// Parses the output of `std::to_chars`: "-1.25e+07".
decimal parse_scientific(std::string_view text) {
  decimal result;
  result.is_negative = text.front() == '-';
  const std::size_t e = text.find('e');
  for (const char c : text.substr(0, e)) {
    if (c != '-' && c != '.') result.digits += c;
  }
  while (result.digits.size() > 1 && result.digits.back() == '0') result.digits.pop_back();
  result.exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  return result;
}

/// Returns the shortest decimal that reads back as `value`.
template <std::floating_point T>
decimal shortest(T value) {
  std::array<char, 64> buffer{};
  const auto end =
      std::to_chars(buffer.begin(), buffer.end(), value, std::chars_format::scientific);
  return parse_scientific({buffer.data(), end.ptr});
}

decimal rounded(double value, int num_digits);

/// No float16 needs more than five digits.
decimal shortest(float16 value) {
  const auto reads_back = [value](const decimal& number) {
    const std::string text =
        fmt::format("{}.{}e{}", number.digits[0], number.digits.substr(1), number.exponent);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    return float16(read) == std::abs(float{value});
  };
  int num_digits = 1;
  while (num_digits < 5 && !reads_back(rounded(value, num_digits))) ++num_digits;
  return rounded(value, num_digits);
}

/// Returns the decimal with `num_digits` digits that is nearest to `value`.
decimal rounded(double value, int num_digits) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.begin(), buffer.end(), value, std::chars_format::scientific,
                                 num_digits - 1);
  return parse_scientific({buffer.data(), end.ptr});
}

/// A number's text before padding: the parts before and after the point.
struct parts {
  std::string whole;
  std::string fraction;
  std::string exponent;  ///< "e+07"; empty in positional notation
};

parts positional(const decimal& number) {
  const auto size = static_cast<int>(number.digits.size());
  parts result;
  if (number.exponent < 0) {
    result.whole = "0";
    result.fraction = std::string(static_cast<std::size_t>(-number.exponent - 1), '0');
    result.fraction += number.digits;
    if (number.digits == "0") result.fraction.clear();
  } else if (size <= number.exponent + 1) {
    result.whole = number.digits;
    result.whole.append(static_cast<std::size_t>(number.exponent + 1 - size), '0');
  } else {
    const auto point = static_cast<std::size_t>(number.exponent + 1);
    result.whole = number.digits.substr(0, point);
    result.fraction = number.digits.substr(point);
  }
  if (number.is_negative) result.whole.insert(0, 1, '-');
  return result;
}

parts scientific(const decimal& number) {
  parts result;
  result.whole = fmt::format("{}{}", number.is_negative ? "-" : "", number.digits.substr(0, 1));
  result.fraction = number.digits.substr(1);
  const std::string digits = std::to_string(std::abs(number.exponent));
  result.exponent = number.exponent < 0 ? "e-" : "e+";
  if (digits.size() < 2) result.exponent += '0';
  result.exponent += digits;
  return result;
}

/// Returns `value` with at most `precision` digits after the point, as few as distinguish it from
/// its neighbours. All digits before the point are exact.
template <real_number T>
parts positional_of(T value) {
  const decimal exact = shortest(value);
  const int num_after_point = static_cast<int>(exact.digits.size()) - 1 - exact.exponent;
  if (num_after_point > precision) {
    return positional(rounded(value, std::max(1, precision + 1 + exact.exponent)));
  }
  return positional(num_after_point < 0 ? rounded(value, exact.exponent + 1) : exact);
}

/// Returns `value` with at least `least` and at most `precision` digits after the point, as few as
/// distinguish it from its neighbours.
template <real_number T>
parts scientific_of(T value, std::size_t least) {
  const decimal exact = shortest(value);
  const std::size_t num_after_point = exact.digits.size() - 1;
  if (num_after_point > precision) return scientific(rounded(value, precision + 1));
  if (num_after_point >= least) return scientific(exact);
  return scientific(rounded(value, static_cast<int>(least) + 1));
}

/// Tells whether scientific notation is used: the rule is FloatingFormat.fillFormat's.
template <real_number T>
bool needs_exponents(const std::vector<T>& values) {
  decltype(std::abs(T{})) most = 0;
  decltype(most) least = 0;
  for (const T value : values) {
    const auto size = std::abs(value);
    if (!std::isfinite(value) || size == 0) continue;
    most = std::max(most, size);
    least = least == 0 ? size : std::min(least, size);
  }
  if (most == 0) return false;
  return most >= 1e8 || least < 0.0001 || most / least > 1000;
}

std::string non_finite(double value) {
  if (std::isnan(value)) return "nan";
  return value < 0 ? "-inf" : "inf";
}

void pad_left(std::string& text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
}

/// The common widths of all numbers of an array.
struct widths {
  std::size_t whole = 0;
  std::size_t fraction = 0;
  std::size_t exponent = 0;
};

std::string join(parts number, const widths& common) {
  const bool has_exponent = !number.exponent.empty();
  if (has_exponent) {
    number.exponent.insert(2, common.exponent - number.exponent.size(), '0');
  }
  pad_left(number.whole, common.whole);
  number.fraction.resize(common.fraction, has_exponent ? '0' : ' ');
  return number.whole + "." + number.fraction + number.exponent;
}

template <real_number T>
std::vector<parts> split_all(const std::vector<T>& values, widths& common) {
  const bool has_exponents = needs_exponents(values);
  const std::size_t least = common.fraction;
  std::vector<parts> numbers;
  for (const T value : values) {
    parts number;
    if (std::isfinite(value)) {
      number = has_exponents ? scientific_of(value, least) : positional_of(value);
    }
    common.whole = std::max(common.whole, number.whole.size());
    common.fraction = std::max(common.fraction, number.fraction.size());
    common.exponent = std::max(common.exponent, number.exponent.size());
    numbers.push_back(std::move(number));
  }
  return numbers;
}

template <real_number T>
std::vector<std::string> format_all(const std::vector<T>& values) {
  // Twice: with exponents, numbers show as many digits as the one that needs most.
  widths common;
  split_all(values, common);
  const std::vector<parts> numbers = split_all(values, common);
  const std::size_t after_whole = 1 + common.fraction + common.exponent;
  for (const T value : values) {
    if (std::isfinite(value)) continue;
    const std::size_t size = non_finite(value).size();
    if (size > after_whole) common.whole = std::max(common.whole, size - after_whole);
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    texts.push_back(std::isfinite(values[i]) ? join(numbers[i], common) : non_finite(values[i]));
    pad_left(texts.back(), common.whole + after_whole);
  }
  return texts;
}

template <std::integral T>
std::vector<std::string> format_all(const std::vector<T>& values) {
  std::vector<std::string> texts;
  std::size_t width = 0;
  for (const T value : values) {
    if constexpr (std::same_as<T, bool>) {
      texts.push_back(value ? " True" : "False");
    } else {
      texts.push_back(std::to_string(value));
    }
    width = std::max(width, texts.back().size());
  }
  for (std::string& text : texts) pad_left(text, width);
  return texts;
}

/// The imaginary part has a sign, and its `j` precedes the padding on the right.
std::string imaginary(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  if (text.front() != '-') text.insert(0, 1, '+');
  text.insert(text.find_last_not_of(' ') + 1, 1, 'j');
  return text;
}

template <class T>
std::vector<std::string> format_all(const std::vector<std::complex<T>>& values) {
  std::vector<T> parts;
  for (const std::complex<T>& value : values) parts.push_back(value.real());
  std::vector<std::string> texts = format_all(parts);
  for (std::size_t i = 0; i < values.size(); ++i) parts[i] = values[i].imag();
  std::vector<std::string> others = format_all(parts);
  std::size_t width = 0;
  for (std::string& text : others) {
    text = imaginary(std::move(text));
    width = std::max(width, text.size());
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    pad_left(others[i], width);
    texts[i] += others[i];
  }
  return texts;
}

template <class T>
T load(const std::byte* element) {
  T value{};
  std::memcpy(&value, element, sizeof(T));
  return value;
}

template <real_number T>
std::string format_one(T value) {
  if (!std::isfinite(value)) return non_finite(value);
  const double size = std::abs(static_cast<double>(value));
  if (size != 0 && (size < 1e-4 || size >= 1e16)) {
    const parts number = scientific(shortest(value));
    const std::string point = number.fraction.empty() ? "" : ".";
    return number.whole + point + number.fraction + number.exponent;
  }
  const parts number = positional(shortest(value));
  return number.whole + "." + (number.fraction.empty() ? "0" : number.fraction);
}

template <std::integral T>
std::string format_one(T value) {
  if constexpr (std::same_as<T, bool>) return value ? "True" : "False";
  return std::to_string(value);
}

template <class T>
std::string format_one(std::complex<T> value) {
  const auto part = [](T number) {
    std::string text = format_one(number);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text;
  };
  const std::string second = imaginary(part(value.imag()));
  if (value.real() == 0 && !std::signbit(value.real())) {
    return second.substr(second.front() == '+' ? 1 : 0);
  }
  return "(" + part(value.real()) + second + ")";
}

}  // namespace

std::vector<std::string> format_elements(dtype type, const std::byte* elements,
                                         std::span<const index_t> positions) {
  return visit_dtype(type, [&]<class T>(type_tag<T>) {
    std::vector<T> values;
    for (const index_t position : positions) {
      values.push_back(load<T>(elements + position * itemsize_of(type)));
    }
    return format_all(values);
  });
}

std::string format_scalar(dtype type, const std::byte* element) {
  return visit_dtype(type,
                     [element]<class T>(type_tag<T>) { return format_one(load<T>(element)); });
}

}  // namespace tessera
